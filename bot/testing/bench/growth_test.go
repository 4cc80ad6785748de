//go:build integration

package bench_test

import (
	"fmt"
	"testing"

	"hostbot/bot/testing/loadgen"
)

// BenchmarkBots has customers with more and more bots type /bot list. A page
// shows ten; the account, which is read whole, grows with its bots.
func BenchmarkBots(b *testing.B) {
	ours := candidates(b)[0]
	for _, bots := range []int{1, 10, 100, 1000} {
		b.Run(fmt.Sprintf("bots=%d", bots), func(b *testing.B) {
			p := ours.start(b, bots)
			p.warm(b, 100)
			p.measure(b, load{underWay: 8}, 100)
			b.ReportMetric(p.redisBytesAnAccount(b), "redis-B/account")
		})
	}
}

// redisBytesAnAccount returns what an account takes of Redis's memory while it is
// fresh, its keys and Redis's own keeping of them included.
func (p *program) redisBytesAnAccount(b *testing.B) float64 {
	b.Helper()
	keys, err := p.redis.Keys(b.Context(), "*"+loadgen.Users(1).ID(0)+"*").Result()
	if err != nil || len(keys) == 0 {
		b.Fatalf("cached accounts %v, error %v", keys, err)
	}
	var sum int64
	for _, key := range keys {
		bytes, err := p.redis.MemoryUsage(b.Context(), key).Result()
		if err != nil {
			b.Fatal(err)
		}
		sum += bytes
	}
	return float64(sum)
}
