package redisclient

import (
	"context"
	"net"
	"sync"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"
)

// tick is how often an embedded Redis's clock is advanced. A key may expire that much too late.
const tick = time.Second

// embedded is a Redis inside the process. It has no port, so that no other program on the machine can access it. It
// has no memory limit: keys without an expiry are what customers and staff have asked for.
type embedded struct {
	redis  *miniredis.Miniredis
	client *redis.Client
	stop   context.CancelFunc
	done   chan struct{}
}

func startEmbedded() (*embedded, error) {
	r := miniredis.NewMiniRedis()
	first, err := r.Dial() // starts it
	if err != nil {
		return nil, err
	}
	_ = first.Close()

	ctx, stop := context.WithCancel(context.Background())
	e := &embedded{redis: r, stop: stop, done: make(chan struct{})}
	e.client = redis.NewClient(&redis.Options{
		Dialer: func(context.Context, string, string) (net.Conn, error) {
			if ctx.Err() != nil { // dialing a server that is closed would start it again
				return nil, net.ErrClosed
			}
			conn, err := r.Dial()
			return &unblocked{Conn: conn}, err
		},
		ContextTimeoutEnabled:    true,
		DisableIdentity:          true,
		DialerRetries:            1,
		Protocol:                 2,
		PipelinePoolSize:         -1, // no separate pool
		MaxRetries:               -1, // no retries
		MaintNotificationsConfig: &maintnotifications.Config{Mode: maintnotifications.ModeDisabled},
	})
	go e.run(ctx)
	return e, nil
}

// run advances the clock, as miniredis does not do so itself.
func (e *embedded) run(ctx context.Context) {
	defer close(e.done)
	ticker := time.NewTicker(tick)
	defer ticker.Stop()
	last := time.Now()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		now := time.Now()
		e.redis.FastForward(now.Sub(last))
		last = now
	}
}

// close ends the server. The client was closed before.
func (e *embedded) close() {
	e.stop()
	<-e.done
	e.redis.Close()
}

// unblocked is a pipe to the embedded Redis with an unlimited write buffer. Without a buffer both ends could wait for
// each other: miniredis answers each command before it reads the next.
type unblocked struct {
	net.Conn

	mu      sync.Mutex
	waiting []byte
	writing bool
	failed  error
}

func (c *unblocked) Write(b []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.failed != nil {
		return 0, c.failed
	}
	c.waiting = append(c.waiting, b...)
	if !c.writing {
		c.writing = true
		go c.pass()
	}
	return len(b), nil
}

// pass writes what is buffered, until nothing is left or the connection fails.
func (c *unblocked) pass() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for len(c.waiting) > 0 && c.failed == nil {
		next := c.waiting
		c.waiting = nil
		c.mu.Unlock()
		_, err := c.Conn.Write(next)
		c.mu.Lock()
		c.failed = err
	}
	c.writing = false
}

// SetWriteDeadline does nothing, as Write never blocks.
func (c *unblocked) SetWriteDeadline(time.Time) error { return nil }
