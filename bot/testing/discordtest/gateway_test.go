package discordtest_test

import (
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"hostbot/bot/testing/discordtest"
)

func TestGatewayClosesOnMistakes(t *testing.T) {
	discord := discordtest.RunT(t)
	discord.IdentifyAtOnce()
	discord.RequireShards(2)
	sharded := func(rest string) string {
		return `{"op":2,"d":{"token":"test-token","properties":{},"shard":[0,2],` + rest + `}}`
	}
	for name, tc := range map[string]struct {
		send []string
		code int
	}{
		"wrong token":      {[]string{`{"op":2,"d":{"token":"x","intents":0,"properties":{},"shard":[0,2]}}`}, 4004},
		"wrong shard":      {[]string{`{"op":2,"d":{"token":"test-token","intents":0,"properties":{},"shard":[2,2]}}`}, 4010},
		"no shard":         {[]string{identifyTestToken}, 4011},
		"unknown intents":  {[]string{sharded(`"intents":1073741824`)}, 4013},
		"privileged":       {[]string{sharded(`"intents":32768`)}, 4014},
		"no intents":       {[]string{`{"op":2,"d":{"token":"test-token","properties":{}}}`}, 4002},
		"no JSON":          {[]string{`{`}, 4002},
		"too long":         {[]string{`{"op":1,"d":null,"x":"` + x(4096) + `"}`}, 4002},
		"unknown opcode":   {[]string{`{"op":99}`}, 4001},
		"presence first":   {[]string{`{"op":3,"d":{}}`}, 4003},
		"identify twice":   {[]string{sharded(`"intents":0`), sharded(`"intents":0`)}, 4005},
		"resume as well":   {[]string{sharded(`"intents":0`), `{"op":6,"d":{"token":"test-token","session_id":"x","seq":1}}`}, 4005},
		"resume, token":    {[]string{`{"op":6,"d":{"token":"x","session_id":"x","seq":1}}`}, 4004},
		"121 in a minute":  {strings.Split(strings.Repeat(`{"op":1,"d":null}|`, 121), "|")[:121], 4008},
		"heartbeat's data": {[]string{`{"op":1,"d":"x"}`}, 4002},
	} {
		t.Run(name, func(t *testing.T) {
			w := dial(t, discord)
			for _, text := range tc.send {
				w.send(text)
			}
			if code := w.closed(); code != tc.code {
				t.Errorf("closed with %d, want %d", code, tc.code)
			}
		})
	}
	if code := dialQuiet(t, discord, "/?v=8&encoding=json").closed(); code != 4012 {
		t.Errorf("version 8 closed with %d", code)
	}
}

func TestSessionsThatCannotBeResumed(t *testing.T) {
	for name, end := range map[string]func(w *wire, id string) (lostID string, sequence int64){
		"unknown":                     func(*wire, string) (string, int64) { return "nobody", 1 },
		"events that were never sent": func(_ *wire, id string) (string, int64) { return id, 5 },
		"closed by the bot with 1000": func(w *wire, id string) (string, int64) {
			message := websocket.FormatCloseMessage(websocket.CloseNormalClosure, "")
			if err := w.conn.WriteControl(websocket.CloseMessage, message, time.Now().Add(10*time.Second)); err != nil {
				w.t.Fatal(err)
			}
			if err := w.discord.WaitGateway(limit(w.t), func(g discordtest.GatewayStats) bool { return g.Open == 0 }); err != nil {
				w.t.Fatal(err)
			}
			return id, 1
		},
		"invalidated": func(w *wire, id string) (string, int64) {
			w.discord.InvalidateSession(false)
			w.wants(opInvalidSession, "false")
			return id, 1
		},
		"closed with 4004": func(w *wire, id string) (string, int64) {
			w.discord.CloseWith(4004)
			if code := w.closed(); code != 4004 {
				w.t.Errorf("closed with %d", code)
			}
			return id, 1
		},
	} {
		t.Run(name, func(t *testing.T) {
			discord := discordtest.RunT(t)
			discord.IdentifyAtOnce()
			w := dial(t, discord)
			id, sequence := end(w, w.identify())
			w = dial(t, discord)
			w.resume(id, sequence)
			w.wants(opInvalidSession, "false")
			w.identify() // over the same connection
		})
	}
}

// A session is resumed with the version with which it was begun, at an address of its own
// or at the general one.
func TestWhereAndHowASessionIsResumed(t *testing.T) {
	discord := discordtest.RunT(t)
	if discord.ResumeURL() == discord.GatewayURL() {
		t.Error("the address for resuming is the general one")
	}
	w := dial(t, discord)
	id := w.identify()
	resume := func(address, query string) *wire {
		discord.Drop()
		w := dialAt(t, discord, address+query)
		w.wantsHello()
		w.resume(id, 1)
		return w
	}
	resume(discord.ResumeURL(), "/?v=10&encoding=json").wants(opInvalidSession, "false")
	resume(discord.ResumeURL(), "/?v=9&encoding=json").wantsEvent("RESUMED")
	if n := discord.Gateway().Astray; n > 0 {
		t.Errorf("%d of the sessions were resumed at the general address", n)
	}
	resume(discord.GatewayURL(), "/?v=9").wantsEvent("RESUMED")
	if n := discord.Gateway().Astray; n != 1 {
		t.Errorf("%d of the sessions were resumed at the general address, want 1", n)
	}
	discord.Drop()
	if code := dialAt(t, discord, discord.ResumeURL()+"/?v=9&encoding=etf").closed(); code != 4012 {
		t.Errorf("another encoding was closed with %d", code)
	}
}

// IDENTIFYs of a day are counted, RESUMEs are not, and an IDENTIFY too many costs the
// bot its token.
func TestSessionStartsAreCounted(t *testing.T) {
	clock := still()
	c := start(t, discordtest.Config{Clock: clock})
	c.discord.ExpectFailures()
	said := func(want string) {
		t.Helper()
		if a := c.do("GET", "/gateway/bot", ""); !strings.Contains(a.text, want) {
			t.Errorf("got %s, want %s", a.text, want)
		}
	}
	said(`"max_concurrency":1,"remaining":1000,"reset_after":0,"total":1000},"shards":1`)
	id := dial(t, c.discord).identify()
	c.discord.Drop()
	w := dial(t, c.discord)
	w.resume(id, 1)
	w.wantsEvent("RESUMED")
	clock.Advance(time.Hour)
	said(`"remaining":999,"reset_after":82800000`)
	clock.Advance(23 * time.Hour)
	said(`"remaining":1000,"reset_after":0`)

	c.discord.ExhaustSessions(time.Minute)
	said(`"remaining":0,"reset_after":60000`)
	late := dial(t, c.discord)
	late.send(identifyTestToken)
	for _, w := range []*wire{late, w} {
		if code := w.closed(); code != 4004 {
			t.Errorf("closed with %d", code)
		}
	}
	c.do("GET", "/users/@me", "").want(t, 401, 0)
	if len(c.discord.Failures()) == 0 {
		t.Error("no rule was broken")
	}
}
