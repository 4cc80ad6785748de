//go:build integration

package bench_test

import (
	"testing"
	"time"
)

// BenchmarkStart starts the program, and reports how long it takes from its
// execution to when it serves with its commands registered. The time of an
// operation includes what is started for it, and its end.
func BenchmarkStart(b *testing.B) {
	for _, c := range candidates(b) {
		b.Run("program="+c.name, func(b *testing.B) {
			var ready time.Duration
			for b.Loop() {
				p := c.start(b, botsEach)
				ready += p.ready
				if err := p.process.Stop(); err != nil {
					b.Error(err)
				}
			}
			b.ReportMetric(ready.Seconds()*1e3/float64(b.N), "ready-ms")
		})
	}
}
