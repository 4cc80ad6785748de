package hostapi_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hostbot/hostapi"
)

func TestListRefusesNonsense(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		``, `null`, `[]`, `7`, `"list"`, `<html>`, `{}`, `{"servers":null}`, `{"servers":{}}`, `{"servers":[1]}`, `{"servers":[null]}`,
		`{"servers":[{}]}`, `{"servers":[{"id":""}]}`, `{"servers":[]`, `{"servers":[]}x`, `{"ok":"no","servers":[]`,
		`{"servers":[],"x":"` + strings.Repeat("x", 4<<20) + `"}`, `{"servers":[]}` + strings.Repeat(" ", 4<<20),
	} {
		_, err := serve(t, saying(body)).List(t.Context(), "42")
		if hostapi.CodeOf(err) != hostapi.CodeMalformed || hostapi.IsUncertain(err) {
			t.Errorf("%.60s: error %v", body, err)
		}
	}
}

func TestListTakesWhatIsOdd(t *testing.T) {
	t.Parallel()
	type list = []hostapi.Server
	for name, test := range map[string]struct {
		body string
		want list
	}{
		"empty":          {`{"servers":[],"account":{}}`, list{}},
		"no account":     {`{"servers":[],"account":null}`, list{}},
		"almost too big": {`{"servers":[],"x":"` + strings.Repeat("x", 4<<20-100) + `"}`, list{}},
		"only ids":       {`{"servers":[{"id":"a"},{"id":"b","name":null,"createdAt":null}]}`, list{{ID: "a"}, {ID: "b"}}},
		"one id twice":   {`{"servers":[{"id":"a","name":"1"},{"id":"b"},{"id":"a","name":"2"}]}`, list{{ID: "a", Name: "1"}, {ID: "b"}}},
		"subdomains": {`{"servers":[{"id":"a","subdomain":"x"},{"id":"b","subdomain":{"host":"x"}},{"id":"c","subdomain":7},{"id":"d","subdomain":["x"]}]}`,
			list{{ID: "a", Subdomain: "x"}, {ID: "b", Subdomain: `{"host":"x"}`}, {ID: "c", Subdomain: "7"}, {ID: "d", Subdomain: `["x"]`}}},
		"times": {`{"servers":[{"id":"a","createdAt":"2026-01-01T01:00:00.5+01:00"},{"id":"b","createdAt":"yesterday"},{"id":"c","createdAt":7}]}`,
			list{{ID: "a", CreatedAt: time.Date(2026, 1, 1, 0, 0, 0, 5e8, time.UTC)}, {ID: "b"}, {ID: "c"}}},
	} {
		got, err := serve(t, saying(test.body)).List(t.Context(), "42")
		want := hostapi.List{Servers: test.want, Account: hostapi.Account{ServerCount: len(test.want)}}
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%s: %v (-want +got):\n%s", name, err, diff)
		}
	}
}

func TestGetAndUpdateStartupRefuseOtherRecords(t *testing.T) {
	t.Parallel()
	for _, body := range []string{`{"id":"other"}`, `{"server":{"id":"other"}}`, `{"server":null}`, `{"server":[]}`, `{}`, `[]`} {
		if _, err := serve(t, saying(body)).Get(t.Context(), "42", "srv-1"); hostapi.CodeOf(err) != hostapi.CodeMalformed {
			t.Errorf("get, %s: %v", body, err)
		}
	}
	for _, body := range []string{`{"ok":true,"server":{"id":"other"}}`, `{"server":{"id":"srv-1"}}`} {
		_, err := serve(t, saying(body)).UpdateStartup(t.Context(), "42", "srv-1", hostapi.Startup{})
		if hostapi.CodeOf(err) != hostapi.CodeMalformed || !hostapi.IsUncertain(err) {
			t.Errorf("update startup, %s: %v", body, err)
		}
	}
}

func TestActionsTakeNoContentForSuccess(t *testing.T) {
	t.Parallel()
	client := serve(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	if err := client.Delete(t.Context(), "42", "srv-1"); err != nil {
		t.Error(err)
	}
	if status, err := client.Start(t.Context(), "42", "srv-1"); status != "" || err != nil {
		t.Errorf("%q, %v", status, err)
	}
	if got, err := client.UpdateStartup(t.Context(), "42", "srv-1", hostapi.Startup{}); got.ID != "srv-1" || err != nil {
		t.Errorf("%+v, %v", got, err)
	}
	if _, err := client.Create(t.Context(), "42", hostapi.NewServer{}); !hostapi.IsUncertain(err) {
		t.Errorf("without the record of what was created: %v", err)
	}
}

// TestClientSurvivesHostileAnswers answers with what is made to break a reader.
func TestClientSurvivesHostileAnswers(t *testing.T) {
	t.Parallel()
	blank := make([]byte, 1<<20)
	var bomb bytes.Buffer
	zip := gzip.NewWriter(&bomb)
	for range 16 {
		_, _ = zip.Write(blank)
	}
	if err := zip.Close(); err != nil {
		t.Fatal(err)
	}
	endless := func(status int) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(status)
			for {
				if _, err := w.Write(blank); err != nil {
					return
				}
			}
		}
	}
	zipped := func(body []byte) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = w.Write(body)
		}
	}
	for name, test := range map[string]struct {
		answer http.HandlerFunc
		want   hostapi.Code
	}{
		"does not end":                {endless(http.StatusOK), hostapi.CodeMalformed},
		"a failure that does not end": {endless(http.StatusTeapot), hostapi.CodeInternal},
		"16 MB in 16 KB":              {zipped(bomb.Bytes()), hostapi.CodeMalformed},
		"not gzip":                    {zipped([]byte(`{"ok":true}`)), hostapi.CodeUnavailable},
		"a huge header": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("X-Huge", strings.Repeat("x", 1<<20))
		}, hostapi.CodeUnavailable},
		"ends early": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100")
			_, _ = io.WriteString(w, `{"ok":true`)
		}, hostapi.CodeUnavailable},
		"deep": {saying(strings.Repeat(`{"servers":[`, 200_000)), hostapi.CodeMalformed},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client := serve(t, test.answer)
			_, listed := client.List(t.Context(), "42")
			_, restarted := client.Restart(t.Context(), "42", "s")
			if hostapi.CodeOf(listed) != test.want || hostapi.CodeOf(restarted) != test.want {
				t.Errorf("list: %v; restart: %v; want %s", listed, restarted, test.want)
			}
			if want := test.want != hostapi.CodeInternal; hostapi.IsUncertain(restarted) != want {
				t.Errorf("restart: uncertain %v", !want)
			}
		})
	}
}
