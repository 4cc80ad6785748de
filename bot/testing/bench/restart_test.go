//go:build integration

package bench_test

import (
	"testing"

	"hostbot/bot/testing/loadgen"
)

// BenchmarkRestart has customers press Restart on the cards of their bots, with all accounts cached and
// a service that answers within a millisecond. An operation is over when the card says that the bot
// was restarted. The program leads, so the delivery of the lines for staff is counted with it.
func BenchmarkRestart(b *testing.B) {
	p := candidates(b)[0].start(b, botsEach)
	p.warm(b, warmUsers)
	const underWay = 32
	b.Run("program="+p.name, func(b *testing.B) {
		p.measureRun(b, func() (*loadgen.Latencies, error) {
			return loadgen.Restarts(p.discord, loadgen.Users(warmUsers), botsEach, underWay, b.Loop)
		})
	})
}
