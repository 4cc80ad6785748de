// Command hostbot runs the bot. Its settings are environment variables or a YAML file (package configs). Its commands check
// the settings, and ask a running bot how it is.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	stdlog "log"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"syscall"

	"github.com/rs/zerolog"

	"hostbot/bot"
	"hostbot/bot/ops/logging"
	"hostbot/bot/store/redisclient"
	"hostbot/configs"
)

// Exit codes.
const (
	exitDone    = 0
	exitFailure = 1
	exitMisuse  = 2
)

const usage = `Usage: hostbot [--config FILE] [health [--verbose] | check [--json] [--user ID]]

Serves a hosting company's customers on Discord. Settings are environment
variables, or a YAML file of which configs/hostbot.example.yaml is an example;
the environment wins.

  health          asks the running bot whether it serves; exits 0 or 1; needs
                  no setting but HTTP_ADDR
    --verbose     also prints its verdict, and how each thing fares
  check           tries the settings against Discord, the hosting service and
                  Redis, and says what is wrong; changes nothing; exits 0 or 1
    --json        prints a JSON object for each line
    --user ID     also lists this Discord user's bots, by name and status
  --config FILE   reads settings from a YAML file
  --version       prints the version
  --help          prints this

SIGTERM or Ctrl-C has the bot finish what customers started, within 25 s; a
second one ends it at once.
`

func main() {
	os.Exit(run(os.Args[1:], os.Environ(), os.Stdout, os.Stderr))
}

func run(args, environ []string, stdout, stderr io.Writer) int {
	sendLibrariesLines(zerolog.Nop()) // until there is a log
	o, err := parse(args, stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return exitDone
	case err != nil:
		return exitMisuse
	case o.version:
		_, _ = fmt.Fprintln(stdout, describeVersion())
		return exitDone
	}
	if o.command == "health" {
		return askHealth(o, environ, stdout, stderr)
	}
	settings, err := configs.Load(o.config, environ)
	if err != nil {
		_, _ = fmt.Fprintln(stderr, err)
		return exitMisuse
	}
	doubts := configs.Doubts(settings, environ)
	if o.command == "check" {
		return runCheck(settings, doubts, o, stdout)
	}
	return serve(settings, doubts, stderr)
}

// serve runs the bot until a signal to stop. A second signal ends it at once. If nobody reads the log any more, the bot
// goes on.
func serve(settings *configs.Settings, doubts []configs.Doubt, stderr io.Writer) int {
	signal.Ignore(syscall.SIGPIPE) // otherwise the next line of the log would end the process
	lines := logging.NewWriter(stderr)
	defer lines.Close()
	level := logging.NewLevel(settings.Log.Level)
	log := level.Gate(logging.New(settings.Log, lines))
	if settings.HTTP.PprofAddr == "" {
		runtime.MemProfileRate = 0 // nobody can read the profile
	}
	defer onDebugSignal(func() { level.Raise(log) })()
	sendLibrariesLines(log)
	for _, d := range doubts {
		log.Warn().Str("cure", d.Cure).Msg(d.Found)
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop)

	b, err := bot.New(settings, builtVersion(), log)
	if err == nil {
		b.MeasureBuild(builtFrom())
		b.MeasureLog(lines.Dropped)
		b.AfterStart(debug.FreeOSMemory) // starting takes more than serving does
		manager := systemd{log}
		if os.Getenv("NOTIFY_SOCKET") != "" {
			b.Supervise(manager.tell)
		}
		defer onReloadSignal(manager.around(b.Reload))()
		err = b.Run(ctx)
	}
	if err != nil {
		log.Error().Err(err).Msg("hostbot ends with a failure")
		return exitFailure
	}
	return exitDone
}

// sendLibrariesLines sends to a log what libraries would print on stderr: go-redis's lines, and those that net/http and
// others write to Go's own log.
func sendLibrariesLines(log zerolog.Logger) {
	redisclient.RedirectLibraryLog(log)
	stdlog.SetFlags(0)
	stdlog.SetOutput(log)
}
