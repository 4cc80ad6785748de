package world

import (
	"context"

	"hostbot/bot/testing/patience"
)

// Patience is how long a test waits for what should come at once.
const Patience = patience.Limit

// Log is a process log that can be waited upon.
type Log = patience.Log

// Eventually waits until something is so, and returns false where ctx is done before that.
func Eventually(ctx context.Context, yes func() bool) bool { return patience.Eventually(ctx, yes) }
