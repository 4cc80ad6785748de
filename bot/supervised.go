package bot

import (
	"context"
	"fmt"
	"time"

	"github.com/coreos/go-systemd/v22/daemon"
)

// statusPause is how often it is checked whether the status has changed.
const statusPause = 2 * time.Second

// Supervise has Run notify who has started the process of its state, in the form of systemd's
// (https://www.freedesktop.org/software/systemd/man/latest/sd_notify.html). It is called before Run.
func (b *Bot) Supervise(notify func(state string)) { b.supervisor = notify }

// tellSupervisor notifies the supervisor, if there is one, until ctx is done. The process counts as started even if
// Discord is away: otherwise systemd would end it after TimeoutStartSec.
func (b *Bot) tellSupervisor(ctx context.Context) {
	if b.supervisor == nil {
		return
	}
	b.supervisor(daemon.SdNotifyReady)
	ticker := time.NewTicker(statusPause)
	defer ticker.Stop()
	for last := ""; ; {
		if now := b.status(); now != last {
			b.supervisor("STATUS=" + now)
			last = now
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			b.supervisor(daemon.SdNotifyStopping)
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
