package panel_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"hostbot/bot/testing/discordtest"
	"hostbot/hostapi/redistest"
)

// TestArchivedThreadGetsANewMessage lets the thread of a panel be archived by time, three
// times, though the panel is edited.
func TestArchivedThreadGetsANewMessage(t *testing.T) {
	t.Parallel()
	redistest.Each(t, func(t *testing.T, url string) {
		s := newScene(t, url)
		s.timing.Between = time.Millisecond
		s.channel = s.discord.AddThread("help", time.Hour)
		p, _ := s.replica()
		s.create(p, "1001")
		for i := range 3 {
			last := s.channel.Messages()[0].ID
			s.clock.Advance(40 * time.Minute)
			s.show(p, fmt.Sprint("edit ", i))
			if edited := s.channel.WaitFor(t, fmt.Sprint("edit ", i)); edited.ID != last {
				t.Error("a message in an open thread was not edited")
			}
			s.clock.Advance(40 * time.Minute)
			s.show(p, fmt.Sprint("state ", i))
			s.channel.WaitFor(t, fmt.Sprint("state ", i))
			eventually(t, "only the new message is there", func() bool { m := s.channel.Messages(); return len(m) == 1 && m[0].ID != last })
		}
		posts := slices.DeleteFunc(s.discord.Calls(), func(c discordtest.Call) bool { return c.Method != http.MethodPost })
		if len(posts) != 4 {
			t.Errorf("%d posts", len(posts))
		}
		for i, post := range posts {
			if silent := strings.Contains(string(post.Request), `"flags":4096`); silent != (i > 0) {
				t.Errorf("post %d is silent: %t", i, silent)
			}
		}
		eventually(t, "nothing is in the way", func() bool {
			own := s.own(p)
			return len(own) == 1 && own[0].Trouble == "" && len(own[0].Message.Left) == 0
		})
	})
}
