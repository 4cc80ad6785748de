package commands

import (
	"context"
	"time"

	"hostbot/bot/history"
	"hostbot/bot/panel"
	"hostbot/commands/chart"
	"hostbot/hostapi/accounts"
)

// Watching is what is known of accounts that are watched. Without it there is neither
// a history nor a panel.
type Watching struct {
	History History
	Panels  Panels
	Painter *chart.Painter
	// Known returns what is known of an account without asking the service.
	Known func(ctx context.Context, customerID string) (accounts.Snapshot, error)
	// Pace returns at which interval accounts are looked at now.
	Pace func() time.Duration
}

// History is what is kept of the states of bots.
type History interface {
	// Of returns a bot's states from since until now, without holes between, and none
	// where nothing is kept of the bot.
	Of(ctx context.Context, customerID, serverID string, since time.Time) ([]history.Span, error)
}

// Panels are customers' public messages about their bots.
type Panels interface {
	// Create tells whether the panel is there, or about to be.
	Create(ctx context.Context, p panel.Panel) (posted bool, err error)
	Of(ctx context.Context, customerID string) ([]panel.Panel, error)
	Remove(ctx context.Context, customerID, id string) (bool, error)
	// Changed has a customer's panels tried again.
	Changed(ctx context.Context, customerID string) error
}

// Watch has the commands offer what takes watching. It is called before Route.
func (c *Commands) Watch(w Watching) { c.watching = &w }
