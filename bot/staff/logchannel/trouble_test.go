package logchannel_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"hostbot/bot/testing/discordtest"
	"hostbot/hostapi/redistest"
)

// A channel that fails is told of once, tried again, and heals by itself.
func TestAChannelThatFails(t *testing.T) {
	redistest.Parallel(t)
	for name, access := range map[string]discordtest.Access{
		"unknown": discordtest.Gone, "no access": discordtest.MissingAccess, "no permission": discordtest.MissingPermissions,
		"a forum": discordtest.Forum, "locked": discordtest.LockedOpen,
	} {
		forbidden := access == discordtest.MissingAccess || access == discordtest.MissingPermissions
		t.Run(name, func(t *testing.T) {
			redistest.Parallel(t)
			redistest.Each(t, func(t *testing.T, url string) {
				o := newOffice(t, unlimited())
				p := o.newProcess(t, url, hasty())
				o.errors.Allow(access)
				p.Post(failure("restart", 1))
				p.Post(failure("list", 2))
				p.Start()
				await(t, o.actions, "the other channel tells of it", func() bool { return told(o.actions, "Nothing can be written") == 1 })
				if !o.actions.Messages()[0].Contains("<#" + o.errors.ID + ">") {
					t.Errorf("it says %s", o.actions.Messages()[0].Text())
				}
				if o.actions.Messages()[0].Contains("in a thread, Send Messages in Threads") != forbidden {
					t.Errorf("of what the bot needs there it says %s", o.actions.Messages()[0].Text())
				}
				p.Post(action("meanwhile"))
				await(t, o.actions, "the other channel goes on", func() bool { return told(o.actions, "meanwhile") == 1 })
				eventually(t, "it is tried again", func() bool { return p.Status()[1].Retried >= 5 })
				if s := p.Status()[1]; s.Waiting != 2 || s.Trouble == "" || s.Forbidden != forbidden {
					t.Errorf("the status is %+v", s)
				}
				o.errors.Allow(discordtest.FullAccess)
				await(t, o.actions, "the other channel tells of the end", func() bool { return told(o.actions, "works again") == 1 })
				if got := titles(o.errors); !slices.Equal(got, []string{"failure: restart", "failure: list"}) {
					t.Errorf("the channel shows %q", got)
				}
				p.stop(t)
				if n := told(o.actions, "Nothing can be written"); n != 1 {
					t.Errorf("the other channel told of it %d times", n)
				}
				if n := p.log.Count(`"level":"error"`); n != 1 {
					t.Errorf("the process log told of it %d times", n)
				}
				if n := p.log.Count("Send Messages in Threads"); n > 1 || (n == 1) != forbidden {
					t.Errorf("the process log told %d times what the bot needs there", n)
				}
			})
		})
	}
}

// The client repeats a script whose answer was lost: that changes nothing, and
// staff still learn that a channel fails and works again.
func TestAScriptIsRepeated(t *testing.T) {
	redistest.Parallel(t)
	redistest.Each(t, func(t *testing.T, url string) {
		o := newOffice(t, unlimited())
		o.errors.Allow(discordtest.MissingAccess)
		timing := hasty()
		timing.Work, timing.Send = 200*time.Millisecond, 150*time.Millisecond // for a record that is taken twice waits so long
		p := o.newProcess(t, url, timing)
		var scripts atomic.Int32
		p.redis.Client.AddHook(redistest.Hook(func(ctx context.Context, cmd redis.Cmder, next redis.ProcessHook) error {
			err := next(ctx, cmd)
			if err == nil && strings.HasPrefix(cmd.Name(), "eval") && scripts.Add(1)%3 == 0 {
				err = next(ctx, cmd)
			}
			return err
		}))
		p.Post(failure("restart", 1))
		p.Start()
		await(t, o.actions, "the other channel tells of it", func() bool { return told(o.actions, "Nothing can be written") == 1 })
		o.errors.Allow(discordtest.FullAccess)
		await(t, o.actions, "the other channel tells of the end", func() bool { return told(o.actions, "works again") == 1 })
		if got := titles(o.errors); !slices.Equal(got, []string{"failure: restart"}) {
			t.Errorf("the channel shows %q", got)
		}
	})
}

