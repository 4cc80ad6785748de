//go:build integration

package processes_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"hostbot/bot/testing/discordtest"
	"hostbot/bot/testing/e2e/world"
)

// TestWaitingEntriesSurviveFlushall has Redis lose everything while the lines of 500 actions wait
// for a log channel that takes none for a while.
func TestWaitingEntriesSurviveFlushall(t *testing.T) {
	if !world.Everything() {
		t.Skip("runs with TEST_EVERYTHING=1") // it takes a minute
	}
	t.Parallel()
	w := newScene(t, instantly, discordtest.Config{})
	open := make(chan struct{})
	discord := line(t, w.discord.URL(), func(answer http.ResponseWriter, r *http.Request, pass http.Handler) {
		select {
		case <-open:
		default:
			if strings.Contains(r.URL.Path, "/channels/"+w.actions.ID) {
				answer.WriteHeader(http.StatusServiceUnavailable)
				return
			}
		}
		pass.ServeHTTP(answer, r)
	})
	w.start(t, "DISCORD_API_URL="+discord)
	w.start(t, "DISCORD_API_URL="+discord) // which stands by
	who := w.customers("c", 500)
	if done := restartAll(t, who, 50); done != len(who) {
		t.Fatalf("%d of %d restarts were done", done, len(who))
	}
	w.order(t, "FLUSHALL")
	<-time.After(10 * time.Second) // they wait on
	close(open)
	since := time.Now()
	missing := func() (n int) {
		for _, c := range who {
			if w.logged(c.bot) == 0 {
				n++
			}
		}
		return n
	}
	wait(func() bool { return !slices.ContainsFunc(who, func(c customer) bool { return w.logged(c.bot) == 0 }) })
	took(t, "all lines after FLUSHALL", since, 15*time.Second)
	w.silence(t, 5*time.Second)
	twice := 0
	for _, c := range who {
		twice += max(0, w.logged(c.bot)-1)
	}
	within(t, "FLUSHALL while lines wait: missing", missing())
	within(t, "FLUSHALL while lines wait: twice", twice)
}
