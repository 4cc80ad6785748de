package watcher_test

import (
	"context"
	"flag"
	"fmt"
	"runtime"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/rs/zerolog"

	"hostbot/bot/watcher"
	"hostbot/hostapi"
	"hostbot/hostapi/accounts"
	"hostbot/hostapi/redistest"
)

var (
	sizeAccounts = flag.Int("size", 0, "watch so many accounts with three bots each, and measure; 0: do not")
	sizeRate     = flag.Int("size-rate", 1000, "looks a second of all replicas, while the load is measured")
)

// fleet is a service with accounts of three bots each, which answers after 20 ms.
type fleet struct {
	mu     sync.Mutex
	calls  int
	last   map[string]time.Time // call, by account
	widest time.Duration        // time between two calls for one account
}

func (f *fleet) List(_ context.Context, userID string) (hostapi.List, error) {
	now := time.Now()
	f.mu.Lock()
	f.calls++
	if before, ok := f.last[userID]; ok {
		f.widest = max(f.widest, now.Sub(before))
	}
	f.last[userID] = now
	f.mu.Unlock()
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

// reset begins a measurement and returns how many calls there were.
func (f *fleet) reset() (calls int, widest time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	calls, widest = f.calls, f.widest
	f.calls, f.widest = 0, 0
	return calls, widest
}

// replica is one of the processes that watch.
type replica struct {
	watcher *watcher.Watcher
	kill    func() // as a signal would that it cannot catch: it writes nothing any more
}

func (f *fleet) replica(t *testing.T, url string, rate int, interval time.Duration) replica {
	options, err := redis.ParseURL(url)
	if err != nil {
		t.Fatal(err)
	}
	options.ContextTimeoutEnabled = true
	client := redis.NewClient(options)
	cache := accounts.New(accounts.Config{
		Redis: client, Source: f, TTL: 30 * time.Second, MaxStale: 24 * time.Hour, Patience: 30 * time.Second, OnGarbage: func(err error) { t.Error(err) },
	})
	w := watcher.New(watcher.Config{
		Redis: client, Accounts: cache, Interval: interval, Rate: rate, DownSince: func() time.Time { return time.Time{} },
		OnSlow: func(watcher.Status) {}, Log: zerolog.Nop(), Timing: watcher.DefaultTiming(),
	})
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { w.Run(ctx) })
	var once sync.Once
	kill := func() {
		once.Do(func() {
			_ = client.Close()
			cancel()
			running.Wait()
			cache.Close()
		})
	}
	t.Cleanup(kill)
	return replica{w, kill}
}

// TestSize measures what bot/SIZE.md tells.
func TestSize(t *testing.T) {
	if *sizeAccounts == 0 {
		t.Skip("-size is not set")
	}
	url := redistest.StartRedis(t).URL()
	options, err := redis.ParseURL(url)
	if err != nil {
		t.Fatal(err)
	}
	client := redis.NewClient(options)
	defer func() { _ = client.Close() }()
	service := &fleet{last: make(map[string]time.Time)}
	memory := func() (bytes int) {
		info, err := client.InfoMap(t.Context(), "memory").Result()
		if err != nil {
			t.Fatal(err)
		}
		bytes, _ = strconv.Atoi(info["Memory"]["used_memory"])
		return bytes
	}
	empty := memory()

	const interval = time.Minute
	round := max(interval, time.Duration(*sizeAccounts)*time.Second/time.Duration(*sizeRate)*10/9)
	var replicas []replica
	for range 3 {
		replicas = append(replicas, service.replica(t, url, *sizeRate, interval))
	}
	for i := range *sizeAccounts {
		for replicas[0].watcher.Watch(t.Context(), fmt.Sprintf("1573959327%08d", i), watcher.Alerts) != nil {
			time.Sleep(time.Second) // Redis has other things to do
		}
	}
	measure := func(what string, d time.Duration) {
		service.reset()
		began, cpu := time.Now(), processor()
		time.Sleep(d)
		took := time.Since(began)
		used := processor() - cpu
		calls, widest := service.reset()
		status := replicas[2].watcher.Status()
		var heap runtime.MemStats
		runtime.ReadMemStats(&heap)
		t.Logf("%s: %.1f calls/s, interval %v, lag %v, longest between two looks at an account %v, CPU of all replicas %.1f %% of a core, heap of all %d MB, Redis %d MB",
			what, float64(calls)/took.Seconds(), status.Interval.Round(time.Second), status.Lag.Round(time.Millisecond), widest.Round(time.Second),
			100*used.Seconds()/took.Seconds(), heap.HeapInuse>>20, (memory()-empty)>>20)
	}
	measure("first rounds", 2*round)
	measure("three replicas", round)
	replicas[0].kill()
	measure("one was killed", round+round/2)
	tellBytes(t, client, memory()-empty)
	for _, r := range replicas {
		r.kill()
	}
	replicas = []replica{{}, {}, service.replica(t, url, 10, interval)}
	time.Sleep(time.Second)
	runtime.GC()
	measure("one replica at the default rate", 30*time.Second)
}

// tellBytes says how much Redis holds of an account.
func tellBytes(t *testing.T, client *redis.Client, all int) {
	t.Helper()
	var watched int64
	for i := range 100 {
		n, err := client.MemoryUsage(t.Context(), fmt.Sprintf("hostbot:{watch}:account:1573959327%08d", i*(*sizeAccounts)/100)).Result()
		if err != nil {
			t.Fatal(err)
		}
		watched += n
	}
	due, err := client.MemoryUsage(t.Context(), "hostbot:{watch}:due", 0).Result()
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("Redis: %d bytes an account and %d for its due time; with what is cached of it %d",
		watched/100, due/int64(*sizeAccounts), all/(*sizeAccounts))
}

// processor returns how much time of a processor this process has used.
func processor() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
