package discordtest_test

import (
	"encoding/json"
	"strings"
	"testing"

	"hostbot/bot/discordtest"
)

func TestGuildCreate(t *testing.T) {
	discord := discordtest.RunT(t)
	discord.AddChannel("log")
	discord.AddRole("Staff")
	w := dial(t, discord)
	w.send(strings.Replace(identifyTestToken, `"intents":0`, `"intents":1`, 1))
	if p := w.read(); p.Type != "READY" {
		t.Fatalf("got %+v, want READY", p)
	}
	p := w.read()
	type named struct{ ID, Name string }
	var guild struct {
		ID              string
		Unavailable     bool
		Channels, Roles []named
		Members         []struct{ User struct{ ID string } }
	}
	if err := json.Unmarshal(p.Data, &guild); err != nil || p.Type != "GUILD_CREATE" {
		t.Fatalf("got %+v (%v), want GUILD_CREATE", p, err)
	}
	if guild.ID != discord.GuildID() || guild.Unavailable {
		t.Errorf("got the guild %s, unavailable: %v", guild.ID, guild.Unavailable)
	}
	if len(guild.Channels) != 2 || guild.Channels[1].Name != "log" || len(guild.Roles) != 2 || guild.Roles[0].ID != guild.ID || guild.Roles[1].Name != "Staff" {
		t.Errorf("got the channels %+v and the roles %+v", guild.Channels, guild.Roles)
	}
	if len(guild.Members) != 1 || guild.Members[0].User.ID != discord.ApplicationID() {
		t.Errorf("got the members %+v, want the bot", guild.Members)
	}
}

func TestGuildCreateIsForItsShardAndIntent(t *testing.T) {
	discord := discordtest.RunT(t)
	sent := func(intents, shard, shards string) string {
		t.Helper()
		w := dial(t, discord)
		w.send(`{"op":2,"d":{"token":"test-token","properties":{},"intents":` + intents + `,"shard":[` + shard + `,` + shards + `]}}`)
		if p := w.read(); p.Type != "READY" {
			t.Fatalf("got %+v, want READY", p)
		}
		w.send(`{"op":1,"d":1}`)
		return w.read().Type // empty for the heartbeat's acknowledgement
	}
	if got := sent("0", "0", "1"); got != "" {
		t.Errorf("without the intent: got %s", got)
	}
	served := 0
	for _, shard := range []string{"0", "1"} {
		if sent("1", shard, "2") == "GUILD_CREATE" {
			served++
		}
	}
	if served != 1 {
		t.Errorf("%d of two shards got the guild", served)
	}
}
