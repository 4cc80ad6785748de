package accounts_test

import (
	"testing"
	"time"

	"hostbot/hostapi/accounts"
	"hostbot/hostapi/redistest"
)

// BenchmarkFreshAccount is the way that nearly every interaction takes: an
// account of ten bots that is fresh in Redis.
func BenchmarkFreshAccount(b *testing.B) {
	f := newFixture(b, redistest.StartRedis(b).URL())
	asked := ask(b, f.Cache)
	f.service.next(b).end(b, reply{list: accounts.TenBots()})
	receive(b, asked)
	by := time.Now().Add(time.Hour)
	b.ReportAllocs()
	for b.Loop() {
		if s, err := f.Account(b.Context(), user, by); err != nil || s.Old {
			b.Fatal(s, err)
		}
	}
}
