//go:build integration

package bench_test

import (
	"testing"
	"time"

	"hostbot/bot/testing/loadgen"
)

// manyUsers are more customers than any cache in a process should hold.
const manyUsers = 100_000

// BenchmarkMemory has a hundred thousand customers type /bot list in turn, and
// reports how much memory the program holds when idle, after a tenth of them
// all, and after all: run it with -benchtime 1000000x.
func BenchmarkMemory(b *testing.B) {
	for _, c := range candidates(b) {
		b.Run("program="+c.name, func(b *testing.B) {
			p := c.start(b, botsEach)
			idle := p.restingMB(b)
			n := 0
			ask := func(until int) {
				users := loadgen.Users(manyUsers)
				if _, err := loadgen.Closed(p.discord, users, 32, func() bool { n++; return n <= until }); err != nil {
					b.Fatal(err)
				}
			}
			b.ResetTimer()
			ask(b.N / 10)
			early := p.residentMB(b)
			ask(b.N)
			late := p.residentMB(b)
			b.ReportMetric(idle, "idle-MB")
			b.ReportMetric(early, "tenth-MB")
			b.ReportMetric(late, "resident-MB")
			b.ReportMetric(late-early, "grown-MB")
		})
	}
}

// rest is how long a program is left alone before what it holds when idle is read: it has done by then what
// it does again and again.
const rest = 30 * time.Second

// restingMB returns how much memory the program holds when it has rested.
func (p *program) restingMB(b *testing.B) float64 {
	b.Helper()
	<-time.After(rest)
	return p.residentMB(b)
}
