package redisclient

import (
	"context"
	"net"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"
	"github.com/rs/zerolog"
)

// tick is how often an embedded Redis's clock is moved on and room is made, and so
// by how much later than it should a key may expire.
const tick = time.Second

// embedded is a Redis inside the process. It is reached without a port, so that
// no other program on the machine can read or change what it holds.
type embedded struct {
	server *miniredis.Miniredis
	client *redis.Client
	memory *memory
	stop   context.CancelFunc
	done   chan struct{}
}

func startEmbedded(log zerolog.Logger, onFull func(error)) (*embedded, error) {
	server := miniredis.NewMiniRedis()
	first, err := server.Dial() // which starts it
	if err != nil {
		return nil, err
	}
	_ = first.Close()

	ctx, stop := context.WithCancel(context.Background())
	e := &embedded{server: server, stop: stop, done: make(chan struct{})}
	e.client = redis.NewClient(&redis.Options{
		Dialer: func(context.Context, string, string) (net.Conn, error) {
			if ctx.Err() != nil { // dialing a server that is closed would start it again
				return nil, net.ErrClosed
			}
			return server.Dial()
		},
		ContextTimeoutEnabled:    true,
		DisableIdentity:          true,
		DialerRetries:            1,
		MaxRetries:               -1, // none
		MaintNotificationsConfig: &maintnotifications.Config{Mode: maintnotifications.ModeDisabled},
	})
	e.memory = &memory{redis: server, server: server.Server(), client: e.client, log: log, onFull: onFull}
	server.Server().SetPreHook(e.memory.count)
	go e.run(ctx)
	return e, nil
}

// run lets keys expire and makes room. miniredis does neither by itself.
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
		e.server.FastForward(now.Sub(last))
		last = now
		e.memory.makeRoom(ctx)
	}
}

// close ends the server. The client was closed before.
func (e *embedded) close() {
	e.stop()
	<-e.done
	e.server.Close()
}
