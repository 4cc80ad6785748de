package redisrelay_test

import (
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/redis/go-redis/v9"
	"go.uber.org/goleak"

	"hostbot/cmd/playground/redisrelay"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// seen is what an observer was told, "command -> reply".
type seen struct {
	mu   sync.Mutex
	list []string
}

func (s *seen) observe(command []string) func(string) {
	return func(reply string) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.list = append(s.list, strings.Join(command, " ")+" -> "+strings.TrimSpace(reply))
	}
}

func (s *seen) has(entry string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Contains(s.list, entry)
}

func start(t *testing.T) (*redisrelay.Relay, *redis.Client, *seen) {
	t.Helper()
	s := &seen{}
	relay, err := redisrelay.Start(s.observe)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(relay.Close)
	options, err := redis.ParseURL(relay.URL())
	if err != nil {
		t.Fatal(err)
	}
	options.MaxRetries, options.DialerRetries = -1, 1
	client := redis.NewClient(options)
	t.Cleanup(func() { _ = client.Close() })
	return relay, client, s
}

func TestCommandsAreSeenWithTheirReplies(t *testing.T) {
	_, client, s := start(t)
	_, err := client.Pipelined(t.Context(), func(p redis.Pipeliner) error {
		p.Set(t.Context(), "key", "a value", 0)
		p.Get(t.Context(), "key")
		p.Incr(t.Context(), "key")
		return nil
	})
	if err == nil {
		t.Error("text was incremented")
	}
	for _, want := range []string{
		"set key a value -> +OK",
		"get key -> $7\r\na value",
		"incr key -> -ERR value is not an integer or out of range",
	} {
		if !s.has(want) {
			t.Errorf("%q was not seen, but %q", want, s.list)
		}
	}
}

func TestDownAndUpAgain(t *testing.T) {
	relay, client, s := start(t)
	if err := client.Set(t.Context(), "key", "value", 0).Err(); err != nil {
		t.Fatal(err)
	}
	relay.SetDown(true)
	if err := client.Get(t.Context(), "key").Err(); err == nil {
		t.Error("it answers while it is down")
	}
	if !relay.Down() {
		t.Error("Down is false")
	}
	relay.SetDown(false)
	if got := client.Get(t.Context(), "key").Val(); got != "value" {
		t.Errorf("afterwards the key holds %q", got)
	}
	if !s.has("get key -> $5\r\nvalue") {
		t.Errorf("seen is %q", s.list)
	}
}
