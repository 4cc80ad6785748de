package bench_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"

	"hostbot/bot/loadgen"
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

// BenchmarkAccounts has more and more customers, whose accounts are cached, type
// /bot list.
func BenchmarkAccounts(b *testing.B) {
	ours := candidates(b)[0]
	for _, accounts := range []int{1_000, 10_000, 100_000, 1_000_000} {
		b.Run(fmt.Sprintf("accounts=%d", accounts), func(b *testing.B) {
			p := ours.start(b, botsEach)
			p.warm(b, 1)
			p.copyAccount(b, loadgen.Users(accounts))
			p.measure(b, load{underWay: 8}, loadgen.Users(accounts))
			b.ReportMetric(p.redisBytesAnAccount(b), "redis-B/account")
		})
	}
}

// copyAccount gives every user the first one's fresh account, under their own ID:
// to ask the service for a million takes minutes.
func (p *program) copyAccount(b *testing.B, users loadgen.Users) {
	b.Helper()
	keys, err := p.redis.Keys(b.Context(), "*{"+users.ID(0)+"}").Result()
	if err != nil || len(keys) != 1 {
		b.Fatalf("cached accounts %v, error %v", keys, err)
	}
	value, err := p.redis.Get(b.Context(), keys[0]).Result()
	if err != nil {
		b.Fatal(err)
	}
	const atOnce = 1000
	for from := 1; from < int(users); from += atOnce {
		_, err := p.redis.Pipelined(b.Context(), func(pipe redis.Pipeliner) error {
			for n := from; n < min(from+atOnce, int(users)); n++ {
				own := strings.NewReplacer(users.ID(0), users.ID(n)) // of the same length
				pipe.Set(b.Context(), own.Replace(keys[0]), own.Replace(value), 0)
			}
			return nil
		})
		if err != nil {
			b.Fatal(err)
		}
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
