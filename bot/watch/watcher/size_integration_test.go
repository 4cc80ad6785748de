//go:build integration

package watcher_test

import (
	"context"
	"flag"
	"fmt"
	"runtime"
	"strconv"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"hostbot/bot/watch/watcher"
	"hostbot/hostapi"
	"hostbot/hostapi/accounts"
	"hostbot/hostapi/redistest"
)

var (
	sizeAccounts = flag.Int("size", 0, "watch so many accounts with three bots each, and measure; 0: do not")
	sizeRate     = flag.Int("size-rate", 1000, "looks a second of all replicas, while the load is measured")
)

// fleet is a service with accounts of three bots each, which answers after 20 ms. It
// counts calls.
type fleet struct{ atomic.Int64 }

func (f *fleet) List(_ context.Context, userID string) (hostapi.List, error) {
	f.Add(1)
	time.Sleep(20 * time.Millisecond)
	list := hostapi.List{Account: hostapi.Account{PlanName: "Standard", PlanRAMMB: 4096, MaxServers: 10, ServerCount: 3}}
	for i := range 3 {
		list.Servers = append(list.Servers, hostapi.Server{
			ID: "srv-" + userID[10:] + strconv.Itoa(i), Name: "bot " + strconv.Itoa(i), Language: "NODE", Status: "RUNNING",
			StartupCommand: "node index.js", EntryFile: "index.js", RAMMB: 512, DiskMB: 2048, CPUPercent: 100, PlanName: "Standard",
		})
	}
	return list, nil
}

func (f *fleet) Get(context.Context, string, string) (hostapi.Server, error) {
	return hostapi.Server{}, &hostapi.Error{Code: hostapi.CodeNotOffered}
}

// TestSize measures what bot/SIZE.md tells.
func TestSize(t *testing.T) {
	if *sizeAccounts == 0 {
		t.Skip("-size is not set")
	}
	url, service := redistest.StartRedis(t).URL(), &fleet{}
	client := redistest.Connect(t, url)
	memory := func() int {
		info := client.InfoMap(t.Context(), "memory").Val()
		bytes, _ := strconv.Atoi(info["Memory"]["used_memory"])
		return bytes
	}
	empty := memory()
	cache := accounts.New(accounts.Config{
		Redis: client, Source: service, TTL: 30 * time.Second, MaxStale: 24 * time.Hour, Patience: 30 * time.Second, OnGarbage: func(err error) { t.Error(err) },
	})
	t.Cleanup(cache.Close)
	replica := func(rate int) (*watcher.Watcher, func()) {
		return start(t, url, nil, nil, func(c *watcher.Config) {
			c.Accounts, c.Interval, c.Rate, c.Timing = cache, time.Minute, rate, watcher.DefaultTiming()
		})
	}
	first, killFirst := replica(*sizeRate)
	second, killSecond := replica(*sizeRate)
	_, killThird := replica(*sizeRate)
	for i := range *sizeAccounts {
		for first.Watch(t.Context(), fmt.Sprintf("1573959327%08d", i), watcher.Alerts) != nil {
			time.Sleep(time.Second) // Redis has other things to do
		}
	}
	measure := func(what string, w *watcher.Watcher, d time.Duration) {
		service.Store(0)
		began, cpu := time.Now(), processor()
		time.Sleep(d)
		took, used, status := time.Since(began), processor()-cpu, w.Status()
		var heap runtime.MemStats
		runtime.ReadMemStats(&heap)
		t.Logf("%s: %.1f calls/s, interval %v, lag %v, CPU of all replicas %.1f %% of a core, heap of all %d MB, Redis %d bytes an account",
			what, float64(service.Load())/took.Seconds(), status.Interval.Round(time.Second), status.Delay.Round(time.Millisecond),
			100*used.Seconds()/took.Seconds(), heap.HeapInuse>>20, (memory()-empty)/(*sizeAccounts))
	}
	round := max(time.Minute, time.Duration(*sizeAccounts)*time.Second/time.Duration(*sizeRate)*10/9)
	measure("first rounds", second, 2*round)
	measure("three replicas", second, round)
	killFirst()
	measure("one was killed", second, round)
	killSecond()
	killThird()
	last, _ := replica(10)
	runtime.GC()
	measure("one replica at the default rate", last, 30*time.Second)
}

// processor returns how much time of a processor this process has used.
func processor() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
