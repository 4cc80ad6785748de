package logchannel_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bwmarrin/discordgo"
	"github.com/redis/go-redis/v9"

	"hostbot/bot/staff/logchannel"
	"hostbot/bot/testing/discordtest"
	"hostbot/hostapi/redistest"
)

// numbered returns titles from 0 to n-1.
func numbered(n int) []string {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprint("action ", i)
	}
	return list
}

// What is posted is in Redis when Post returns, whoever delivers it.
func TestPostRecordsBeforeItReturns(t *testing.T) {
	redistest.Parallel(t)
	redistest.Each(t, func(t *testing.T, url string) {
		o := newOffice(t, unlimited())
		client := redistest.Connect(t, url)
		killed := o.newProcess(t, url, hasty())
		for i, title := range numbered(25) {
			killed.Post(action(title))
			if n := waiting(t, client, o.actions); n != int64(i+1) {
				t.Fatalf("%d entries are recorded after %d posts", n, i+1)
			}
		}
		killed.kill()

		next := o.newProcess(t, url, hasty())
		next.Start()
		await(t, o.actions, "all actions", func() bool { return len(titles(o.actions)) >= 25 })
		if got := titles(o.actions); !slices.Equal(got, numbered(25)) {
			t.Errorf("the channel shows %q", got)
		}
		if n := len(o.actions.Messages()); n != 3 {
			t.Errorf("25 entries took %d messages of up to ten", n)
		}
		next.stop(t)
		if n := waiting(t, client, o.actions); n != 0 {
			t.Errorf("%d entries are left", n)
		}
	})
}

// A process dies after Discord took its message and before it knows. Whoever
// comes next must not send it again.
func TestASuccessorDoesNotRepeat(t *testing.T) {
	redistest.Parallel(t)
	for name, later := range map[string]time.Duration{"while Discord knows the nonce": 0, "once Discord has forgotten it": time.Hour} {
		t.Run(name, func(t *testing.T) {
			redistest.Parallel(t)
			redistest.Each(t, func(t *testing.T, url string) {
				clock := discordtest.NewManualClock(time.Now())
				o := newOffice(t, discordtest.Config{NoRateLimits: true, Clock: clock})
				killed := o.newProcess(t, url, hasty())
				hang := o.discord.Inject(discordtest.Fault{Method: http.MethodPost, Route: discordtest.RouteMessages, Hang: true, After: true})
				for _, title := range numbered(3) {
					killed.Post(action(title))
				}
				killed.Start()
				await(t, o.actions, "a message", func() bool { return len(titles(o.actions)) > 0 })
				killed.kill()
				hang()
				clock.Advance(later)
				outlast(t, url)

				next := o.newProcess(t, url, hasty())
				for _, title := range numbered(6)[3:] {
					next.Post(action(title))
				}
				next.Start()
				await(t, o.actions, "what came later", func() bool { return len(titles(o.actions)) >= 6 })
				next.stop(t)
				if got := titles(o.actions); !slices.Equal(got, numbered(6)) {
					t.Errorf("the channel shows %q", got)
				}
			})
		})
	}
}

