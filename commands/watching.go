package commands

import (
	"context"
	"time"

	"hostbot/bot/history"
	"hostbot/bot/interaction"
	"hostbot/bot/panel"
)

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

// watchers serves what takes watching, which may have been turned off since a button
// was drawn.
func (c *Commands) watchers(h interaction.Handler) interaction.Handler {
	return func(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
		if !c.watch.offered() {
			return interaction.Response{}, refuse("accounts are not watched", "history.off")
		}
		return h(ctx, r)
	}
}
