package commands

import (
	"context"
	"time"

	"hostbot/bot/history"
	"hostbot/commands/chart"
)

// Watching is what is known of accounts that are watched. Without it there is neither
// a history nor a panel.
type Watching struct {
	History interface {
		// Of returns a bot's states from since until now, without holes between, and none
		// where nothing is kept of the bot.
		Of(ctx context.Context, customerID, serverID string, since time.Time) ([]history.Span, error)
	}
	Painter *chart.Painter
}

// Watch has the commands offer what takes watching. It is called before Route.
func (c *Commands) Watch(w Watching) { c.watching = &w }
