// Command playground runs the bot on one machine with nothing to install or
// configure: the bot's own code among an embedded Discord, hosting service and
// Redis, and a web page to use it as a Discord user would, to see what happens
// underneath, and to break what it depends on.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	stdlog "log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/rs/zerolog"

	"hostbot/bot/ops/logging"
	"hostbot/bot/store/redisclient"
	"hostbot/configs"
)

// preferredAddr is where the page is while the port is free.
const preferredAddr = "127.0.0.1:8642"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, usualTiming(), os.Args[1:], os.Stdout, os.Stderr); err != nil {
		_, _ = fmt.Fprintln(os.Stderr, "playground:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, timing timing, args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("playground", flag.ContinueOnError)
	flags.SetOutput(stderr)
	addr := flags.String("addr", "", "address of the page (default "+preferredAddr+", or a free port)")
	watch := flags.Duration("watch", timing.Watch, "how often the bot looks at accounts with alerts or a panel")
	verbose := flags.Bool("v", false, "show the bot's process log")
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return nil
		}
		return err
	}
	out := io.Discard
	if *verbose {
		out = stderr
	}
	log := logging.New(configs.Log{Level: zerolog.DebugLevel, Format: "console"}, out)
	redisclient.RedirectLibraryLog(log)
	stdlog.SetFlags(0)
	stdlog.SetOutput(log) // what other libraries and net/http's servers print

	timing.Watch = *watch
	changes := newChanges()
	parts, err := startParts(timing, changes.tell)
	if err != nil {
		return err
	}
	defer parts.close()
	people := settle(parts)
	for _, someone := range people {
		parts.activity.Know(someone.ID)
	}
	if err := remember(parts, people[0]); err != nil {
		return err
	}
	b, err := newBot(parts, log)
	if err != nil {
		return err
	}
	page := newPlayground(parts, people, b.Waits, changes)

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
