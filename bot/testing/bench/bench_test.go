//go:build integration

// Package bench_test measures the program, and other bots beside it.
package bench_test

import (
	"flag"
	"fmt"
	"strings"
	"testing"

	"hostbot/bot/testing/e2e/world"
	"hostbot/bot/testing/loadgen"
)

func TestMain(m *testing.M) {
	flag.Var(&peers{}, "peer", "`name=command` of another bot to measure beside this one; may be repeated")
	flag.String("floor", "", "`command` of a program that makes the calls that cannot be done without and nothing else, to measure beside this one")
	world.Main(m)
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

const (
	// warmUsers is how many customers there are where every account is cached.
	warmUsers = 1000
	// botsEach is how many bots a customer has.
	botsEach = 10
)

// BenchmarkList has customers type /bot list, each of whom has ten bots, with
// all accounts cached. The bot is the program as it is built, a process of its
// own, on a Redis of its own; so are the peers. The time of an operation is the
// load's; what it costs the program is in the metrics. Of several runs, in which the
// programs have their turns, benchstat shows the medians.
func BenchmarkList(b *testing.B) {
	var programs []*program
	for _, c := range candidates(b) {
		p := c.start(b, botsEach)
		p.warm(b, warmUsers)
		programs = append(programs, p)
	}
	for _, load := range []load{{underWay: 32}, {perSecond: 300}, {perSecond: 1000}} {
		for _, p := range programs {
			b.Run(fmt.Sprintf("load=%s/program=%s", load, p.name), func(b *testing.B) { p.measure(b, load, warmUsers) })
		}
	}
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

func (l load) run(d *loadgen.Discord, users loadgen.Crowd, more func() bool) (*loadgen.Latencies, error) {
	if l.perSecond > 0 {
		return loadgen.Rate(d, users, l.perSecond, more)
	}
	return loadgen.Closed(d, users, l.underWay, more)
}
