// Command disgo is the bot for orders on disgo.
package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/disgoorg/disgo"
	"github.com/disgoorg/disgo/bot"
	"github.com/disgoorg/disgo/gateway"
	"github.com/disgoorg/disgo/handler"
	"github.com/disgoorg/disgo/rest"
)

func main() {
	if err := run(); err != nil {
		slog.Error("bot ended", slog.Any("err", err))
		os.Exit(1)
	}
}

func run() error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()

	client, err := disgo.New(os.Getenv("DISCORD_TOKEN"),
		bot.WithRestClientConfigOpts(rest.WithURL(fmt.Sprintf("%s/v%d", os.Getenv("DISCORD_API_URL"), rest.Version))),
		bot.WithGatewayConfigOpts(gateway.WithIntents(gateway.IntentGuilds)),
		bot.WithEventManagerConfigOpts(bot.WithAsyncEventsEnabled()),
		bot.WithEventListeners(router()),
	)
	if err != nil {
		return err
	}
	defer func() {
		closing, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		client.Close(closing)
	}()

	if err := handler.SyncCommands(client, commands, nil); err != nil {
		return fmt.Errorf("register commands: %w", err)
	}
	if err := client.OpenGateway(ctx); err != nil {
		return fmt.Errorf("open gateway: %w", err)
	}
	<-ctx.Done()
	return nil
}

func router() *handler.Mux {
	r := handler.New()
	r.Route("/order", func(r handler.Router) {
		r.SlashCommand("/create", createOrder)
		r.Autocomplete("/create", completeItem)
		r.SlashCommand("/status", showStatus)
		r.ButtonComponent("/confirm", confirm)
		r.ButtonComponent("/ship", ship)
		r.ButtonComponent("/comment", askComment)
		r.Modal("/comment", comment)
		r.SelectMenuComponent("/size", chooseSize)
	})
	r.SlashCommand("/announce", announce)
	r.SlashCommand("/feedback", askFeedback)
	r.Modal("/feedback", feedback)
	r.SlashCommand("/count", count)
	r.SlashCommand("/help", help)
	r.UserCommand("/Greet", greet)
	r.Error(func(_ *handler.InteractionEvent, err error) { slog.Error("interaction failed", slog.Any("err", err)) })
	return r
}
