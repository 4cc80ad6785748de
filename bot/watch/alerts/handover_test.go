package alerts_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"hostbot/bot/discord/rest"
	"hostbot/bot/interaction"
	"hostbot/bot/testing/discordtest"
	"hostbot/bot/watch/notify"
	"hostbot/hostapi/redistest"
)

// hanging is a Discord that answers no new message but the first.
type hanging struct {
	notify.Discord
	messages atomic.Int32
	asked    chan struct{}
}

func (h *hanging) CreateMessage(ctx context.Context, channelID, nonce string, m interaction.Message) (string, error) {
	if h.messages.Add(1) == 1 { // which says that alerts are on
		return h.Discord.CreateMessage(ctx, channelID, nonce, m)
	}
	select {
	case h.asked <- struct{}{}:
	case <-ctx.Done():
	}
	<-ctx.Done()
	return "", &rest.Error{Message: ctx.Err().Error(), Uncertain: true}
}

// TestAlertOfATermThatEndsIsDueAtOnce for the next leader, which need not wait as it would after a
// failure of Discord's.
func TestAlertOfATermThatEndsIsDueAtOnce(t *testing.T) {
	each(t, func(t *testing.T, url string) {
		discord, client := discordtest.RunT(t), redistest.Connect(t, url)
		h := &hanging{asked: make(chan struct{})}
		a, kill := start(t, discord, url, &watched{}, func(c *setup) {
			h.Discord, c.Discord = c.Discord, h
			c.Timing.Work, c.Timing.Retry = time.Hour, time.Hour
		})
		defer kill()
		anna := discord.User("anna")
		turnOn(t, a, anna)
		tell(t, a, fell(anna, "shop", time.Now()))
		<-h.asked
		if err := client.Set(t.Context(), "hostbot:{leader}:lease", "other x", time.Hour).Err(); err != nil {
			t.Fatal(err)
		}
		id := strings.TrimPrefix(recordKey(t, client, anna), "hostbot:{alerts}:record:")
		eventually(t, func() bool {
			due, err := client.ZScore(t.Context(), a.Work().Due, id).Result()
			return err == nil && due <= float64(time.Now().UnixMilli())
		})
	})
}
