package bot

import (
	"context"
	"fmt"
	"time"
)

// Supervisor is what has started the process and is notified of its state, such as systemd.
type Supervisor interface {
	// Started is called once the process is running and listening, whether Discord is reachable or not.
	Started()
	// Status is called with what the process does, in a few words, whenever that has changed.
	Status(text string)
	// Stopping is called once the process begins to stop.
	Stopping()
}

// statusPause is how often it is checked whether the status has changed.
const statusPause = 2 * time.Second

// Supervise sets who is notified of the process's state. It is called before Run.
func (b *Bot) Supervise(s Supervisor) { b.supervisor = s }

// tellSupervisor notifies the supervisor, if there is one, until ctx is done.
func (b *Bot) tellSupervisor(ctx context.Context) {
	if b.supervisor == nil {
		return
	}
	b.supervisor.Started()
	ticker := time.NewTicker(statusPause)
	defer ticker.Stop()
	for last := ""; ; {
		if now := b.status(); now != last {
			b.supervisor.Status(now)
			last = now
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			b.supervisor.Stopping()
			return
		}
	}
}

// status returns what the process does, in a few words.
func (b *Bot) status() string {
	switch {
	case b.stopping.Load():
		return "stops"
	case b.Ready() && b.endpoint != nil:
		return "serves interactions over HTTP"
	case b.Ready():
		return fmt.Sprintf("serves %d of Discord's shards", len(b.heldShards()))
	case b.Standby():
		return "stands by: other replicas hold all shards"
	default:
		return "is not connected to Discord, and tries again"
	}
}
