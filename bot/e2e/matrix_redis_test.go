package e2e_test

import (
	"strings"
	"testing"

	"hostbot/bot/faultproxy"
)

// redisFaults are told by nothing to customers: everything is asked of the
// service instead.
func redisFaults() []fault {
	toRedis := func(b *broken) *faultproxy.Relay { return b.toRedis }
	away := func(name string, strike func(*testing.T, *broken) func()) fault {
		return fault{
			name: name, strike: strike, unknown: usual, known: usual, acts: usual, keeps: "error.internal",
			staff: "admin ", lifecycle: "Redis does not answer", noticed: "redis does not answer",
		}
	}
	unnoticed := func(name string, strike func(*testing.T, *broken) func()) fault {
		return fault{name: name, strike: strike, unknown: usual, known: usual, acts: usual}
	}
	secure := func(x fault) fault {
		x.secure = true
		return x
	}
	says := func(text string) func(*testing.T, *broken) func() {
		return func(_ *testing.T, b *broken) func() {
			b.kept.SetError(text)
			return func() { b.kept.SetError("") }
		}
	}
	full := unnoticed("full", says("OOM command not allowed when used memory > 'maxmemory'."))
	full.keeps, full.staff = "error.internal", "admin "
	return []fault{
		away("connection refused", relays(toRedis, faultproxy.Refusing)),
		away("connection reset", relays(toRedis, faultproxy.Resetting)),
		away("hanging", relays(toRedis, faultproxy.Hanging)),
		away("slow", relays(toRedis, faultproxy.Slow)),
		away("answers truncated", relays(toRedis, faultproxy.CuttingOff)),
		away("not authorized", says("NOAUTH Authentication required.")),
		away("not permitted", says("NOPERM this user has no permissions to run the command")),
		away("loading", says("LOADING Redis is loading the dataset in memory")),
		full,
		unnoticed("wrong types", keepsInstead(func(b *broken, key string) { _, _ = b.kept.Lpush(key, "1") })),
		unnoticed("garbage", keepsInstead(func(b *broken, key string) { _ = b.kept.Set(key, "{") })),
		unnoticed("huge value", keepsInstead(func(b *broken, key string) { _ = b.kept.Set(key, strings.Repeat(" ", 1<<20)) })),
		unnoticed("gone and back, empty", func(_ *testing.T, b *broken) func() {
			b.toRedis.Set(faultproxy.Refusing)
			b.kept.FlushAll()
			b.toRedis.Set(faultproxy.Open)
			return func() {}
		}),
		secure(away("TLS fails", relays(toRedis, faultproxy.Untrusted))),
		secure(away("name not found", relays(toRedis, faultproxy.Unknown))),
	}
}

// keepsInstead has Redis hold something else in the place of each account.
func keepsInstead(put func(*broken, string)) func(*testing.T, *broken) func() {
	return func(_ *testing.T, b *broken) func() {
		for _, key := range b.kept.Keys() {
			if strings.Contains(key, accountKey) {
				b.kept.Del(key)
				put(b, key)
			}
		}
		return func() {}
	}
}
