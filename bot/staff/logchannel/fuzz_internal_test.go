package logchannel

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/bwmarrin/discordgo"
	"github.com/rs/zerolog"

	"hostbot/locale"
)

// FuzzState has anything be the state of a delivery, and an entry that waits. What waits first is
// planned, in a message of no more parts than Discord takes.
func FuzzState(f *testing.F) {
	for _, content := range []string{
		`{"line":"done","tally":{"count":1}}`, "{", "null", `{"embed":{}}`, `{"embed":{"fields":[null]}}`, `{"line":"x","own":[null],"group":"g"}`,
		`{"embed":{"title":"t","timestamp":"x","footer":null},"group":"g","tally":{"count":-5,"references":["a","a","b","c","d","e","f"],"customers":[{},{}]}}`,
	} {
		f.Add(content, `{}`)
		f.Add(content, `{"counters":[{"created":"2999-01-01T00:00:00Z","slots":[{"group":"g","embed":null,"tally":{"count":3}},{"group":"g"}]}],"single":true,"refused":true}`)
		f.Add(content, `{"trouble":{"since":"x"},"failures":-9,"posts":-1}`)
	}
	texts, err := locale.Load()
	if err != nil {
		f.Fatal(err)
	}
	ch, _ := New(Config{Texts: texts.For("en-US"), Log: zerolog.Nop(), Timing: DefaultTiming(), Buttons: Buttons{
		Lookup: func(id, name string) string { return "lookup/" + id }, Reference: func(code string) string { return "reference/" + code },
	}}).channel("1")
	f.Fuzz(func(t *testing.T, content, is string) {
		var s state
		if json.Unmarshal([]byte(is), &s) != nil { // look begins with an empty one
			s = state{}
		}
		s.tidy(time.Now(), ch.config.Timing.CountFor)
		first := readKept(content)
		p := s.plan([]kept{first, newKept(Entry{Embed: &discordgo.MessageEmbed{Title: "t"}, GroupKey: "g"}, time.Now())})
		if len(p.covers) == 0 || p.covers[0].ID != first.ID {
			t.Fatalf("what waits first is not planned: %+v", p)
		}
		m := ch.message(p.slots)
		if _, err := json.Marshal(m); err != nil {
			t.Errorf("the message cannot be encoded: %v", err)
		}
		_ = refused(p.slots[0], ch.config.Texts)
		if s.Trouble != nil {
			_, _ = s.Trouble.failing("1", ch.config.Texts), s.Trouble.healed("1", ch.config.Texts, time.Now())
		}
		if utf8.RuneCountInString(content) < 100 && (len(m.Embeds) > maxEmbeds+1 || strings.Count(m.Content, "\n") > maxContent) {
			t.Errorf("%d embeds, %d characters", len(m.Embeds), len(m.Content))
		}
		_ = s.pause(ch.config.Timing, time.Second)
		s.delivered(p, "2", time.Now())
	})
}
