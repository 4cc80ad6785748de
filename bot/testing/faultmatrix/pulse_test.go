package faultmatrix_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"

	"hostbot/bot/testing/faultproxy"
)

// pulse notices when the machine is too busy to judge by it how long something takes.
// Again and again it does what takes the bot the most steps within a limit of some
// hundred milliseconds: it asks a Redis over a new connection, through a relay.
type pulse struct {
	mu    sync.Mutex
	began time.Time     // the beat under way; zero: none is
	late  time.Time     // when a beat last took too long; zero: never
	took  time.Duration // that beat
}

const (
	// betweenBeats is from the start of a beat to that of the next one.
	betweenBeats = 20 * time.Millisecond
	// tooLong is how long a beat takes where the bot cannot be expected to keep to its
	// limits. That of Redis is 250 ms (hostapi/accounts).
	tooLong = 60 * time.Millisecond
)

// startPulse starts a pulse that ends with the test.
func startPulse(t *testing.T) *pulse {
	redis := faultproxy.RunT(t, miniredis.RunT(t).Addr()).Addr()
	p := &pulse{}
	var beating sync.WaitGroup
	beating.Go(func() {
		pause := time.NewTicker(betweenBeats)
		defer pause.Stop()
		for {
			select {
			case <-t.Context().Done():
				return
			case <-pause.C:
			}
			p.begin()
			if err := beat(redis); err != nil {
				t.Errorf("the pulse: %v", err)
				return
			}
			p.end()
		}
	})
	t.Cleanup(beating.Wait)
	return p
}

// beat asks a Redis as go-redis does over a new connection, which it greets first.
func beat(redis string) error {
	conn, err := net.Dial("tcp", redis)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	answers := bufio.NewReader(conn)
	for range 2 {
		if _, err := io.WriteString(conn, "*1\r\n$4\r\nPING\r\n"); err != nil {
			return err
		}
		if answer, err := answers.ReadString('\n'); err != nil || answer != "+PONG\r\n" {
			return fmt.Errorf("redis answered %q: %w", answer, err)
		}
	}
	return nil
}

func (p *pulse) begin() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.began = time.Now()
}

func (p *pulse) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if took := time.Since(p.began); took > tooLong {
		p.late, p.took = time.Now(), took
	}
	p.began = time.Time{}
}

// lateSince returns how long the latest beat took that took too long and ended after then,
// or for how long the one under way does already. It returns 0 where there is none.
func (p *pulse) lateSince(then time.Time) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	if now := time.Since(p.began); !p.began.IsZero() && now > tooLong {
		return now
	}
	if p.late.After(then) {
		return p.took
	}
	return 0
}
