package bot

import (
	"context"
	"fmt"
	"time"
)

// Supervisor is who has started the process and wants to know how it fares, such as systemd.
type Supervisor interface {
	// Started is told once, when the process runs and listens, whether Discord can be reached or not.
	Started()
	// Status is told in a few words what the process does, whenever that has changed.
	Status(text string)
	// Stopping is told once that the process begins to stop.
	Stopping()
}

// statusPause is between two looks whether there is something to tell a supervisor.
const statusPause = 2 * time.Second

// Supervise has a supervisor be told how the process fares. It is called before Run.
func (b *Bot) Supervise(s Supervisor) { b.supervisor = s }

// tellSupervisor tells the supervisor, if there is one, until ctx is done.
func (b *Bot) tellSupervisor(ctx context.Context) {
	if b.supervisor == nil {
		return
	}
	b.supervisor.Started()
	ticker := time.NewTicker(statusPause)
	defer ticker.Stop()
	for told := ""; ; {
		if now := b.status(); now != told {
			b.supervisor.Status(now)
			told = now
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			b.supervisor.Stopping()
			return
		}
	}
}

// status says in a few words what the process does.
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
