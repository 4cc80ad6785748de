// Command playground runs the bot on one machine with nothing to install or
// configure: the bot's own code among an embedded Discord, hosting service and
// Redis, and a web page to use it as a Discord user would.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/rs/zerolog"

	"hostbot/bot"
	"hostbot/bot/discordtest"
	"hostbot/bot/redisconn"
	"hostbot/configs"
	"hostbot/hostapi/hostapitest"
)

// preferredAddr is where the page is while the port is free.
const preferredAddr = "127.0.0.1:8642"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout, os.Stderr); err != nil {
		_, _ = fmt.Fprintln(os.Stderr, "playground:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("playground", flag.ContinueOnError)
	flags.SetOutput(stderr)
	addr := flags.String("addr", "", "address of the page (default "+preferredAddr+", or a free port)")
	verbose := flags.Bool("v", false, "show the bot's process log")
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return nil
		}
		return err
	}

	discord, err := discordtest.Start(discordtest.Config{})
	if err != nil {
		return err
	}
	defer func() { _ = discord.Close() }()
	service, err := hostapitest.Start(hostapitest.Options{AllowViolations: true})
	if err != nil {
		return err
	}
	defer service.Close()
	staff := discord.AddChannel("bot-log")

	log := zerolog.Nop()
	if *verbose {
		log = zerolog.New(zerolog.ConsoleWriter{Out: stderr, TimeFormat: time.TimeOnly}).With().Timestamp().Logger()
	}
	redisconn.RedirectLibraryLog(log)
	b, err := newBot(discord, service, staff.ID, log)
	if err != nil {
		return err
	}
	page := newPlayground(discord, people(discord, service))
	defer page.close()

	listener, err := listen(*addr)
	if err != nil {
		return err
	}
	server := &http.Server{Handler: page.routes(), ReadHeaderTimeout: 5 * time.Second}
	go func() { _ = server.Serve(listener) }()
	defer func() { _ = server.Close() }()

	_, _ = fmt.Fprintf(stdout, "The playground is at http://%s — stop it with Ctrl+C.\n", listener.Addr())
	return b.Run(ctx)
}

// newBot makes the bot as cmd/hostbot does, from settings.
func newBot(discord *discordtest.Server, service *hostapitest.Service, logChannel string, log zerolog.Logger) (*bot.Bot, error) {
	settings, err := configs.Load("", []string{
		"DISCORD_TOKEN=" + discord.Token(),
		"DISCORD_API_URL=" + discord.URL(),
		"HOSTAPI_URL=" + service.URL(),
		"HOSTAPI_SECRET=" + service.Secret(),
		"LOG_CHANNEL_ID=" + logChannel,
		"HTTP_ADDR=off",
	})
	if err != nil {
		return nil, err
	}
	return bot.New(settings, "playground", log)
}

// listen prefers one port, so that a page that is open goes on after a restart.
func listen(addr string) (net.Listener, error) {
	if addr != "" {
		return net.Listen("tcp", addr)
	}
	if listener, err := net.Listen("tcp", preferredAddr); err == nil {
		return listener, nil
	}
	return net.Listen("tcp", "127.0.0.1:0")
}
