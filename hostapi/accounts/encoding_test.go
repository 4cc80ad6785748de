package accounts

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hostbot/hostapi"
)

var (
	noon    = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)
	compare = cmp.AllowUnexported(entry{}, answer{}, claim{}, failure{}, hostapi.Error{})
)

// full is an entry with everything that there can be in one.
func full() entry {
	return entry{
		askedAt: noon.Add(-time.Minute), expired: true,
		answer: &answer{at: noon.Add(-time.Minute), list: hostapi.List{
			Servers: []hostapi.Server{
				{ID: "a", Name: "ünï <3", Language: "NODE", Status: "RUNNING", Subdomain: "one", StartupCommand: "node .", EntryFile: "index.js",
					RAMMB: 512, DiskMB: -1, CPUPercent: 1 << 40, PlanName: "Pro", CreatedAt: time.Date(2025, 1, 2, 3, 4, 5, 678e6, time.UTC)},
				{ID: "b"},
			},
			Account: hostapi.Account{PlanName: "Pro", PlanRAMMB: 2048, MaxServers: 5, ServerCount: 2},
		}},
		claim:   &claim{token: "T", until: noon.Add(time.Second), statuses: map[string]string{"a": "STOPPED", "c": ""}},
		failure: &failure{err: hostapi.Error{Code: hostapi.CodeRateLimited, Op: hostapi.OpList, Status: 429, Detail: "slow down", RetryAfter: time.Minute}, times: 3, at: noon, until: noon.Add(4 * time.Second)},
	}
}

func entries() map[string]entry {
	return map[string]entry{
		"empty":      {},
		"full":       full(),
		"no account": {answer: &answer{at: noon, none: true, list: hostapi.List{Servers: []hostapi.Server{}}}},
		"no servers": {answer: &answer{at: noon, list: hostapi.List{Servers: []hostapi.Server{}}}},
	}
}

func TestAnEntryIsReadAsItWasWritten(t *testing.T) {
	for name, e := range entries() {
		t.Run(name, func(t *testing.T) {
			got, err := decode(string(mustEncode(t, e)), "1", noon)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(e, got, compare); diff != "" {
				t.Errorf("(-written +read):\n%s", diff)
			}
		})
	}
}

func TestNonsenseIsRefused(t *testing.T) {
	good := mustEncode(t, full())
	for length := range good {
		if _, err := decode(string(good[:length]), "1", noon); err == nil {
			t.Errorf("the first %d bytes of an entry are taken for one", length)
		}
	}
	unnamed := full()
	unnamed.answer.list.Servers[1].ID = ""
	odd := full()
	odd.answer.list.Servers[1].Name = "\xff"
	for name, data := range map[string][]byte{
		"more than an entry":  append(bytes.Clone(good), 0),
		"another version":     append([]byte{version + 1}, good[1:]...),
		"JSON":                []byte(`{"version":1,"userId":"1","fetchedAt":"2026-01-02T03:04:05Z","list":{"servers":[]}}`),
		"a server without id": mustEncode(t, unnamed),
		"no text":             mustEncode(t, odd),
		"huge":                append(bytes.Clone(good), make([]byte, maxEntry)...),
	} {
		if e, err := decode(string(data), "1", noon); err == nil {
			t.Errorf("%s: read as %+v", name, e)
		}
	}
	if _, err := decode(string(good), "2", noon); err == nil {
		t.Error("another user's entry is believed")
	}
	if _, err := decode(string(good), "1", noon.Add(-time.Hour)); err == nil {
		t.Error("an entry from the future is believed")
	}
}

func TestAHugeEntryIsNotWritten(t *testing.T) {
	e := full()
	e.answer.list.Account.PlanName = strings.Repeat("x", maxEntry)
	if _, err := encode("1", e); err == nil {
		t.Error("it is")
	}
}

func FuzzDecode(f *testing.F) {
	for _, e := range entries() {
		f.Add(mustEncode(f, e))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		e, err := decode(string(data), "1", noon)
		if err != nil {
			return
		}
		if e.answer != nil && (e.answer.list.Servers == nil || e.answer.at.After(noon.Add(maxSkew))) {
			t.Fatalf("believed: %+v", e)
		}
		// What was believed can be changed and written, and is then the same.
		same, err := decode(string(mustEncode(t, e)), "1", noon)
		if err != nil {
			t.Fatalf("cannot be read again: %v", err)
		}
		if diff := cmp.Diff(e, same, compare); diff != "" {
			t.Fatalf("changed by being written (-was +is):\n%s", diff)
		}
		useAll(t, e)
	})
}

// useAll does with an entry all that can be done to one.
func useAll(t *testing.T, e entry) {
	l := limits{fresh: 30 * time.Second, keep: time.Hour, patience: 30 * time.Second}
	if do := e.next(noon, l); do == showAnswer || do == showFailure {
		if s, err := e.outcome(do, noon); err == nil && s.List.Servers == nil {
			t.Fatal("an answer without a list")
		}
	}
	if s, known := e.shown(noon, l); known && s.FetchedAt.Before(noon.Add(-l.keep)) {
		t.Fatal("shown though it is too old")
	}
	// Whatever it says, the service is asked again one day.
	if later := noon.Add(l.keep); e.next(later, l) != askService {
		if again := later.Add(l.keep); e.outdated().next(again, l) != askService {
			t.Fatal("nobody may ask any more")
		}
	}
	for _, changed := range []entry{
		e.outdated(), e.withStatus("a", "x"), e.claimed("t", noon, l).withStatus("a", "x").ended(hostapi.List{}, context.DeadlineExceeded, noon, l),
	} {
		if ttl := changed.ttl(noon, l); ttl <= 0 {
			t.Fatalf("a TTL of %v", ttl)
		}
	}
}

func mustEncode(t testing.TB, e entry) []byte {
	t.Helper()
	data, err := encode("1", e)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// BenchmarkDecode reads an account of ten bots.
func BenchmarkDecode(b *testing.B) {
	e := full()
	for len(e.answer.list.Servers) < 10 {
		e.answer.list.Servers = append(e.answer.list.Servers, e.answer.list.Servers[0])
	}
	data := string(mustEncode(b, e))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := decode(data, "1", noon); err != nil {
			b.Fatal(err)
		}
	}
}
