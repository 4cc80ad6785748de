package logchannel_test

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
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

// Where Discord is away for so long that too much is waiting, the processes count
// equal errors. Every action is recorded, and nothing is missing where Redis forgets and
// one of the processes stops.
func TestErrorsAreCountedWhereTooMuchIsWaiting(t *testing.T) {
	redistest.Parallel(t)
	redistest.EachServer(t, func(t *testing.T, server *redistest.Server) {
		const kinds, actions, rounds = 60, 10, 5
		o := newOffice(t, unlimited())
		o.errors = o.actions // all in one
		attempts := func() int { return len(o.discord.Calls()) }
		away := o.discord.Inject(discordtest.Fault{Route: discordtest.RouteMessages, Status: http.StatusServiceUnavailable})
		defer away()
		processes := []*process{o.newProcess(t, server.URL(), hasty()), o.newProcess(t, server.URL(), hasty())}
		for _, p := range processes {
			p.Start()
		}
		for round := range rounds {
			for i := range kinds {
				for _, p := range processes {
					p.Post(failure(fmt.Sprint("kind ", i), i))
				}
				if n := round*kinds + i; n < actions {
					processes[0].Post(action(fmt.Sprint("action ", n)))
				}
			}
			for _, p := range processes {
				eventually(t, "too much is waiting", func() bool { return p.Status()[0].Waiting > maxWaiting })
			}
			before := attempts()
			eventually(t, "some turns are over", func() bool { return attempts() >= before+5 })
		}
		client := redistest.Connect(t, server.URL())
		recorded, most := waiting(t, client, o.actions), 2*2*kinds+actions
		if recorded > int64(most) {
			t.Errorf("%d entries wait in Redis, want %d at most", recorded, most)
		}
		flush(t, server)
		for _, p := range processes { // or what one does not know to be lost is, as it is closed
			p.log.WaitFor(t, "written there anew")
		}
		eventually(t, "what waits is written anew", func() bool { return waiting(t, client, o.actions) >= recorded })
		processes[1].close()
		away()
		eventually(t, "everything is delivered", func() bool { return processes[0].Status()[0].Waiting == 0 })
		processes[0].stop(t)
		shown := slices.DeleteFunc(titles(o.actions), func(title string) bool { return !strings.HasPrefix(title, "action") })
		if !slices.Equal(shown, numbered(actions)) {
			t.Errorf("the channel shows the actions %q", shown)
		}
		for i := range kinds {
			title := fmt.Sprint("failure: kind ", i)
			if n := counts(t, o.errors)[title]; n != rounds*len(processes) {
				t.Errorf("%s is told %d times", title, n)
			}
		}
	})
}

// flush has a Redis forget everything.
func flush(t *testing.T, server *redistest.Server) {
	t.Helper()
	client := redistest.Connect(t, server.URL())
	if err := errors.Join(client.ScriptFlush(t.Context()).Err(), client.FlushAll(t.Context()).Err()); err != nil {
		t.Fatal(err)
	}
}
