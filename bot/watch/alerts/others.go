package alerts

import (
	"context"
	"time"

	"hostbot/bot/discord/message"
)

// What sends direct messages beside alerts does so behind the same brake and holds.

// Introduce opens the DM with somebody new, sends the first message, and returns the channel. The error
// is ErrClosed where that person takes none, and ErrLater where Discord takes none for now. Whether a
// lost answer hid a message is not known then: the nonce keeps a second try from sending another.
func (a *Alerts) Introduce(ctx context.Context, to Recipient) (channelID string, err error) {
	forgets := func(context.Context, message.State) error { return nil }
	return a.introduce(ctx, to, first{name: "f" + to.CustomerID[max(0, len(to.CustomerID)-19):], keep: forgets})
}

// HeldFor returns for how long no direct message is to be sent, as Discord refuses all; 0 if it does not.
func (a *Alerts) HeldFor(ctx context.Context) (time.Duration, error) { return a.left(ctx, allHold) }
