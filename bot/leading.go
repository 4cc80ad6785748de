package bot

import (
	"context"
	"crypto/rand"
	"os"
	"strings"

	"hostbot/bot/leader"
)

// openLeader makes what elects one replica, to which the other parts add their work.
func (b *Bot) openLeader() {
	b.leader = leader.New(leader.Config{
		Redis: b.redis.Client, Space: b.space, Name: replicaName(), Silence: b.discord.Silence,
		Version: b.version, OnDead: b.deadLetter, Log: b.log, Timing: leader.DefaultTiming(),
	})
	b.monitor.Leader(b.leader.Leading, b.leader.Letters)
}

// cutOff reports whether Discord has been silent for so long that a leader resigns.
func (b *Bot) cutOff() bool {
	from, until := b.discord.Silence()
	return until.Sub(from) >= leader.DefaultTiming().Resign
}

// addWork tells the leader what it has to do. What comes first begins first.
func (b *Bot) addWork() {
	b.leader.Add(b.delivery.Work())
	b.leader.Add(b.actions.Work())
	if b.watcher.On() {
		b.leader.Add(b.watcher.Work())
		b.leader.Add(b.dms.Work())
		b.leader.Add(b.alerts.Work())
		b.leader.Add(b.panels.Work())
		b.leader.Add(b.following.Work())
	}
}

// lead takes part in the election until stop is called, which returns when what was begun has
// ended and another process may lead.
func (b *Bot) lead(ctx context.Context) (stop func()) {
	leading, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		b.leader.Run(leading)
	}()
	return func() {
		cancel()
		<-ended
	}
}

// replicaName returns what operators know this process by: the name of its machine, which is
// that of its container or pod, or anything if it has none.
func replicaName() string {
	name, err := os.Hostname()
	if err != nil || name == "" {
		return rand.Text()
	}
	return strings.Join(strings.Fields(name), "-")
}
