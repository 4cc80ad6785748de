package bot

import (
	"context"
	"fmt"
	"net"
	"time"

	"hostbot/bot/discord/endpoint"
)

// drainDelay is for how long interactions over HTTP are served as usual when the program was told to
// stop: a load balancer that asks /readyz each second or two has noticed by then. An interaction
// that comes later is declined, for a proxy that sends it to another replica.
const drainDelay = 5 * time.Second

// openEndpoint makes what receives interactions over HTTP.
func (b *Bot) openEndpoint() {
	key := b.settings.Discord.PublicKey.Key()
	b.endpoint = endpoint.New(endpoint.Config{PublicKey: key, OnInteraction: b.responder.Accept, Log: b.log})
}

// receiver returns what receives interactions until its context is done, over HTTP or
// over the gateway.
func (b *Bot) receiver() (receive func(context.Context) error, err error) {
	if b.endpoint == nil {
		return b.shards.Run, nil
	}
	listener, err := net.Listen("tcp", b.settings.Interactions.Addr)
	if err != nil {
		return nil, fmt.Errorf("INTERACTIONS_ADDR: %w", err)
	}
	b.log.Info().Str("address", listener.Addr().String()).Msg("interactions are received over HTTP")
	b.reachable <- struct{}{}
	return func(ctx context.Context) error { return b.endpoint.Run(ctx, listener) }, nil
}

// receiving reports whether interactions arrive.
func (b *Bot) receiving() bool {
	if b.endpoint != nil {
		return b.endpoint.Ready()
	}
	return b.shards != nil && b.shards.Ready()
}

// servesUntil returns until when interactions are served as usual by a program that is told to stop now.
func (b *Bot) servesUntil() time.Time {
	if b.endpoint == nil {
		return time.Now()
	}
	b.endpoint.Leave()
	if b.settings.HTTP.Addr == "" { // no load balancer asks
		return time.Now()
	}
	return time.Now().Add(drainDelay)
}
