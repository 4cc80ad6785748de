package bot_test

import (
	"context"
	"flag"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hostbot/bot/loadtest"
)

// benchmarkFlags adds this package's own flags to those of go test.
func benchmarkFlags() {
	flag.Var(&peers{}, "peer", "`name=command` of another bot to measure beside this one; may be repeated")
	flag.Int("rounds", 1, "`how often` each program is measured under each load, in turn with the others")
}

// peers are other programs by name, as flags give them.
type peers []peer

type peer struct{ name, command string }

func (p *peers) String() string { return fmt.Sprint(*p) }
func (p *peers) Get() any       { return *p }

func (p *peers) Set(text string) error {
	name, command, found := strings.Cut(text, "=")
	if !found {
		return fmt.Errorf("%q is not name=command", text)
	}
	*p = append(*p, peer{name, command})
	return nil
}

func flagValue[T any](name string) T {
	return flag.Lookup(name).Value.(flag.Getter).Get().(T)
}

// warmUsers is how many customers there are where every account is cached.
const warmUsers = 1000

// BenchmarkList has customers type /bot list, each of whom has ten bots, with
// all accounts cached. The bot is the program as it is built, a process of its
// own, on a Redis of its own; so are the peers. The time of an operation is the
// load's; what it costs the program is in the metrics.
func BenchmarkList(b *testing.B) {
	programs := startPrograms(b, 10)
	for _, p := range programs {
		p.warm(b, warmUsers)
	}
	results := newTable(programs)
	for _, load := range []load{{underWay: 32}, {perSecond: 300}, {perSecond: 1000}} {
		for round := range flagValue[int]("rounds") {
			for _, p := range programs {
				b.Run(fmt.Sprintf("load=%s/program=%s/round=%d", load, p.name, round+1), func(b *testing.B) {
					results.add(load, p, p.measure(b, load, warmUsers))
				})
			}
		}
	}
	b.Log("\n" + results.String())
}

// load is a way to put work upon a program: a number of interactions that are
// under way at any time, or a number that arrive every second.
type load struct{ underWay, perSecond int }

func (l load) String() string {
	if l.perSecond > 0 {
		return fmt.Sprintf("%d/s", l.perSecond)
	}
	return fmt.Sprintf("closed-%d", l.underWay)
}

func (l load) run(d *loadtest.Discord, users loadtest.Users, more func() bool) (*loadtest.Latencies, error) {
	if l.perSecond > 0 {
		return loadtest.Rate(d, users, l.perSecond, more)
	}
	return loadtest.Closed(d, users, l.underWay, more)
}

// build builds the program and returns the command that runs it.
func build(b *testing.B) string {
	b.Helper()
	binary := filepath.Join(b.TempDir(), "hostbot")
	// As the Dockerfile does.
	cmd := exec.CommandContext(b.Context(), "go", "build", "-trimpath", "-ldflags", "-s -w", "-o", binary, "../cmd/hostbot")
	cmd.Env = append(cmd.Environ(), "CGO_ENABLED=0")
	if said, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, said)
	}
	return binary
}

// startLimit is how long a program may take until it serves.
const startLimit = 30 * time.Second

func readyWithin(b *testing.B, p *loadtest.Process, d *loadtest.Discord) {
	b.Helper()
	ctx, cancel := context.WithTimeout(b.Context(), startLimit)
	defer cancel()
	if err := p.WaitReady(ctx, d); err != nil {
		b.Fatal(err)
	}
}
