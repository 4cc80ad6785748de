package hostapi_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hostbot/hostapi"
)

// listOf lists the servers of a service that gives one answer.
func listOf(t *testing.T, body string) (hostapi.List, error) {
	t.Helper()
	client := serve(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, body) })
	return client.List(t.Context(), "42")
}

func TestListsThatMakeNoSense(t *testing.T) {
	for _, body := range []string{
		``, `null`, `[]`, `"list"`, `{}`, `{"servers":null}`, `{"servers":{}}`, `{"servers":[1]}`, `{"servers":[null]}`,
		`{"servers":[{}]}`, `{"servers":[{"id":""}]}`, `{"servers":[{"id":7}]}`, `{"servers":[{"id":"a","ramMb":"512"}]}`,
		`{"servers":[{"id":"a","name":{}}]}`, `{"servers":[{"id":"a","cpuPercent":1.5}]}`, `{"servers":[{"id":"a","diskMb":1e99}]}`,
		`{"servers":[],"account":[]}`, `{"servers":[],"account":{"maxServers":"5"}}`, `{"servers":[]`, `{"servers":[]}x`, `{"ok":"no","servers":[]`,
		`{"servers":[],"x":"` + strings.Repeat("x", 4<<20) + `"}`, `{"servers":[]}` + strings.Repeat(" ", 4<<20),
	} {
		_, err := listOf(t, body)
		if hostapi.CodeOf(err) != hostapi.CodeMalformed || hostapi.IsUncertain(err) {
			t.Errorf("%.60s: error %v", body, err)
		}
	}
}

func TestListsThatAreOdd(t *testing.T) {
	for _, test := range []struct {
		name, body string
		want       hostapi.List
	}{
		{"empty", `{"servers":[],"account":{}}`, hostapi.List{Servers: []hostapi.Server{}}},
		{"no account", `{"servers":[],"account":null}`, hostapi.List{Servers: []hostapi.Server{}}},
		{"only ids", `{"servers":[{"id":"a"},{"id":"b","name":null,"createdAt":null}]}`, hostapi.List{Servers: []hostapi.Server{{ID: "a"}, {ID: "b"}}}},
		{"one id twice", `{"servers":[{"id":"a","name":"1"},{"id":"b"},{"id":"a","name":"2"}]}`,
			hostapi.List{Servers: []hostapi.Server{{ID: "a", Name: "1"}, {ID: "b"}}}},
		{"subdomains", `{"servers":[{"id":"a","subdomain":"x"},{"id":"b","subdomain":{"host":"x"}},{"id":"c","subdomain":7},{"id":"d","subdomain":["x"]},{"id":"e","subdomain":false}]}`,
			hostapi.List{Servers: []hostapi.Server{{ID: "a", Subdomain: "x"}, {ID: "b", Subdomain: `{"host":"x"}`}, {ID: "c", Subdomain: "7"},
				{ID: "d", Subdomain: `["x"]`}, {ID: "e", Subdomain: "false"}}}},
		{"times", `{"servers":[{"id":"a","createdAt":"2026-01-01T01:00:00.5+01:00"},{"id":"b","createdAt":"yesterday"},{"id":"c","createdAt":7},{"id":"d","createdAt":"0000-01-01T00:00:00+23:00"}]}`,
			hostapi.List{Servers: []hostapi.Server{{ID: "a", CreatedAt: time.Date(2026, 1, 1, 0, 0, 0, 5e8, time.UTC)}, {ID: "b"}, {ID: "c"}, {ID: "d"}}}},
	} {
		got, err := listOf(t, test.body)
		if diff := cmp.Diff(test.want, got); err != nil || diff != "" {
			t.Errorf("%s: %v (-want +got):\n%s", test.name, err, diff)
		}
	}
}

func TestALongListWithinTheBound(t *testing.T) {
	got, err := listOf(t, `{"servers":[],"x":"`+strings.Repeat("x", 4<<20-100)+`"}`)
	if err != nil || len(got.Servers) != 0 {
		t.Errorf("%v, %v", got, err)
	}
}

func TestTheRecordOfAnotherServerIsRefused(t *testing.T) {
	answering := func(body string) *hostapi.Client {
		return serve(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, body) })
	}
	for _, body := range []string{`{"id":"other"}`, `{"server":{"id":"other"}}`, `{"server":null}`, `{"server":[]}`, `{}`, `[]`} {
		if _, err := answering(body).Get(t.Context(), "42", "srv-1"); hostapi.CodeOf(err) != hostapi.CodeMalformed {
			t.Errorf("get, %s: %v", body, err)
		}
	}
	for _, body := range []string{`{"ok":true,"server":{"id":"other"}}`, `{"ok":true}`, `{"server":{"id":"srv-1"}}`} {
		_, err := answering(body).UpdateStartup(t.Context(), "42", "srv-1", hostapi.Startup{})
		if hostapi.CodeOf(err) != hostapi.CodeMalformed || !hostapi.IsUncertain(err) {
			t.Errorf("update startup, %s: %v", body, err)
		}
	}
}

func TestUnmarshalReplacesWhatWasThere(t *testing.T) {
	server := hostapi.Server{ID: "old", Name: "old", CreatedAt: time.Now()}
	if err := json.Unmarshal([]byte(`{"id":"new"}`), &server); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(hostapi.Server{ID: "new"}, server); diff != "" {
		t.Error(diff)
	}
}

// FuzzList decodes what the service may answer: without a crash, to a list that
// can be used, and written and read again to the same.
func FuzzList(f *testing.F) {
	f.Add([]byte(`{"servers":[` + record + `],"account":{"planName":"Pro","planRamMb":4096,"maxServers":5,"serverCount":1}}`))
	f.Add([]byte(`{"servers":[{"id":"a","subdomain":{"x":"\ud800"},"createdAt":"9999-12-31T23:59:59-23:59"},{"id":"a"}],"account":null}`))
	f.Add([]byte(`{"servers":[{"ID":"a","createdAt":"2026-01-01T00:00:00+24:00"}]}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		var list hostapi.List
		if json.Unmarshal(body, &list) != nil {
			return
		}
		seen := make(map[string]bool)
		for _, s := range list.Servers {
			if s.ID == "" || seen[s.ID] {
				t.Fatalf("the id %q is empty or not the only one", s.ID)
			}
			seen[s.ID] = true
		}
		written, err := json.Marshal(list)
		if err != nil {
			t.Fatal(err)
		}
		var again hostapi.List
		if err := json.Unmarshal(written, &again); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(list, again); diff != "" {
			t.Fatalf("(-before +after):\n%s", diff)
		}
	})
}
