package accounts

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hostbot/hostapi"
)

func FuzzDecode(f *testing.F) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	good, err := encode(entry{Version: version, UserID: "1", FetchedAt: now, List: hostapi.List{Servers: []hostapi.Server{{ID: "a", Status: "RUNNING"}}}})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	f.Add([]byte(`{"version":1,"userId":"1","fetchedAt":"9999-12-31T23:59:59Z","list":{"servers":[]}}`))
	f.Add([]byte(`{"version":1,"userId":"1","fetchedAt":"2026-01-02T03:04:05Z","expired":true,"list":{"servers":[{"id":"<","subdomain":[1]}]}}`))
	f.Add([]byte(`{"list":[[[`))
	f.Fuzz(func(t *testing.T, data []byte) {
		e, err := decode(data, "1", now)
		if err != nil {
			return
		}
		if e.UserID != "1" || e.List.Servers == nil || e.FetchedAt.After(now.Add(maxSkew)) {
			t.Fatalf("believed: %+v", e)
		}
		// What was believed can be changed and written, and is then the same.
		again, err := encode(e)
		if err != nil {
			t.Fatalf("cannot be written again: %v", err)
		}
		same, err := decode(again, "1", now)
		if err != nil {
			t.Fatalf("cannot be read again: %v", err)
		}
		if diff := cmp.Diff(e, same); diff != "" {
			t.Fatalf("changed by being written (-was +is):\n%s", diff)
		}
	})
}

func TestAnEntryIsBounded(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	e := entry{Version: version, UserID: "1", FetchedAt: now, List: hostapi.List{Servers: []hostapi.Server{}}}
	good, err := encode(e)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := decode(good, "1", now); err != nil {
		t.Errorf("a good entry is refused: %v", err)
	}
	if _, err := decode(append(bytes.Repeat([]byte(" "), maxEntry), good...), "1", now); err == nil {
		t.Error("a huge entry is read")
	}
	e.List.Account.PlanName = strings.Repeat("x", maxEntry)
	if _, err := encode(e); err == nil {
		t.Error("a huge entry is written")
	}
}
