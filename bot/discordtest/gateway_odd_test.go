package discordtest_test

import (
	"fmt"
	"testing"

	"github.com/gorilla/websocket"

	"hostbot/bot/discordtest"
)

// Frames have the members and the order that were seen of Discord.
func TestFrames(t *testing.T) {
	discord := discordtest.RunT(t)
	w := dialQuiet(t, discord, "/?v=10&encoding=json")
	const hello = `{"t":null,"s":null,"op":10,"d":{"heartbeat_interval":41250,"_trace":["[\"gateway-prd-us-east1-c-7s4x\",{\"micros\":0.0}]"]}}`
	if got := w.text(); got != hello {
		t.Errorf("got  %s\nwant %s", got, hello)
	}
	w.send(`{"op":1,"d":null}`)
	if got, want := w.text(), `{"t":null,"s":null,"op":11,"d":null}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	id := w.identify()
	discord.Drop()
	w = dial(t, discord)
	w.resume(id, 1)
	const resumed = `{"t":"RESUMED","s":2,"op":0,"d":{"_trace":["[\"gateway-prd-us-east1-c-7s4x\",{\"micros\":0.0}]"]}}`
	if got := w.text(); got != resumed {
		t.Errorf("got  %s\nwant %s", got, resumed)
	}
}

func TestReconnectAroundHello(t *testing.T) {
	discord := discordtest.RunT(t)
	discord.AskReconnectInsteadOfHello(1)
	discord.AskReconnectBeforeHello(1)
	w := dialQuiet(t, discord, "/?v=10&encoding=json")
	if p := w.read(); p.Op != 7 {
		t.Errorf("got op %d, want 7", p.Op)
	}
	w.send(`{"op":1,"d":null}`)
	if p := w.read(); p.Op != 11 {
		t.Errorf("got op %d, want an ACK and no HELLO", p.Op)
	}
	w = dialQuiet(t, discord, "/?v=10") // JSON is the encoding if none is named
	if first, second := w.read(), w.read(); first.Op != 7 || second.Op != 10 {
		t.Errorf("got op %d and %d, want 7 and 10", first.Op, second.Op)
	}
	dial(t, discord).identify()
}

func TestInvalidSessionInsteadOfReady(t *testing.T) {
	discord := discordtest.RunT(t)
	discord.InvalidSessionInsteadOfReady(2)
	w := dial(t, discord)
	for range 2 {
		w.send(identifyTestToken)
		if p := w.read(); p.Op != 9 || string(p.Data) != "false" {
			t.Fatalf("got op %d %s", p.Op, p.Data)
		}
	}
	w.identify() // over the same connection
}

// RESUME fails and fails, and IDENTIFY works.
func TestFailingResumes(t *testing.T) {
	for _, code := range []int{websocket.CloseNoStatusReceived, websocket.CloseAbnormalClosure, 4000} {
		t.Run(fmt.Sprint(code), func(t *testing.T) {
			discord := discordtest.RunT(t)
			id := dial(t, discord).identify()
			discord.Drop()
			discord.FailResumes(2, code)
			for range 2 {
				w := dial(t, discord)
				w.resume(id, 1)
				if got := w.closed(); got != code {
					t.Errorf("closed with %d", got)
				}
			}
			dial(t, discord).identify()
			w := dial(t, discord)
			w.resume(id, 1)
			if p := w.read(); p.Type != "RESUMED" {
				t.Errorf("got %+v", p)
			}
		})
	}
}

// A bot that waits for READY is heard all the time, and misses nothing.
func TestHeldReady(t *testing.T) {
	discord := discordtest.RunT(t, discordtest.Config{Clock: still()})
	newClient(t, discord).register(rawCommands).want(t, 200, 0)
	discord.HoldReady(true)
	w := dial(t, discord)
	w.send(identifyTestToken)
	w.send(`{"op":1,"d":null}`)
	if p := w.read(); p.Op != 11 {
		t.Errorf("got %+v, want an ACK and no READY", p)
	}
	r, err := discord.User("anna").Start("/bot", nil)
	if err != nil {
		t.Fatal(err)
	}
	discord.HoldReady(false)
	if p := w.read(); p.Type != "READY" || p.Seq != 1 {
		t.Errorf("got %+v, want READY", p)
	}
	if got := w.interaction(); got.ID != r.ID() {
		t.Errorf("got %s, want %s", got.ID, r.ID())
	}
	if err := discord.WaitConnected(limit(t), 1); err != nil {
		t.Error(err)
	}
}

// Several sessions of a shard each get its events.
func TestSessionsOfOneShard(t *testing.T) {
	s := newStage(t, discordtest.Config{})
	other := dial(t, s.discord)
	other.identify()
	_, first := s.command()
	if second := other.interaction(); second.ID != first.ID {
		t.Errorf("the sessions got different events")
	}
}

func TestInteractionsOnShardZero(t *testing.T) {
	s := newStage(t, discordtest.Config{InteractionsOnShardZero: true})
	s.discord.Drop()
	shards := 2 // or more, until the guild's is not the first
	for guildShard(t, s.discord, shards) == 0 {
		shards++
	}
	w := dial(t, s.discord)
	w.send(fmt.Sprintf(`{"op":2,"d":{"token":"test-token","intents":0,"properties":{},"shard":[0,%d]}}`, shards))
	if p := w.read(); p.Type != "READY" {
		t.Fatalf("got %+v", p)
	}
	r, err := s.anna.Start("/bot", nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := w.interaction(); got.ID != r.ID() {
		t.Errorf("got %s, want %s", got.ID, r.ID())
	}
}

func guildShard(t *testing.T, discord *discordtest.Server, shards int) uint64 {
	t.Helper()
	var guild uint64
	if _, err := fmt.Sscan(discord.GuildID(), &guild); err != nil {
		t.Fatal(err)
	}
	return (guild >> 22) % uint64(shards)
}
