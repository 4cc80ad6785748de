package logchannel_test

import (
	"hostbot/bot/staff/logchannel"
	"hostbot/bot/testing/discordtest"
	"hostbot/hostapi/redistest"
	"net/http"
	"slices"
	"testing"
	"time"
)

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
		p.Post(failure("a", 1))
		eventually(t, "it is sent", func() bool { return p.Status()[0].Trouble != "" })
		server.Restart()
		p.Post(failure("b", 2))
		client := redistest.Connect(t, server.URL())
		eventually(t, "Redis has both", func() bool { return waiting(t, client, o.errors) == 2 })
		p.close()
		if p.log.Count("are lost") > 0 {
			t.Errorf("the log says %s", p.log.String())
		}
		mend()
		o.newProcess(t, server.URL(), hasty()).Start()
		await(t, o.errors, "both", func() bool { return slices.Equal(titles(o.errors), []string{"failure: a", "failure: b"}) })
	})
}

// TestRedisIsAwayForLong: a process delivers errors and what it says of itself without Redis, and counts equal
// errors. The rest waits for Redis, which does not get what was delivered.
func TestRedisIsAwayForLong(t *testing.T) {
	redistest.Parallel(t)
	redistest.EachServer(t, func(t *testing.T, server *redistest.Server) {
		o := newOffice(t, unlimited())
		timing := hasty()
		timing.Grace = time.Millisecond
		p := o.newProcess(t, server.URL(), timing)
		server.Stop()
		p.Start()
		for i, title := range numbered(12) {
			p.Post(action(title))
			p.Post(failure("restart", i))
		}
		p.Post(logchannel.Entry{Category: logchannel.Lifecycle, Line: "stopped"})
		await(t, o.errors, "the errors", func() bool { return counts(t, o.errors)["failure: restart"] == 12 })
		await(t, o.actions, "the line", func() bool { return len(titles(o.actions)) == 1 })
		server.Restart()
		await(t, o.actions, "the actions", func() bool { return len(titles(o.actions)) >= 13 })
		p.stop(t)
		if got := titles(o.actions); !slices.Equal(got, append([]string{"stopped"}, numbered(12)...)) || counts(t, o.errors)["failure: restart"] != 12 {
			t.Errorf("the channel shows %q, and %d errors are counted", got, counts(t, o.errors)["failure: restart"])
		}
	})
}

// TestClosingDrains what Redis would lose with the process, also if this does not lead yet, and records what
// was counted if Redis keeps it.
func TestClosingDrains(t *testing.T) {
	t.Parallel()
	o := newOffice(t, unlimited())
	p := o.newProcess(t, "", hasty())
	for _, title := range numbered(25) {
		p.Post(action(title))
	}
	p.Start()
	p.stop(t)
	if got := titles(o.actions); !slices.Equal(got, numbered(25)) {
		t.Errorf("the channel shows %q", got)
	}
	server := redistest.StartMiniredis(t)
	other := o.newProcess(t, server.URL(), hasty())
	for i := range 20 {
		other.Post(failure("restart", i))
	}
	other.close()
	if n := waiting(t, redistest.Connect(t, server.URL()), o.errors); n != 2 || other.log.Count("are lost") > 0 {
		t.Errorf("Redis has %d entries", n)
	}
}
