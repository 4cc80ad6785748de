package bot

import (
	"context"
	"crypto/rand"
	"os"
	"strings"
	"time"

	"hostbot/bot/leader"
)

// How many actions of processes that died are reported at once, and how long one report may
// take.
const (
	reportsAtOnce = 10
	reportLimit   = 30 * time.Second
)

// openLeader makes what elects one replica, to which the other parts add their work.
func (b *Bot) openLeader() {
	b.leader = leader.New(leader.Config{
		Redis: b.redis.Client, Space: b.space, Name: replicaName(), FailingSince: b.discord.FailingSince,
		Log: b.log, Timing: leader.DefaultTiming(),
	})
	b.monitor.Leader(b.leader.Leading)
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
