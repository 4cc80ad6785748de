package bot

import (
	"context"
	"time"

	"hostbot/bot/interaction"
	"hostbot/bot/panel"
	"hostbot/bot/watcher"
)

// openPanels makes what keeps panels true.
func (b *Bot) openPanels() {
	timing := panel.DefaultTiming()
	interval := time.Duration(b.settings.Watch.Interval)
	timing.Between = min(timing.Between, 3*interval) // less only in tests, whose interval is shorter than any that can be set
	timing.Check = min(timing.Check, 6*interval)
	b.panels = panel.New(panel.Config{
		Redis: b.redis.Client, Discord: b.discord, Watching: b.watcher, Log: b.log, Timing: timing,
		Draw: func(ctx context.Context, p panel.Panel) (interaction.Message, error) {
			return b.handlers.DrawPanel(ctx, p)
		},
	})
	b.watcher.Observe(b.panelsChanged)
}

// panelsChanged is told what changed in accounts that are watched.
func (b *Bot) panelsChanged(ctx context.Context, changes []watcher.Change) error {
	for _, c := range changes {
		if err := b.panels.Changed(ctx, c.CustomerID); err != nil {
			return err
		}
	}
	return nil
}

// runPanels keeps panels true until ctx is done.
func (b *Bot) runPanels(ctx context.Context) {
	if b.watcher.On() {
		b.panels.Run(ctx)
	}
}
