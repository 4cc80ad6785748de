package bot

import (
	"context"
	"crypto/rand"
	"net"
	"os"
	"strconv"
	"strings"
	"sync"

	"hostbot/bot/leader"
)

func (b *Bot) openLeader() {
	b.leader = leader.New(leader.Config{
		Redis: b.redis.Client, Space: b.space, Name: replicaName(b.settings.HTTP.Addr), Silence: b.discord.Silence,
		Version: b.version, OnDead: b.deadLetter, Log: b.log, Timing: leader.DefaultTiming(),
	})
	b.monitor.Leader(b.leader.Leading, b.leader.Letters)
}

// cutOff reports whether Discord has been silent long enough for a leader to resign.
func (b *Bot) cutOff() bool {
	from, until := b.discord.Silence()
	return until.Sub(from) >= leader.DefaultTiming().Resign
}

// addWork adds all kinds of work to the leader. They begin in this order.
func (b *Bot) addWork() {
	b.leader.Add(b.delivery.Work())
	b.leader.Add(b.actions.Work())
	b.leader.Add(b.dms.Work())
	if b.watcher.On() {
		b.leader.Add(b.watcher.Work())
		b.leader.Add(b.alerts.Work())
		if b.settings.Watch.AutoRestart {
			b.leader.Add(b.restarts.Work())
		}
		b.leader.Add(b.schedules.Work())
		b.leader.Add(b.panels.Work())
		b.leader.Add(b.following.Work())
		b.leader.Add(b.channels.Work())
		b.leader.Add(b.announce.Work())
	}
}

// lead takes part in the election until stop is called. stop returns when all work has ended and another
// process may lead.
func (b *Bot) lead(ctx context.Context) (stop func()) {
	leading, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	running.Go(func() { b.leader.Run(leading) })
	return func() { cancel(); running.Wait() }
}

// replicaName returns what operators know this process by: the name of its machine, container or pod, and the port
// of its health and metrics. If the port is not known, the process ID tells several on one machine apart.
func replicaName(httpAddr string) string {
	name, err := os.Hostname()
	if err != nil || name == "" {
		name = rand.Text()
	}
	name = strings.Join(strings.Fields(name), "-")
	if _, port, err := net.SplitHostPort(httpAddr); err == nil && port != "0" {
		return name + ":" + port
	}
	return name + "/" + strconv.Itoa(os.Getpid())
}
