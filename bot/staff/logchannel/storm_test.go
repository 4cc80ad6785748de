package logchannel_test

import (
	"cmp"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"hostbot/bot/testing/discordtest"
	"hostbot/hostapi/redistest"
)

// counts returns, by title, how often errors of a channel happened as its
// messages say.
func counts(t *testing.T, ch *discordtest.Channel) map[string]int {
	t.Helper()
	times := regexp.MustCompile(`^\*\*([\d,]+) times\*\*`)
	sums := make(map[string]int)
	for _, m := range ch.Messages() {
		for _, e := range m.Embeds {
			n := 1
			if found := times.FindStringSubmatch(e.Description); found != nil {
				n, _ = strconv.Atoi(strings.ReplaceAll(found[1], ",", ""))
			}
			sums[cmp.Or(e.Title, m.Content[strings.LastIndex(m.Content, "\n")+1:])] += n
		}
	}
	return sums
}

func TestAStormOfEqualErrors(t *testing.T) {
	redistest.Parallel(t)
	redistest.Each(t, func(t *testing.T, url string) {
		const storm, posters = 10_000, 20
		o := newOffice(t, unlimited())
		p := o.newProcess(t, url, hasty())
		p.Start()
		started := time.Now()
		var posting sync.WaitGroup
		for poster := range posters {
			posting.Go(func() {
				for i := range storm / posters {
					p.Post(failure("restart: unavailable (503)", poster*storm+i))
					if i%100 == 0 {
						p.Post(action(fmt.Sprint("action of ", poster)))
					}
				}
			})
		}
		posting.Wait()
		await(t, o.errors, "all errors are counted", func() bool { return counts(t, o.errors)["failure: restart: unavailable (503)"] >= storm })
		await(t, o.actions, "all actions", func() bool { return len(titles(o.actions)) == storm/100 })
		p.stop(t)
		if n := counts(t, o.errors)["failure: restart: unavailable (503)"]; n != storm {
			t.Errorf("%d errors are told", n)
		}
		messages := o.errors.Messages()
		if len(messages) >= 20 {
			t.Errorf("the storm made %d messages", len(messages))
		}
		edits := 0
		for _, call := range o.discord.Calls() {
			if call.Method == http.MethodPatch {
				edits++
			}
		}
		if most := int(time.Since(started)/hasty().Turn) + 1; edits > most { // the last of them in a hurry
			t.Errorf("%d edits in %v, want %d at most", edits, time.Since(started), most)
		}
		last := messages[len(messages)-1]
		if !last.Contains("since <t:") || !last.Contains("Latest references") {
			t.Errorf("the message says %s", last.Text())
		}
	})
}

// A message that is too old to be edited freely counts no more.
func TestAnOldMessageCountsNoMore(t *testing.T) {
	t.Parallel()
	o := newOffice(t, unlimited())
	timing := hasty()
	timing.CountFor = time.Nanosecond
	p := o.newProcess(t, "", timing)
	p.Start()
	for i := range 3 {
		p.Post(failure("restart", i))
		await(t, o.errors, "another message", func() bool { return len(o.errors.Messages()) == i+1 })
	}
	for _, call := range o.discord.Calls() {
		if call.Method == http.MethodPatch {
			t.Error("a message was edited")
		}
	}
}
