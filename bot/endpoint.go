package bot

import (
	"context"
	"fmt"
	"net"
	"time"

	"hostbot/bot/discord/endpoint"
)

// drainDelay is how long interactions over HTTP are served as usual once the program is to stop: by then a load
// balancer that polls /readyz every second or two has noticed. A later interaction is declined, so that a proxy
// can send it to another replica.
const drainDelay = 5 * time.Second

func (b *Bot) openEndpoint() {
	key := b.settings.Discord.PublicKey.Key()
	b.endpoint = endpoint.New(endpoint.Config{PublicKey: key, OnInteraction: b.responder.Accept, Log: b.log})
}

// receiver returns a function that receives interactions until its context is done.
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

// servesUntil returns until when interactions are served as usual if the program is to stop now.
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