// Discord says of a channel that it takes nothing with the status of a malformed message,
// and that it suspects abuse with the code of a deleted one (discord-userdoccers,
// pages/topics/errors.mdx). The entries wait.
func TestRefusalsThatLookLikeOthers(t *testing.T) {
	t.Parallel()
	for body, status := range map[string]int{
		`{"message":"Thread is archived","code":50083}`:                                       http.StatusBadRequest,
		`{"message":"Only thread posts can be created in this channel","code":40058}`:         http.StatusBadRequest,
		`{"message":"Cannot execute action on this channel type","code":50024}`:               http.StatusBadRequest,
		`{"message":"Thread is locked","code":160005}`:                                        http.StatusBadRequest,
		`{"message":"You are being blocked from accessing our API temporarily","code":40333}`: http.StatusBadRequest,
		`{"message":"400: Bad Request","code":0}`:                                             http.StatusBadRequest,
		`{"message":"Unknown Message","code":10008}`:                                          http.StatusForbidden,
	} {
		o := newOffice(t, unlimited())
		o.errors = o.actions // all in one
		o.discord.Inject(discordtest.Fault{
			Method: http.MethodPost, Route: discordtest.RouteMessages, Status: status, Times: 3, Body: body, Header: http.Header{"Content-Type": {"application/json"}},
		})
		p := o.newProcess(t, "", hasty())
		for _, title := range numbered(2) {
			p.Post(action(title))
		}
		p.Start()
		await(t, o.actions, "all actions", func() bool { return len(titles(o.actions)) >= 2 })
		if got := titles(o.actions); !slices.Equal(got, numbered(2)) || p.Status()[0].Retried != 3 {
			t.Errorf("%s: the channel shows %q after %d requests that failed", body, got, p.Status()[0].Retried)
		}
	}
}

// What Discord says of an entry's content is about this entry alone, which a stub replaces.
func TestRefusalsOfContent(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ status, code int }{
		"malformed": {400, 50035}, "empty": {400, 50006}, "AutoMod": {400, 200000}, "AutoMod, a title": {400, 200001},
		"a link": {400, 240000}, "too large": {413, 40005}, "too large for a proxy": {413, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := newOffice(t, unlimited())
			o.errors = o.actions // all in one
			o.discord.Inject(discordtest.Fault{
				Method: http.MethodPost, Route: discordtest.RouteMessages, Status: test.status, Times: 1,
				Body: fmt.Sprintf(`{"message":"no","code":%d}`, test.code), Header: http.Header{"Content-Type": {"application/json"}},
			})
			p := o.newProcess(t, "", hasty())
			p.Post(action("refused"))
			p.Start()
			await(t, o.actions, "a stub", func() bool { return told(o.actions, "can't be shown") == 1 })
			if s := p.Status()[0]; s.Retried != 0 || s.Trouble != "" {
				t.Errorf("the status is %+v", s)
			}
		})
	}
}

// A message is posted, the answer is lost, and staff delete it before it is sent
// again: it was there. What Discord says to its nonce ends the matter
// (discord-api-docs#6647).
func TestANonceOfADeletedMessage(t *testing.T) {
	t.Parallel()
	o := newOffice(t, unlimited())
	o.errors = o.actions // all in one
	p := o.newProcess(t, "", hasty())
	lose := o.discord.Inject(discordtest.Fault{Method: http.MethodPost, Route: discordtest.RouteMessages, After: true, Hang: true, Times: 1})
	p.Post(action("deleted"))
	p.Start()
	await(t, o.actions, "it is posted", func() bool { return len(titles(o.actions)) == 1 })
	deleteMessage(t, o.actions)
	lose()
	eventually(t, "it is done with", func() bool { return p.Status()[0].Sent == 1 && p.Status()[0].Waiting == 0 })
	p.Post(action("next"))
	await(t, o.actions, "what came later", func() bool { return len(titles(o.actions)) > 0 })
	p.stop(t)
	if got := titles(o.actions); !slices.Equal(got, []string{"next"}) {
		t.Errorf("the channel shows %q", got)
	}
	if s := p.Status()[0]; s.Sent != 2 || s.Retried != 1 {
		t.Errorf("%d requests were taken and %d failed", s.Sent, s.Retried)
	}
}

// told is how many entries of a channel hold a text in their title.
func told(ch *discordtest.Channel, text string) int {
	return len(slices.DeleteFunc(titles(ch), func(title string) bool { return !strings.Contains(title, text) }))
}

// TestACallThatSucceedsWakesAChannel, whose next attempt would be an hour later: one to another channel.
func TestACallThatSucceedsWakesAChannel(t *testing.T) {
	t.Parallel()
	o := newOffice(t, unlimited())
	o.discord.ExpectFailures()
	timing := hasty()
	timing.RetryFirst, timing.RetryMost = time.Hour, time.Hour
	p := o.newProcess(t, redistest.StartMiniredis(t).URL(), timing)
	back := o.discord.Inject(discordtest.Overloaded("", ""))
	p.Start()
	p.Post(action("waits"))
	eventually(t, "Discord does not take it", func() bool { return p.Status()[0].Trouble != "" })
	<-time.After(2 * time.Second) // which is what counts as an outage
	if err := p.discord.Get(t.Context(), "gateway/bot", nil); err == nil {
		t.Error("Discord answers")
	}
	back()
	p.Post(failure("succeeds", 1))
	await(t, o.actions, "what waited", func() bool { return told(o.actions, "waits") == 1 })
}

