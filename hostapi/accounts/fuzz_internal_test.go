package accounts

import (
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/valyala/fastjson"

	"hostbot/hostapi"
)

// FuzzEntries has anything be in the place of an account. What is read is this user's, is not dated
// ahead, and is read again as it was once it is stored.
func FuzzEntries(f *testing.F) {
	now := time.Date(2026, 11, 22, 1, 2, 3, 0, time.UTC)
	whole, _ := (&entry{
		UserID: "42", FetchedAt: now, List: hostapi.List{Servers: []hostapi.Server{{ID: "a", Name: "Shop", Status: "RUNNING"}}},
		Notes: map[string]Note{"a": {Action: "restart", At: now, Seen: now}},
	}).encode()
	for _, s := range []string{
		string(whole), "", "{", "null", "[]", `{"userId":"42"}`, `{"userId":"43","fetchedAt":"2026-11-22T01:02:03Z","missing":true}`,
		`{"userId":"42","fetchedAt":"9999-01-01T00:00:00Z","doubted":"9999-01-01T00:00:00Z","missing":true}`, `{"userId":"42","fetchedAt":"2026-11-22T01:02:03Z","servers":[null]}`,
		`{"userId":"42","fetchedAt":"2026-11-22T01:02:03Z","servers":[["a",7,"","","","","",1e99,-1,0.5,"",1e99]],"account":[],"notes":[]}`,
		`{"userId":"42","fetchedAt":"2026-11-22T01:02:03Z","servers":[["a"],[]],"notes":{"a":null,"b":{"at":"9999-01-01T00:00:00Z","seen":"x"}}}`,
		"{\"userId\":\"42\",\"fetchedAt\":\"2026-11-22T01:02:03Z\",\"servers\":[[\"\xff\",\"\xff\",0,0,0,0,0,0,0,0,0,0]]}",
		"{\"userId\":\"42\",\"fetchedAt\":\"2026-11-22T01:02:03Z\",\"servers\":[[\"a\",\"\\ud800\",0,0,0,0,0,0,0,0,0,0]]}",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, stored []byte) {
		parsers := &fastjson.ParserPool{}
		e, err := decode(parsers, string(stored), "42", now)
		if err != nil {
			return
		}
		if e.UserID != "42" || e.FetchedAt.IsZero() || e.FetchedAt.After(now) || e.DoubtedSince.After(now) {
			t.Errorf("of user %q, at %v", e.UserID, e.FetchedAt)
		}
		for _, s := range e.List.Servers {
			if s.ID == "" {
				t.Error("a server has no ID")
			}
			for _, text := range []string{s.ID, s.Name, s.Language, s.Status, s.Subdomain, s.StartupCommand, s.EntryFile, s.PlanName} {
				if !utf8.ValidString(text) {
					t.Errorf("no text: %q", text)
				}
			}
		}
		for id, note := range e.Notes {
			if note.At.After(now) || note.Seen.After(now) {
				t.Errorf("%q is noted ahead: %+v", id, note)
			}
		}
		again, err := e.encode()
		if err != nil {
			t.Fatalf("it cannot be stored: %v", err)
		}
		read, err := decode(parsers, string(again), "42", now)
		if err != nil {
			t.Fatalf("stored again, it is none: %v", err)
		}
		if diff := cmp.Diff(e, read); diff != "" {
			t.Error(diff)
		}
	})
}
