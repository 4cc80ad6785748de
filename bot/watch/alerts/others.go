package alerts

import (
	"context"
	"time"
)

// What sends direct messages beside alerts does so behind the same brake and holds.

// Introduce opens the DM with somebody new, sends the first message, and returns the channel. The error
// is ErrClosed where that person takes none, and ErrLater where Discord takes none for now.
func (a *Alerts) Introduce(ctx context.Context, to Recipient) (channelID string, err error) {
	return a.introduce(ctx, to)
}

// HeldFor returns for how long no direct message is to be sent, as Discord refuses all; 0 if it does not.
func (a *Alerts) HeldFor(ctx context.Context) (time.Duration, error) { return a.left(ctx, allHold) }
