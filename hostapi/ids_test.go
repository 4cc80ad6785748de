package hostapi_test

import (
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"unicode/utf8"

	"hostbot/hostapi"
)

// hostileIDs are IDs that must arrive as they are, in one segment of the path.
func hostileIDs() []string {
	return []string{
		"a/b", "/a", "a/", "a//b", "../etc", "a/../../b", "a?b=c", "a#b", "100%", "%2F", "%2e%2e", "a b", " ", "+", "a+b",
		"a&chatUserId=7", ":id", "...", "a;b,c", "ünï/cödé", "日本", "\x00", "a\nb", "\xff\xfe", `a\b`, "a:b", "@", "'\"<>",
	}
}

// checkArrival calls an operation on a server and looks at the request line.
func checkArrival(t *testing.T, client *hostapi.Client, uris <-chan string, id string) {
	t.Helper()
	if _, err := client.Restart(t.Context(), "42", id); err != nil {
		t.Fatalf("%q: %v", id, err)
	}
	uri := <-uris
	segment, ok := strings.CutPrefix(uri, "/api/bot/servers/")
	segment, ok2 := strings.CutSuffix(segment, "/restart")
	if !ok || !ok2 || strings.ContainsAny(segment, "/?# ") {
		t.Fatalf("%q was sent as %q", id, uri)
	}
	if got, err := url.PathUnescape(segment); err != nil || got != id {
		t.Errorf("%q arrived as %q (%v)", id, got, err)
	}
}

// echo answers every action and passes on the request lines.
func echo(uris chan<- string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		uris <- r.RequestURI
		_, _ = io.WriteString(w, `{"ok":true}`)
	}
}

func TestIDsArriveIntact(t *testing.T) {
	uris := make(chan string, 1)
	client := serve(t, echo(uris))
	for _, id := range hostileIDs() {
		checkArrival(t, client, uris, id)
	}
}

func FuzzIDsArriveIntact(f *testing.F) {
	for _, id := range hostileIDs() {
		f.Add(id)
	}
	uris := make(chan string, 1)
	client := serve(f, echo(uris))
	f.Fuzz(func(t *testing.T, id string) {
		if id == "" || id == "." || id == ".." || len(id) > 1024 {
			t.Skip("refused before anything is sent")
		}
		checkArrival(t, client, uris, id)
	})
}

func TestUserIDsArriveIntact(t *testing.T) {
	for _, id := range hostileIDs() {
		if !utf8.ValidString(id) {
			continue // refused: JSON could not carry it
		}
		var got string
		client := serve(t, func(w http.ResponseWriter, r *http.Request) {
			got = r.URL.Query().Get("chatUserId")
			_, _ = io.WriteString(w, `{"servers":[],"account":{}}`)
		})
		if _, err := client.List(t.Context(), id); err != nil {
			t.Fatalf("%q: %v", id, err)
		}
		if got != id {
			t.Errorf("%q arrived as %q", id, got)
		}
	}
}
