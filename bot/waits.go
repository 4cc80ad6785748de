package bot

import "time"

// Waits is until when the bot sends nothing to each dependency, after failures or because it was asked to
// wait. A zero or past time says that it does not wait.
type Waits struct {
	Service, Discord, Gateway time.Time
	ServiceDown               bool // the breaker is open
}

// Waits returns how long the bot waits for its dependencies now. cmd/playground shows it to the user there,
// who is waiting for the next attempt.
func (b *Bot) Waits() Waits {
	return Waits{
		Service: b.service.WaitsUntil(), Discord: b.discord.PausedUntil(), Gateway: time.Unix(0, b.connectsAt.Load()),
		ServiceDown: !b.service.DownSince().IsZero(),
	}
}
