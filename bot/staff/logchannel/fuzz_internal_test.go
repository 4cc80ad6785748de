package logchannel

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/alicebob/miniredis/v2"
	"github.com/bwmarrin/discordgo"
	"github.com/redis/go-redis/v9"
	"github.com/rs/zerolog"

	"hostbot/hostapi/redistest"
	"hostbot/locale"
)

// fuzzed returns a delivery to one channel, with a miniredis, and the channel.
func fuzzed(f *testing.F) (*miniredis.Miniredis, *channel) {
	f.Helper()
	server, err := miniredis.Run()
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(server.Close)
	texts, err := locale.Load()
	if err != nil {
		f.Fatal(err)
	}
	d := New(Config{
		Redis: redistest.Connect(f, "redis://"+server.Addr()), Channels: map[Category]string{Actions: "1"}, Texts: texts.For("en-US"), Log: zerolog.Nop(),
		Timing: DefaultTiming(), MaxWaiting: 10, Buttons: Buttons{
			Lookup: func(id, name string) string { return "lookup/" + id }, Reference: func(code string) string { return "reference/" + code },
		},
	})
	return server, d.own("1")
}

// FuzzState has anything be the state of a delivery, and an entry that waits. What waits first is
// planned, in a message of no more parts than Discord takes.
func FuzzState(f *testing.F) {
	for _, content := range []string{
		`{"line":"done","tally":{"count":1}}`, "{", "null", `{"embed":{}}`, `{"embed":{"fields":[null]}}`, `{"line":"x","own":[null],"group":"g"}`,
		`{"embed":{"title":"t","timestamp":"x","footer":null},"group":"g","tally":{"count":-5,"references":["a","a","b","c","d","e","f"],"customers":[{},{}]}}`,
	} {
		f.Add(content, `{}`)
		f.Add(content, `{"plan":{"slots":[{"embed":null}],"records":["x"]}}`)
		f.Add(content, `{"plan":{"edits":"1","slots":[{"line":"x","embed":{"fields":[null]}}],"records":["x"],"message":{}},"counters":[{"message":"1"}]}`)
		f.Add(content, `{"counters":[{"created":"2999-01-01T00:00:00Z","slots":[{"group":"g","embed":null,"tally":{"count":3}},{"group":"g"}]}],"single":true}`)
		f.Add(content, `{"trouble":{"since":"x"},"failures":-9}`)
	}
	_, ch := fuzzed(f)
	f.Fuzz(func(t *testing.T, content, is string) {
		var s state
		if json.Unmarshal([]byte(is), &s) != nil { // it is set aside
			s = state{}
		}
		s.tidy(time.Now(), ch.Timing.CountFor)
		entries := []kept{readKept("a", content), newKept(Entry{Embed: &discordgo.MessageEmbed{Title: "t"}, GroupKey: "g"}, time.Now())}
		if s.Plan == nil {
			s.Plan = ch.plan(&s, entries, time.Now())
			if len(s.Plan.Covers) == 0 || s.Plan.Covers[0] != entries[0].ID {
				t.Fatalf("what waits first is not planned: %+v", s.Plan)
			}
		}
		m := ch.message(s.Plan.Slots)
		if _, err := json.Marshal(m); err != nil {
			t.Errorf("the message cannot be encoded: %v", err)
		}
		_, _, _ = refused(s.Plan.Slots[0], ch.Texts), s.Trouble.lasts(), s.counterOf("g", time.Now(), time.Hour)
		if s.Trouble != nil {
			_, _ = s.Trouble.failing("1", ch.Texts), s.Trouble.healed("1", ch.Texts, time.Now())
		}
		if utf8.RuneCountInString(content) < 100 && (len(m.Embeds) > maxEmbeds+1 || strings.Count(m.Content, "\n") > maxContent) {
			t.Errorf("%d embeds, %d characters", len(m.Embeds), len(m.Content))
		}
		s.anew()
		s.carriedOut(time.Now())
	})
}

// FuzzQueue has anything be in the place of any key of a channel. What is posted afterwards is
// handed out and done, and nothing is left that is not expired some day.
func FuzzQueue(f *testing.F) {
	names := []string{"waiting:1", "entries:1", "delivered:1", "due", "record:1"}
	for way := range byte(8) {
		for key := range names {
			f.Add(byte(key), way, "bad", "{", 0.0)
			f.Add(byte(key), way, "1", "", 1e300)
			f.Add(byte(key), way, "", `{"line":"x"}`, -1e18)
		}
	}
	server, ch := fuzzed(f)
	f.Fuzz(func(t *testing.T, key, way byte, name, value string, score float64) {
		server.FlushAll()
		ctx, client := t.Context(), ch.Redis
		before, after := newKept(Entry{Line: "before"}, time.Now()), newKept(Entry{Line: "after"}, time.Now())
		if _, err := ch.queue.add(ctx, []kept{before}, nil); err != nil {
			t.Fatal(err)
		}
		spoiled := "hostbot:{logs}:" + names[int(key)%len(names)]
		switch way % 8 {
		case 0:
			client.HSet(ctx, spoiled, name, value)
		case 1:
			client.ZAdd(ctx, spoiled, redis.Z{Score: score, Member: name})
		case 2:
			client.ZAdd(ctx, spoiled, redis.Z{Score: score, Member: before.ID})
		case 3:
			client.HSet(ctx, spoiled, before.ID, value)
		case 4:
			client.Set(ctx, spoiled, value, 0)
		case 5:
			client.Del(ctx, spoiled)
		case 6:
			client.Del(ctx, spoiled)
			client.HSet(ctx, spoiled, name, value)
		case 7:
			client.Del(ctx, spoiled)
			client.RPush(ctx, spoiled, value)
		}
		if _, err := ch.queue.add(ctx, []kept{after}, nil); err != nil {
			t.Fatal(err)
		}
		if _, err := ch.queue.ask(ctx, []string{before.ID, after.ID}); err != nil {
			t.Fatal(err)
		}
		if due := client.ZScore(ctx, ch.queue.due, "1"); due.Err() != nil || due.Val() > float64(time.Now().Add(time.Hour).UnixMilli()) {
			t.Errorf("it is due at %v", due)
		}
		got := make(map[string]bool)
		for rounds := 0; ; rounds++ {
			if err := ch.bound(ctx, false, time.Now()); err != nil {
				t.Fatal(err)
			}
			entries, err := ch.queue.head(ctx)
			if err != nil || rounds > 5 {
				t.Fatalf("in round %d: %v", rounds, err)
			}
			if len(entries) == 0 {
				break
			}
			var ids []string
			for _, e := range entries {
				got[e.Line] = true
				ids = append(ids, e.ID)
			}
			if err := ch.queue.done(ctx, ids, time.Now()); err != nil {
				t.Fatal(err)
			}
		}
		if !got["after"] {
			t.Errorf("handed out is %v", got)
		}
		for _, left := range []string{"waiting:1", "entries:1"} {
			if server.Exists("hostbot:{logs}:" + left) {
				t.Errorf("%s is left", left)
			}
		}
	})
}
