package hostapi_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"strings"
	"testing"

	"hostbot/hostapi"
)

// TestHostileAnswers meets the client with answers that are made to break one
// who reads them.
func TestHostileAnswers(t *testing.T) {
	var bomb bytes.Buffer
	zip := gzip.NewWriter(&bomb)
	blank := make([]byte, 1<<20)
	for range 64 {
		if _, err := zip.Write(blank); err != nil {
			t.Fatal(err)
		}
	}
	if err := zip.Close(); err != nil {
		t.Fatal(err)
	}
	write := func(body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, body) }
	}
	for name, test := range map[string]struct {
		answer http.HandlerFunc
		want   hostapi.Code
	}{
		"does not end": {func(w http.ResponseWriter, _ *http.Request) {
			for {
				if _, err := w.Write(blank); err != nil {
					return
				}
			}
		}, hostapi.CodeMalformed},
		"a failure that does not end": {func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusTeapot)
			for {
				if _, err := w.Write(blank); err != nil {
					return
				}
			}
		}, hostapi.CodeInternal},
		"64 MB in 64 KB": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = w.Write(bomb.Bytes())
		}, hostapi.CodeMalformed},
		"not gzip": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = io.WriteString(w, `{"ok":true}`)
		}, hostapi.CodeUnavailable},
		"a huge header": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("X-Huge", strings.Repeat("x", 1<<20))
			_, _ = io.WriteString(w, `{"ok":true}`)
		}, hostapi.CodeUnavailable},
		"deep":        {write(strings.Repeat(`{"servers":[`, 200_000)), hostapi.CodeMalformed},
		"two values":  {write(`{"ok":true,"servers":[]}{"ok":true}`), hostapi.CodeMalformed},
		"a page":      {write(`<html><title>Welcome</title></html>`), hostapi.CodeMalformed},
		"other types": {write(`{"ok":1,"servers":{}}`), hostapi.CodeMalformed},
		"a number":    {write(`7`), hostapi.CodeMalformed},
	} {
		t.Run(name, func(t *testing.T) {
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

// JSON is taken for what it is, whatever it is said to be.
func TestTheContentTypeDoesNotMatter(t *testing.T) {
	for _, kind := range []string{"", "text/html", "application/octet-stream", "nonsense;;"} {
		client := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", kind)
			_, _ = io.WriteString(w, `{"servers":[{"id":"a"}],"account":{}}`)
		})
		if list, err := client.List(t.Context(), "42"); err != nil || len(list.Servers) != 1 {
			t.Errorf("%q: %+v, %v", kind, list, err)
		}
	}
}
