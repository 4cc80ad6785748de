package panel_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/bwmarrin/discordgo"
	"github.com/redis/go-redis/v9"
	"github.com/rs/zerolog"

	"hostbot/bot/discord/rest"
	"hostbot/bot/interaction"
	"hostbot/bot/watch/panel"
	"hostbot/bot/watch/watcher"
	"hostbot/hostapi/redistest"
)

// counting is a Discord that takes each message, and counts those that are posted.
type counting struct{ posted int }

func (c *counting) CreateMessage(context.Context, string, string, interaction.Message) (string, error) {
	c.posted++
	return "1", nil
}

func (*counting) EditMessage(context.Context, string, string, interaction.Message) error { return nil }

func (*counting) DeleteMessage(context.Context, string, string) error { return nil }

func (*counting) LatestMessages(context.Context, string, int) ([]rest.Posted, error) { return nil, nil }

func (*counting) Watch(context.Context, string, watcher.Reason) error { return nil }

func (*counting) Unwatch(context.Context, string, watcher.Reason) error { return nil }

// FuzzPanel has Redis hold anything in the place of a panel. It may be lost by that, is posted once
// at most, and keeps nothing else back.
func FuzzPanel(f *testing.F) {
	for _, record := range []string{
		"", "{", "null", "[]", `{"id":"1","owner":"2","channel":"3","bots":["shop"],"message":{"id":"9","posts":1}}`,
		`{"edited":99999999999999,"message":{"tried":99999999999999,"posts":-9,"stale":"x","left":["","1"]}}`, `{"edited":-1,"message":{"posts":9223372036854775807}}`,
	} {
		f.Add("1", "1", record)
		f.Add("", "1", record)
		f.Add("x", "9", record)
	}
	client, discord := redistest.Connect(f, redistest.StartMiniredis(f).URL()), &counting{}
	timing := panel.DefaultTiming()
	p := panel.New(panel.Config{
		Redis: client, Discord: discord, Watching: discord, Wake: func(context.Context, string, ...string) {}, Log: zerolog.Nop(), Timing: timing,
		Draw: func(_ context.Context, p panel.Panel) (interaction.Message, error) {
			return interaction.Message{Embeds: []*discordgo.MessageEmbed{{Description: strings.Join(p.Bots, " ")}}}, nil
		},
		Bare: func(panel.Panel) interaction.Message { return interaction.Message{Content: "bare"} },
	})
	work := p.Work()
	f.Fuzz(func(t *testing.T, version, format, record string) {
		ctx := t.Context()
		client.FlushAll(ctx)
		discord.posted = 0
		client.HSet(ctx, "hostbot:{panels}:record:1", "v", version, "f", format, "r", record, "o", "2")
		client.SAdd(ctx, "hostbot:{panels}:of:2", "1")
		for range 2 {
			client.ZAdd(ctx, work.Due, redis.Z{Member: "1"})
			if again, err := work.Reconcile(ctx, "1"); err != nil || again > work.Farthest() {
				t.Errorf("the panel is looked at after %v (%v)", again, err)
			}
		}
		if discord.posted > 1 {
			t.Errorf("the panel was posted %d times", discord.posted)
		}
		if err := p.Changed(ctx, []watcher.Change{{CustomerID: "2", ServerID: "shop", At: time.Now()}}); err != nil {
			t.Errorf("a change cannot be told: %v", err)
		}
		if _, err := p.Forget(ctx, "2"); err != nil {
			t.Errorf("the owner's panels cannot be forgotten: %v", err)
		}
	})
}
