package bot

import "time"

// Waits is for how long the bot leaves what it depends on alone, after failures or because it was
// asked to. A time that is zero or over says that it does not wait.
type Waits struct {
	Service, Discord, Gateway time.Time
	// ServiceDown says that the hosting service counts as away until a call shows otherwise.
	ServiceDown bool
}

// Waits returns what the bot waits for at the moment. cmd/playground shows it: there somebody sits
// and waits for the next attempt.
func (b *Bot) Waits() Waits {
	return Waits{
		Service: b.service.WaitsUntil(), Discord: b.discord.PausedUntil(), Gateway: time.Unix(0, b.connectsAt.Load()),
		ServiceDown: !b.service.DownSince().IsZero(),
	}
}
