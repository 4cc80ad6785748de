package processes_test

import (
	"net/http"
	"testing"
	"time"

	"hostbot/bot/discordtest"
)

// TestSlowDiscordIsStillDiscord has Discord take its time with each first
// response: before it takes it, or between that and its word on it.
func TestSlowDiscordIsStillDiscord(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]discordtest.Fault{
		"taken after 0.8 s":           {Delay: 800 * time.Millisecond},
		"taken at once, said in 0.8s": {Delay: 800 * time.Millisecond, After: true},
		"taken after 1.5 s":           {Delay: 1500 * time.Millisecond},
		"taken at once, said in 1.5s": {Delay: 1500 * time.Millisecond, After: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, setting{})
			w.start(t)
			fault.Method, fault.Route = http.MethodPost, discordtest.RouteCallback
			w.discord.Inject(fault)
			if _, done := restartAll(t, w.customers("c", 10), 10); done != 10 {
				t.Errorf("%d of 10 restarts were done", done)
			}
		})
	}
}
