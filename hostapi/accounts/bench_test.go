package accounts_test

import (
	"fmt"
	"testing"
	"time"

	"hostbot/bot/redisconn/redistest"
	"hostbot/hostapi"
)

// BenchmarkFreshAccount is the way that nearly every interaction takes: an
// account of ten bots that is fresh in Redis.
func BenchmarkFreshAccount(b *testing.B) {
	f := newFixture(b, redistest.StartRedis(b).URL())
	f.remembered(b, tenBots())
	by := time.Now().Add(time.Hour)
	b.ReportAllocs()
	for b.Loop() {
		if s, err := f.Account(b.Context(), user, by); err != nil || s.Old {
			b.Fatal(s, err)
		}
	}
}

func tenBots() hostapi.List {
	l := hostapi.List{Account: hostapi.Account{PlanName: "Pro", PlanRAMMB: 8192, MaxServers: 20, ServerCount: 10}}
	for i := range 10 {
		l.Servers = append(l.Servers, hostapi.Server{
			ID: fmt.Sprintf("cmf3k2x9q000%da8l5b2c7d1e0", i), Name: fmt.Sprintf("Music bot %d", i), Language: "NODE",
			Status: "RUNNING", Subdomain: fmt.Sprintf("music-%d", i), StartupCommand: "node index.js --color", EntryFile: "index.js",
			RAMMB: 512, DiskMB: 2048, CPUPercent: 100, PlanName: "Pro", CreatedAt: time.Date(2025, 1, 2, 3, 4, 5, 678e6, time.UTC),
		})
	}
	return l
}