// A Redis that is away for a moment changes nothing but the time it takes.
func TestRedisIsAwayForAMoment(t *testing.T) {
	redistest.Parallel(t)
	redistest.EachServer(t, func(t *testing.T, server *redistest.Server) {
		o := newOffice(t, unlimited())
		p := o.newProcess(t, server.URL(), hasty())
		server.Stop()
		p.Start()
		for _, title := range numbered(150) {
			p.Post(action(title))
		}
		if n := p.log.Count("kept in memory only"); n != 1 {
			t.Errorf("the process log tells of it %d times, the status is %+v", n, p.Status()[0])
		}
		eventually(t, "the status counts them", func() bool { return p.Status()[0].Waiting == 150 })
		if n := len(titles(o.actions)); n != 0 {
			t.Errorf("%d entries were delivered by a process that cannot know whether another one does", n)
		}
		server.Restart()
		await(t, o.actions, "all actions", func() bool { return len(titles(o.actions)) >= 150 })
		eventually(t, "the process log tells of the end", func() bool { return p.log.Count("redis is back") == 1 })
		if got := titles(o.actions); !slices.Equal(got, numbered(150)) {
			t.Errorf("the channel shows %q", got)
		}
	})
}

// A program that ends without Redis delivers what it can.
func TestClosingWithoutRedis(t *testing.T) {
	redistest.Parallel(t)
	redistest.EachServer(t, func(t *testing.T, server *redistest.Server) {
		o := newOffice(t, unlimited())
		p := o.newProcess(t, server.URL(), hasty())
		server.Stop()
		p.Start()
		for _, title := range numbered(12) {
			p.Post(action(title))
		}
		p.stop(t)
		if got := titles(o.actions); !slices.Equal(got, numbered(12)) {
			t.Errorf("the channel shows %q", got)
		}
	})
}

// A program that has no time left to deliver still records what it counted.
func TestClosingWhileDiscordHangs(t *testing.T) {
	redistest.Parallel(t)
	redistest.Each(t, func(t *testing.T, url string) {
		o := newOffice(t, unlimited())
		o.discord.Inject(discordtest.Fault{Route: discordtest.RouteMessages, Hang: true})
		p, client := o.newProcess(t, url, hasty()), redistest.Connect(t, url)
		p.Post(failure("restart", 1))
		p.Start()
		eventually(t, "it is being sent", func() bool {
			return strings.Contains(client.HGet(t.Context(), "hostbot:{logs}:record:"+o.errors.ID, "r").Val(), `"plan"`)
		})
		for i := range 20 {
			p.Post(failure("restart", 2+i))
		}
		p.close()
		told := 0 // mostly in two entries; a slow machine asks Redis while they are counted
		for id, content := range client.HGetAll(t.Context(), "hostbot:{logs}:entries:"+o.errors.ID).Val() {
			var e struct{ Tally struct{ Count int } }
			if err := json.Unmarshal([]byte(content), &e); err != nil {
				t.Errorf("%s: %v", id, err)
			}
			told += e.Tally.Count
		}
		if n := waiting(t, client, o.errors); n < 2 || n == 21 || told != 21 {
			t.Errorf("Redis has %d entries, which tell of %d errors", n, told)
		}
		if p.log.Count("are lost") > 0 {
			t.Error("the process log tells of a loss")
		}
	})
}

// TestRedisIsBackBeforeDiscord has Redis return while an entry is being delivered from the
// process's memory, which Discord does not take.
func TestRedisIsBackBeforeDiscord(t *testing.T) {
	redistest.Parallel(t)
	redistest.EachServer(t, func(t *testing.T, server *redistest.Server) {
		o := newOffice(t, unlimited())
		o.errors = o.actions // all in one
		mend := o.discord.Inject(discordtest.Fault{Route: discordtest.RouteMessages, Status: http.StatusForbidden})
		timing := hasty()
		timing.Grace = time.Millisecond
		p := o.newProcess(t, server.URL(), timing)
		server.Stop()
		p.Start()
		p.Post(action("action 0"))
		eventually(t, "it is sent", func() bool { return p.Status()[0].Trouble != "" })
		server.Restart()
		p.Post(action("action 1"))
		client := redistest.Connect(t, server.URL())
		eventually(t, "Redis has both, and the leader has begun", func() bool {
			_, begun := kept(t, client, o.actions)["record:"]
			return begun && waiting(t, client, o.actions) == 2
		})
		p.close()
		if p.log.Count("are lost") > 0 {
			t.Errorf("the log says %s", p.log.String())
		}
		mend()
		o.newProcess(t, server.URL(), hasty()).Start()
		await(t, o.actions, "all actions", func() bool { return slices.Equal(titles(o.actions), numbered(2)) })
	})
}
