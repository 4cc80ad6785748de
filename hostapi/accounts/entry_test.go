package accounts

import (
	"fmt"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"hostbot/hostapi"
)

// tenBots is an account of the user 1, for benchmarks too.
func tenBots(now time.Time) *entry {
	l := hostapi.List{Account: hostapi.Account{PlanName: "Pro", PlanRAMMB: 8192, MaxServers: 20, ServerCount: 10}}
	for i := range 10 {
		l.Servers = append(l.Servers, hostapi.Server{
			ID: fmt.Sprintf("cmf3k2x9q000%da8l5b2c7d1e0", i), Name: fmt.Sprintf("Mü\"sic bot %d", i), Language: "NODE",
			Status: "RUNNING", Subdomain: fmt.Sprintf("music-%d", i), StartupCommand: "node index.js --color", EntryFile: "index.js",
			RAMMB: 512, DiskMB: 2048, CPUPercent: 100, PlanName: "Pro", CreatedAt: time.Date(2025, 1, 2, 3, 4, 5, 678e6, time.UTC),
		})
	}
	l.Servers[9].CreatedAt = time.Time{}
	return &entry{UserID: "1", FetchedAt: now, List: l}
}

func encode(t testing.TB, e *entry) []byte {
	t.Helper()
	data, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestDecodeReadsWhatWasWritten(t *testing.T) {
	now := time.Now().UTC()
	for name, e := range map[string]*entry{"account": tenBots(now), "none": {UserID: "1", FetchedAt: now, Missing: true, List: hostapi.List{Servers: []hostapi.Server{}}}} {
		got, err := decode(encode(t, e), "1", now)
		if diff := cmp.Diff(e, got); diff != "" || err != nil {
			t.Errorf("%s: %v (-written +read):\n%s", name, err, diff)
		}
	}
}

// The clock of the machine that wrote the entry is ahead.
func TestDecodeDatesNothingInTheFuture(t *testing.T) {
	now := time.Now()
	if e, err := decode(encode(t, tenBots(now.Add(time.Hour))), "1", now); err != nil || !e.FetchedAt.Equal(now) {
		t.Errorf("fetched at %v, %v", e.FetchedAt, err)
	}
}

func TestDecodeRefusesAnythingElse(t *testing.T) {
	now := time.Now()
	good := string(encode(t, tenBots(now)))
	for _, data := range []string{"", "null", "[]", `{"userId":"2"}`, `{"userId":1}`, good[:len(good)-1], good + "x", `{"userId":"1","list":{"servers":7}}`} {
		if e, err := decode([]byte(data), "1", now); err == nil {
			t.Errorf("%.60s: read as %+v", data, e)
		}
	}
}

func BenchmarkDecode(b *testing.B) {
	data := encode(b, tenBots(time.Now()))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := decode(data, "1", time.Now()); err != nil {
			b.Fatal(err)
		}
	}
}
