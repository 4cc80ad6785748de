package logchannel

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/alicebob/miniredis/v2"
	"github.com/bwmarrin/discordgo"
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
