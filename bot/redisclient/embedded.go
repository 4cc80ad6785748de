package redisclient

import (
	"context"
	"net"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"
)

// tick is how often an embedded Redis's clock is moved on, and so by how much later
// than it should a key may expire.
const tick = time.Second

// embedded is a Redis inside the process. It is reached without a port, so that
// no other program on the machine can read or change what it holds.
type embedded struct {
	redis  *miniredis.Miniredis
	client *redis.Client
	stop   context.CancelFunc
	done   chan struct{}
}

func startEmbedded() (*embedded, error) {
	r := miniredis.NewMiniRedis()
	first, err := r.Dial() // which starts it
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
			return r.Dial()
		},
		ContextTimeoutEnabled:    true,
		DisableIdentity:          true,
		DialerRetries:            1,
		MaxRetries:               -1, // none
		MaintNotificationsConfig: &maintnotifications.Config{Mode: maintnotifications.ModeDisabled},
	})
	go e.run(ctx)
	return e, nil
}

// run lets keys expire, which miniredis does not do by itself.
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
