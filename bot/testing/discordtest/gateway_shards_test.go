package discordtest_test

import (
	"fmt"
	"testing"
	"time"

	"hostbot/bot/testing/discordtest"
)

// shard begins a session of one of four shards, which is answered in some way.
func shard(t *testing.T, discord *discordtest.Server, id int) *wire {
	t.Helper()
	w := dial(t, discord)
	w.send(fmt.Sprintf(`{"op":2,"d":{"token":"test-token","intents":0,"properties":{},"shard":[%d,4]}}`, id))
	return w
}

func TestBucketsOfShards(t *testing.T) {
	clock := still()
	discord := discordtest.RunT(t, discordtest.Config{MaxConcurrency: 2, Clock: clock})
	shard(t, discord, 0).wantsEvent("READY")
	shard(t, discord, 1).wantsEvent("READY")
	shard(t, discord, 2).wants(opInvalidSession, "false")
	clock.Advance(5 * time.Second)
	shard(t, discord, 2).wantsEvent("READY")
}

// Each event goes to the shard that serves its guild.
func TestGuildsAreSpreadOverShards(t *testing.T) {
	s := newStage(t, discordtest.Config{})
	s.discord.IdentifyAtOnce()
	s.discord.RequireShards(4)
	w := dial(t, s.discord)
	w.send(identifyTestToken)
	if code := w.closed(); code != 4011 {
		t.Errorf("too few shards are closed with %d", code)
	}
	wires := make([]*wire, 4)
	for i := range wires {
		wires[i] = shard(t, s.discord, i)
		wires[i].wantsEvent("READY")
	}
	for _, guild := range s.discord.AddGuilds(8) {
		s.uses(s.anna.In(guild), "/bot", nil)
	}
	s.uses(s.anna.InDM(), "/bot", nil)
	wires[0].interaction()    // those of DMs are the first shard's
	for _, w := range wires { // each serves every fourth guild
		w.interaction()
		w.interaction()
		w.send(`{"op":1,"d":null}`)
		w.wants(opACK, "null")
	}
}

// TestSessionHasOneConnection resumes a session elsewhere, and once more after nobody
// was connected for some minutes.
func TestSessionHasOneConnection(t *testing.T) {
	clock := still()
	discord := discordtest.RunT(t, discordtest.Config{Clock: clock})
	former := dial(t, discord)
	id := former.identify()
	w := dial(t, discord)
	w.resume(id, 1)
	w.wantsEvent("RESUMED")
	if code := former.closed(); code != 4000 {
		t.Errorf("the former connection was closed with %d", code)
	}
	if list := discord.Sessions(); len(list) != 1 || !list[0].Connected {
		t.Errorf("sessions: %+v", list)
	}
	discord.Drop()
	clock.Advance(4 * time.Minute)
	w = dial(t, discord)
	w.resume(id, 2)
	w.wants(opInvalidSession, "false")
}
