package logchannel_test

import (
	"bytes"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"hostbot/bot/discordtest"
	"hostbot/hostapi/redistest"
)

// startReplica starts a process that others soon take for dead where it is.
func (o office) startReplica(t *testing.T, redisURL string) *process {
	t.Helper()
	timing := hasty()
	timing.Lease, timing.Send = time.Second, 800*time.Millisecond
	p := o.newProcess(t, redisURL, timing)
	p.Start()
	return p
}

// TestEveryActionExactlyOnce has two replicas tell of 500 actions while Discord
// fails in every way in turn, and kills each of them once, one at least while
// Discord has taken its message and it does not know.
func TestEveryActionExactlyOnce(t *testing.T) {
	server := redistest.StartDurableRedis(t)
	o := newOffice(t, unlimited())
	failInTurn(t, o.discord)

	const actions = 500
	replicas := []*process{o.startReplica(t, server.URL()), o.startReplica(t, server.URL())}
	var done, unknown []string
	for i := range actions {
		r, title := &replicas[i%len(replicas)], fmt.Sprint("bot ", i%7, " action ", i)
		if i == actions/2 {
			server.Restart()
		}
		answer := func() {}
		kill := i == actions/3 || i == actions/3*2+1 // each replica once
		if kill {                                    // while whichever delivers waits for Discord's word on what is there already
			answer = o.discord.Inject(discordtest.Fault{Method: http.MethodPost, Route: discordtest.RouteMessages, Hang: true, After: true})
		}
		(*r).Post(action(title))
		done = append(done, title)
		if kill {
			eventually(t, "a replica waits for Discord's word", o.unanswered)
			title += ", the last of a replica"
			unknown = append(unknown, title)
			var killing sync.WaitGroup
			killing.Go((*r).kill)
			(*r).Post(action(title))
			killing.Wait()
			answer()
			*r = o.startReplica(t, server.URL())
		}
	}
	last := done[len(done)-1] // after which nothing waits
	await(t, o.actions, "the last action", func() bool { return slices.Contains(titles(o.actions), last) })
	for _, r := range replicas {
		r.stop(t)
	}
	shown := titles(o.actions)
	for _, title := range unknown { // they may be there, once
		if i := slices.Index(shown, title); i >= 0 {
			shown = slices.Delete(shown, i, i+1)
		}
	}
	if !slices.Equal(shown, done) {
		t.Errorf("the channel shows %d actions of %d that are done:\n%s", len(shown), len(done), strings.Join(shown, "\n"))
	}
	t.Logf("%d actions in %d messages", len(titles(o.actions)), len(o.actions.Messages()))
}

// unanswered tells whether the latest message is there and its sender does not
// know yet.
func (o office) unanswered() bool {
	shown := titles(o.actions)
	if len(shown) == 0 {
		return false
	}
	latest := []byte(shown[len(shown)-1])
	return slices.ContainsFunc(o.discord.Calls(), func(c discordtest.Call) bool {
		return c.Method == http.MethodPost && c.Duration == 0 && bytes.Contains(c.Request, latest)
	})
}

// failInTurn has the request after each message that Discord takes fail, in
// every way in turn.
func failInTurn(t *testing.T, discord *discordtest.Server) {
	faults := []discordtest.Fault{
		{Status: http.StatusServiceUnavailable}, discordtest.RateLimited("", "", 20*time.Millisecond, false), {Status: http.StatusBadGateway, After: true},
		{Reset: true}, discordtest.RateLimited("", "", 10*time.Millisecond, true), {Reset: true, After: true}, {Status: http.StatusInternalServerError},
	}
	taken := 0
	t.Cleanup(discord.Observe(func(e discordtest.Event) {
		if e.Call == nil || e.Call.Route != discordtest.RouteMessages || e.Call.Status != http.StatusOK {
			return
		}
		next := faults[taken%len(faults)]
		next.Method, next.Route, next.Times = http.MethodPost, discordtest.RouteMessages, 1
		discord.Inject(next)
		taken++
	}))
}
