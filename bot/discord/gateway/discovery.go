package gateway

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/bwmarrin/discordgo"
	"github.com/redis/go-redis/v9"
	"golang.org/x/sync/singleflight"

	"hostbot/bot/discord/rest"
	"hostbot/bot/store/keyspace"
)

// answerLife is how long Discord's answer is reused, so that shards that lose their connections together send
// one request.
const answerLife = 5 * time.Second

// discoveryLimit bounds a request that several shards may wait for.
const discoveryLimit = 15 * time.Second

// Discovery asks Discord for the gateway's address, the recommended number of shards and the session limits
// (GET /gateway/bot), for all shards of a process. While Discord refuses to answer, the answer is assumed.
type Discovery struct {
	REST REST
	// API is the address of Discord's REST API.
	API string
	// Redis keeps Discord's last answer, for processes that start; it may be nil.
	Redis redis.UniversalClient
	Space keyspace.Space // in Redis
	// OnRefused is called once when Discord begins to refuse an answer, with the address that is used instead.
	// It may be nil.
	OnRefused func(why error, address string)

	calls singleflight.Group

	mu      sync.Mutex
	last    *discordgo.GatewayBotResponse // replaced, never changed
	until   time.Time                     // until when it is reused
	resets  time.Time                     // when a new day of sessions begins
	refused error                         // why last is assumed; nil if Discord answered
}

// maxDoubts is how often Discord is asked again for a plausible number of shards.
const maxDoubts = 4

// Last returns Discord's last answer, real or assumed. Shards is 0 if the number is not plausible or not known.
// It is nil until Discord was asked.
func (d *Discovery) Last() *discordgo.GatewayBotResponse {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.last
}

// GatewayBot returns Discord's answer, which may be up to answerLife old. Concurrent callers share a request;
// each waits for it until its own ctx is done.
func (d *Discovery) GatewayBot(ctx context.Context) (*discordgo.GatewayBotResponse, error) {
	d.mu.Lock()
	last, until := d.last, d.until
	d.mu.Unlock()
	if time.Now().Before(until) {
		return last, nil
	}
	asked := d.calls.DoChan("", func() (any, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), discoveryLimit)
		defer cancel()
		return d.ask(ctx)
	})
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case got := <-asked:
		answer, _ := got.Val.(*discordgo.GatewayBotResponse)
		return answer, got.Err
	}
}

// ask asks Discord and saves its answer.
func (d *Discovery) ask(ctx context.Context) (*discordgo.GatewayBotResponse, error) {
	answer, err := d.REST.GatewayBot(ctx)
	if refused, ok := errors.AsType[*rest.Error](err); ok && rest.IsLimited(err) && refused.RetryAfter > maxUnreached {
		if assumed := d.assume(ctx, refused); assumed != nil {
			return assumed, nil
		}
	}
	if err != nil {
		return nil, fmt.Errorf("ask where the gateway is: %w", err)
	}
	if !plausible(answer) {
		answer.Shards = 0
	}
	now := time.Now()
	d.mu.Lock()
	d.last, d.until, d.refused = answer, now.Add(answerLife), nil
	d.resets = now.Add(time.Duration(answer.SessionStartLimit.ResetAfter) * time.Millisecond)
	d.mu.Unlock()
	d.keep(ctx, answer)
	return answer, nil
}

// Forget makes the next call of GatewayBot send a request of its own.
func (d *Discovery) Forget() {
	d.mu.Lock()
	d.until = time.Time{}
	d.mu.Unlock()
	d.calls.Forget("")
}

// plausible reports whether the recommended number of shards can be right: at least one, and at most the
// sessions of a day, as each shard has one. These are 1,000, or five for each shard of a large bot
// (https://discord.com/developers/docs/events/gateway#sharding-for-large-bots).
func plausible(answer *discordgo.GatewayBotResponse) bool {
	total := answer.SessionStartLimit.Total
	return answer.Shards > 0 && (total <= 0 || answer.Shards <= total)
}

// Ask calls GatewayBot until it succeeds, and lost after each failed attempt. The error is a *FinalError, or
// ctx's. If the number of shards is not plausible after maxDoubts further attempts, it is 0.
func (d *Discovery) Ask(ctx context.Context, lost func(error)) (*discordgo.GatewayBotResponse, error) {
	var answer *discordgo.GatewayBotResponse
	doubts := 0
	again := func(err error) bool { return ctx.Err() == nil && finalError(err) == nil }
	err := rest.Retry(ctx, rest.Retries{First: minPause, Longest: maxUnreached * 2 / 3, Again: again, OnRetry: lost}, func(ctx context.Context) (err error) {
		answer, err = d.GatewayBot(ctx)
		if err == nil && answer.Shards == 0 && doubts < maxDoubts && d.Refused() == nil {
			doubts++
			d.Forget()
			return errNoShards
		}
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
