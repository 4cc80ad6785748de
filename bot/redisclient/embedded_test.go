package redisclient_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"hostbot/bot/redisclient"
)

func TestEmbeddedSaysSo(t *testing.T) {
	var out bytes.Buffer
	conn, err := redisclient.Open("", zerolog.New(&out))
	if err != nil {
		t.Fatal(err)
	}
	conn.Close()
	if !conn.Embedded {
		t.Error("Embedded is false")
	}
	if !strings.Contains(out.String(), "memory") || !strings.Contains(out.String(), `"level":"warn"`) {
		t.Errorf("the log holds %q", out.String())
	}
}

func TestEmbeddedExpires(t *testing.T) {
	conn := open(t, "")
	for key, ttl := range map[string]time.Duration{"brief": time.Millisecond, "long": time.Hour, "endless": 0} {
		if err := conn.Client.Set(t.Context(), key, "value", ttl).Err(); err != nil {
			t.Fatal(err)
		}
	}
	eventually(t, "a key expires", func() bool { return conn.Client.Exists(t.Context(), "brief").Val() == 0 })
	if left := conn.Client.Exists(t.Context(), "long", "endless").Val(); left != 2 {
		t.Errorf("%d of the other 2 keys are left", left)
	}
	if ttl := conn.Client.TTL(t.Context(), "long").Val(); ttl >= time.Hour {
		t.Errorf("an hour later than at first: %v", ttl)
	}
}
