package store_test

import (
	"bytes"
	"context"
	"errors"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/rs/zerolog"
	"go.uber.org/goleak"

	"hostbot/bot/store/redisclient"
	"hostbot/hostapi/redistest"
	"hostbot/hostapi/secret"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(redistest.WithCluster(m), redistest.Dialing())
}

func open(t *testing.T, address string) *redisclient.Conn {
	t.Helper()
	conn, err := redisclient.Open(secret.Text(address), zerolog.Nop())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	return conn
}

// A Redis that accepts and never answers costs a command its limits, and not
// the seconds that go-redis would wait.
func TestSilentServer(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }() // the backlog accepts

	conn := open(t, "redis://"+listener.Addr().String())
	t.Run("by itself", func(t *testing.T) {
		var timeout net.Error
		if err := conn.Client.Ping(t.Context()).Err(); !errors.As(err, &timeout) || !timeout.Timeout() {
			t.Errorf("error %v is not that of a time limit", err)
		}
	})
	t.Run("by the context", func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		if err := conn.Client.Ping(ctx).Err(); err == nil {
			t.Error("a ping succeeded")
		}
	})
}

func TestRedirectLibraryLog(t *testing.T) {
	var out bytes.Buffer
	redisclient.RedirectLibraryLog(zerolog.New(zerolog.SyncWriter(&out)))
	defer redisclient.RedirectLibraryLog(zerolog.Nop())

	client := redis.NewClient(&redis.Options{
		DialerRetries: 1,
		Dialer:        func(context.Context, string, string) (net.Conn, error) { return nil, errors.New("line is cut") },
	})
	_ = client.Ping(t.Context()).Err()
	_ = client.Close()
	if !strings.Contains(out.String(), `"library":"go-redis"`) || !strings.Contains(out.String(), `"level":"debug"`) {
		t.Errorf("the log holds %q", out.String())
	}
}
