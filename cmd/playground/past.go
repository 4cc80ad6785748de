package main

import (
	"context"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/rs/zerolog"

	"hostbot/bot/discord/rest"
	"hostbot/bot/store/keyspace"
	"hostbot/bot/watch/history"
	"hostbot/bot/watch/panel"
	"hostbot/bot/watch/watcher"
	"hostbot/commands"
	"hostbot/hostapi"
	"hostbot/hostapi/accounts"
	"hostbot/hostapi/hostapitest"
	"hostbot/hostapi/secret"
)

// kept returns a client of the Redis where the bot keeps what it knows, for the caller to close, and the space of its keys.
func (p *parts) kept() (*redis.Client, keyspace.Space) {
	return redis.NewClient(&redis.Options{Addr: p.redis.Addr(), ContextTimeoutEnabled: true}), keyspace.Of(secret.Text(p.discord.Token()))
}

// remember has the bot know the past of a customer's bots, as if it had watched them for
// a month, and gives them a panel in #general. It is called before the bot starts.
func remember(p *parts, customer person) error {
	ctx := context.Background()
	client, space := p.kept()
	defer func() { _ = client.Close() }()
	wake := func(context.Context, string, ...string) {} // no leader is there yet, which will find what is due
	watch := watcher.New(watcher.Config{Redis: client, Space: space, Interval: p.timing.Watch, Wake: wake, Log: zerolog.Nop()})

	var known accounts.Snapshot
	fields := []any{history.FieldAt, time.Now().Unix()}
	var bots []string
	for _, s := range p.service.Servers(customer.ID) {
		bots, known.List.Servers = append(bots, s.ID), append(known.List.Servers, hostapi.Server{ID: s.ID, Name: s.Name, Status: s.Status})
		fields = append(fields, history.Field(s.ID), history.Encode(pastOf(s)...))
	}
	if err := client.HSet(ctx, history.AccountKey(space, customer.ID), fields...).Err(); err != nil {
		return err
	}
	discord := rest.New(secret.Text(p.discord.Token()), p.discord.URL())
	defer discord.Close()
	interval := func() time.Duration { return p.timing.Watch }
	drawn := commands.New(commands.Config{Texts: p.texts, Hosting: everything{}, Watch: commands.Watch{
		History: history.New(client, space, interval), Interval: interval,
		Known: func(context.Context, string) (accounts.Snapshot, error) {
			known.FetchedAt = time.Now() // however slow the machine is
			return known, nil
		},
	}})
	panels := panel.New(panel.Config{
		Redis: client, Space: space, Discord: discord, Watching: watch, Wake: wake, Log: zerolog.Nop(), Timing: panel.Timing{Work: time.Minute}, // and due at once
		Draw: drawn.DrawPanel, // as the bot does
	})
	general := p.discord.Channels()[0]
	_, err := panels.Create(ctx, panel.Panel{ID: "1", OwnerID: customer.ID, GuildID: p.discord.GuildID(), ChannelID: general.ID, Bots: bots, Locale: customer.Locale})
	return err
}

// everything is a hosting service that has all operations.
type everything struct{ commands.Hosting }

func (everything) Offers(hostapi.Operation) bool { return true }

// pastOf is a month of a bot that ends with how it is now.
func pastOf(s hostapitest.Server) []history.Entry {
	ago := func(days float64, state hostapi.State) history.Entry {
		return history.Entry{At: time.Now().Add(-time.Duration(days * 24 * float64(time.Hour))), State: state}
	}
	past := []history.Entry{
		ago(26, hostapi.StateRunning), ago(17, hostapi.StateCrashed), ago(16.8, hostapi.StateRunning), ago(12, history.Unwatched), ago(11.2, hostapi.StateRunning),
		ago(5, hostapi.StateError), ago(4.9, hostapi.StateRunning), ago(2.3, hostapi.StateStopped), ago(1.6, hostapi.StateStarting),
		ago(1.59, hostapi.StateRunning), ago(0.4, hostapi.StateCrashed), ago(0.38, hostapi.StateRunning),
	}
	if now := hostapi.StateOf(s.Status); now != hostapi.StateRunning {
		past = append(past, ago(0.1, now))
	}
	return past
}
