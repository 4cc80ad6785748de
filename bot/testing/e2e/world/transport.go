package world

import (
	"bytes"
	"flag"
	"io"
	"regexp"
	"sync"
	"testing"

	"hostbot/bot/testing/discordtest"
)

// Flag returns the value of a flag of the tests'.
func Flag[T any](name string) T {
	return flag.Lookup(name).Value.(flag.Getter).Get().(T) //nolint:errcheck // another type is a mistake in the test, which panics
}

// OverHTTP reports whether the tests are run with interactions over HTTP: -transport http.
func OverHTTP() bool { return Flag[string]("transport") == "http" }

// AboutTheGateway skips a test that has no meaning where there is no gateway.
func AboutTheGateway(t testing.TB) {
	t.Helper()
	if OverHTTP() {
		t.Skip("is about the gateway")
	}
}

// listening passes a bot's log on, and has Discord send interactions to the address
// that the bot says it listens at.
type listening struct {
	io.Writer
	discord *discordtest.Server

	mu      sync.Mutex
	address string
}

// Write passes a line on.
func (l *listening) Write(line []byte) (int, error) {
	if bytes.Contains(line, []byte("interactions are received over HTTP")) {
		found := regexp.MustCompile(`"address":"([^"]+)"`).FindSubmatch(line)
		l.mu.Lock()
		l.address = "http://" + string(found[1]) + "/interactions"
		l.discord.AddEndpoint(l.address)
		l.mu.Unlock()
	}
	return l.Writer.Write(line)
}

// notReady does what a load balancer does when the bot is told to stop: it sends
// interactions to the others, if there are any.
func (l *listening) notReady() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.discord.RemoveEndpoint(l.address)
}
