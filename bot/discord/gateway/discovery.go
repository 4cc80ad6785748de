package gateway

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/discord/rest"
)

// answerLife is how long Discord's answer is used: the shards of a process, which all
// lose their connections at once, ask once.
const answerLife = 5 * time.Second

// Discovery asks Discord where the gateway is, for all shards of a process.
type Discovery struct {
	REST REST

	mu   sync.Mutex
	at   time.Time
	last atomic.Pointer[discordgo.GatewayBotResponse]
}

// Last is what Discord said last: how many shards it recommends and how many sessions
// may be begun. It is nil until Discord was asked.
func (d *Discovery) Last() *discordgo.GatewayBotResponse { return d.last.Load() }

// GatewayBot returns what Discord says, or has just said.
func (d *Discovery) GatewayBot(ctx context.Context) (*discordgo.GatewayBotResponse, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if time.Since(d.at) < answerLife {
		return d.Last(), nil
	}
	answer, err := d.REST.GatewayBot(ctx)
	if err != nil {
		return nil, fmt.Errorf("ask where the gateway is: %w", err)
	}
	d.last.Store(answer)
	d.at = time.Now()
	return answer, nil
}

// Forget has Discord be asked the next time, whatever it has just said.
func (d *Discovery) Forget() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.at = time.Time{}
}

// Ask asks until Discord answers, and tells lost of each attempt that failed. The
// error is a *FinalError, or that ctx is done.
func (d *Discovery) Ask(ctx context.Context, lost func(error)) (*discordgo.GatewayBotResponse, error) {
	var answer *discordgo.GatewayBotResponse
	again := func(err error) bool { return ctx.Err() == nil && finalError(err) == nil }
	err := rest.Retry(ctx, rest.Retries{First: minPause, Longest: maxPause, Again: again, OnRetry: lost}, func(ctx context.Context) (err error) {
		answer, err = d.GatewayBot(ctx)
		return err
	})
	switch final := finalError(err); {
	case err == nil:
		return answer, nil
	case final != nil && ctx.Err() == nil:
		return nil, final
	default:
		return nil, ctx.Err()
	}
}