// A leader that does not reach Redis for a while, as one whose machine was suspended, repeats
// nothing and takes nothing back of what the next one has done.
func TestALateLeaderChangesNothing(t *testing.T) {
	redistest.Parallel(t)
	redistest.Each(t, func(t *testing.T, url string) {
		o := newOffice(t, unlimited())
		timing := hasty()
		timing.Work, timing.Send = 400*time.Millisecond, 300*time.Millisecond
		late := o.newProcess(t, url, timing)
		var cut atomic.Bool
		late.redis.Client.AddHook(redistest.Hook(func(ctx context.Context, cmd redis.Cmder, next redis.ProcessHook) error {
			if cut.Load() {
				return errors.New("cut off")
			}
			return next(ctx, cmd)
		}))
		answer := o.discord.Inject(discordtest.Fault{Method: http.MethodPost, Route: discordtest.RouteMessages, Hang: true, After: true, Times: 1})
		for _, title := range numbered(3) {
			late.Post(action(title))
		}
		late.Start()
		await(t, o.actions, "a message", func() bool { return len(titles(o.actions)) == 3 })
		cut.Store(true)

		next := o.newProcess(t, url, timing)
		for _, title := range numbered(6)[3:] {
			next.Post(action(title))
		}
		next.Start()
		await(t, o.actions, "what came later", func() bool { return len(titles(o.actions)) >= 6 })
		answer()
		cut.Store(false)
		late.Post(action("action 6"))
		await(t, o.actions, "the last", func() bool { return len(titles(o.actions)) >= 7 })
		late.stop(t)
		next.stop(t)
		if got := titles(o.actions); !slices.Equal(got, numbered(7)) {
			t.Errorf("the channel shows %q", got)
		}
	})
}

// Discord may take a message whose answer is lost, and be away for long after. It does not write the
// time of an embed as it was sent.
func TestAnUncertainMessageIsLookedFor(t *testing.T) {
	t.Parallel()
	for name, zoneless := range map[string]bool{"times with a zone": false, "without": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := newOffice(t, unlimited())
			o.discord.SetZonelessEmbeds(zoneless)
			p := o.newProcess(t, "", hasty())
			o.discord.Inject(discordtest.Fault{Method: http.MethodPost, Route: discordtest.RouteMessages, Status: 502, After: true, Times: 1})
			o.discord.Inject(discordtest.Fault{Method: http.MethodGet, Route: discordtest.RouteMessages, Status: 503, Times: 2})
			p.Post(logchannel.Entry{Category: logchannel.Actions, Embed: embed("once")})
			p.Start()
			eventually(t, "it is delivered", func() bool { s := p.Status()[0]; return s.Sent == 1 && s.Trouble == "" })
			if n := len(o.actions.Messages()); n != 1 || o.posts(o.actions) != 1 {
				t.Errorf("the channel shows %d messages after %d requests", n, o.posts(o.actions))
			}
		})
	}
}

// Nothing keeps a message that staff deleted from being over and done with.
func TestStaffMayDeleteMessages(t *testing.T) {
	t.Parallel()
	o := newOffice(t, unlimited())
	p := o.newProcess(t, "", hasty())
	p.Start()
	p.Post(failure("restart", 1))
	await(t, o.errors, "the error", func() bool { return len(titles(o.errors)) == 1 })
	deleteMessage(t, o.errors)
	o.discord.ExpectFailures() // the bot edits what is gone
	p.Post(failure("restart", 2))
	await(t, o.errors, "the next error", func() bool { return len(titles(o.errors)) == 1 })
}

// One entry that Discord finds malformed holds up nothing, and is not passed
// over in silence.
func TestAMalformedEntryIsReplaced(t *testing.T) {
	redistest.Parallel(t)
	redistest.Each(t, func(t *testing.T, url string) {
		o := newOffice(t, unlimited())
		o.discord.ExpectFailures()
		p := o.newProcess(t, url, hasty())
		p.Post(action("before"))
		wrong := logchannel.Entry{Category: logchannel.Actions, Embed: embed("malformed")}
		wrong.Embed.Fields = []*discordgo.MessageEmbedField{{Name: "Reason", Value: ""}}
		p.Post(wrong)
		p.Post(action("after"))
		p.Start()
		await(t, o.actions, "all entries", func() bool { return len(titles(o.actions)) >= 3 })
		got := titles(o.actions)
		if got[0] != "before" || !strings.Contains(got[1], "can't be shown") || got[2] != "after" || len(got) != 3 {
			t.Errorf("the channel shows %q", got)
		}
		if p.log.Count(`"title":"malformed"`) != 1 {
			t.Error("the process log does not hold the entry")
		}
	})
}
