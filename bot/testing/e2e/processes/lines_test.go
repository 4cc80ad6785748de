//go:build integration

package processes_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"hostbot/bot/testing/faultproxy"
)

// stuck is a replica's line to Discord on which messages get stuck: of each kind the first few
// come through, of the next few the answers are lost, and the others wait.
type stuck struct {
	mu      sync.Mutex
	actions string // the channel for actions; empty before it begins
	blocked bool
	seen    map[string]int
	freed   chan struct{}
}

// On a line that is stuck, so many messages of a kind come through, and as many lose their
// answers.
const comeThrough = 5

func newStuck() *stuck { return &stuck{seen: make(map[string]int), freed: make(chan struct{})} }

func (s *stuck) begin(actions string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.actions = actions
}

// block lets nothing through.
func (s *stuck) block() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.blocked = true
}

// free lets all through again.
func (s *stuck) free() { close(s.freed) }

// fate is what becomes of a message.
type fate int

const (
	comes fate = iota
	losesItsAnswer
	waits
)

func (s *stuck) fate(r *http.Request) fate {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, after, isChannel := strings.Cut(r.URL.Path, "/channels/")
	switch {
	case s.blocked:
		return waits
	case s.actions == "" || !isChannel || r.Method != http.MethodPost && r.Method != http.MethodPatch:
		return comes
	case strings.HasPrefix(after, s.actions): // one message has many lines
		s.seen["log"]++
		return min(losesItsAnswer+fate(s.seen["log"]-1), waits)
	}
	s.seen[r.Method]++
	return min(fate((s.seen[r.Method]-1)/comeThrough), waits)
}

func (s *stuck) handle(w http.ResponseWriter, r *http.Request, pass http.Handler) {
	select {
	case <-s.freed:
		pass.ServeHTTP(w, r)
		return
	default:
	}
	body, _ := io.ReadAll(r.Body) // once it is read, the server notices that the replica gives up
	r.Body = io.NopCloser(bytes.NewReader(body))
	word, fate := httptest.NewRecorder(), s.fate(r)
	switch fate {
	case comes:
		pass.ServeHTTP(w, r)
		return
	case losesItsAnswer:
		pass.ServeHTTP(word, r)
	case waits:
	}
	select {
	case <-r.Context().Done():
		panic(http.ErrAbortHandler) // the connection is cut
	case <-s.freed:
	}
	if fate == waits {
		pass.ServeHTTP(w, r)
		return
	}
	w.WriteHeader(word.Code)
	_, _ = w.Write(word.Body.Bytes())
}

// held is a replica's line to Redis on which a command can be held up.
type held struct {
	relay *faultproxy.Relay
	holds chan struct{} // closed once one is held up

	mu   sync.Mutex
	word []byte // of the command; nil: none
	once sync.Once
	ends chan struct{}
}

func newHeld(t *testing.T, redisAddr string) *held {
	t.Helper()
	h := &held{holds: make(chan struct{}), ends: make(chan struct{})}
	relay, err := faultproxy.Start(redisAddr, func() (requests, answers io.WriteCloser) { return h, ignored{io.Discard} })
	if err != nil {
		t.Fatal(err)
	}
	h.relay = relay
	t.Cleanup(func() {
		close(h.ends)
		relay.Close()
	})
	return h
}

// hold has each command with a word wait until the test ends.
func (h *held) hold(word string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.word = []byte(word)
}

// isHeld reports whether a command is held up.
func (h *held) isHeld() bool {
	select {
	case <-h.holds:
		return true
	default:
		return false
	}
}

// Write is given what the replica sends, before it is passed on.
func (h *held) Write(p []byte) (int, error) {
	h.mu.Lock()
	found := h.word != nil && bytes.Contains(bytes.ToLower(p), h.word)
	if found {
		h.once.Do(func() { close(h.holds) })
	}
	h.mu.Unlock()
	if found {
		<-h.ends
	}
	return len(p), nil
}

// Close does nothing: all connections are given the same writer.
func (h *held) Close() error { return nil }

// ignored is a writer for answers, which nobody holds up.
type ignored struct{ io.Writer }

func (ignored) Close() error { return nil }
