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

// answerLife is how long Discord's answer is used: the shards of a process, which all
// lose their connections at once, ask once.
const answerLife = 5 * time.Second

// discoveryLimit bounds a request that several may wait for.
const discoveryLimit = 15 * time.Second

// Discovery asks Discord where the gateway is, for all shards of a process. While Discord refuses to
// say, it answers what was so before: see assume.
type Discovery struct {
	REST REST
	// API is the address of Discord's REST API.
	API string
	// Redis keeps what Discord said last, for processes that start; nil for none.
	Redis redis.UniversalClient
	Space keyspace.Space // in Redis
	// OnRefused is told once that Discord refuses to say where the gateway is, why, and which address is
	// used instead. It may be nil.
	OnRefused func(why error, address string)

	calls singleflight.Group

	mu      sync.Mutex
	last    *discordgo.GatewayBotResponse // never changed
	until   time.Time                     // until when it is used
	resets  time.Time                     // when the day's sessions are counted anew
	refused error                         // why last is assumed; nil if Discord said it
}

// maxDoubts is how often an answer is asked for again whose number of shards cannot be right.
const maxDoubts = 4

// Last is what Discord said last, or is assumed to say: how many shards it recommends, 0 where that cannot
// be right or is not known, and how many sessions may be begun. It is nil until Discord was asked.
func (d *Discovery) Last() *discordgo.GatewayBotResponse {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.last
}

// GatewayBot returns what Discord says, or has just said. Those who ask at the same time share a
// request, and each waits for it for as long as ctx allows.
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

// ask asks Discord, and notes what it says.
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

// Forget has Discord be asked the next time, whatever it has just said or is being asked.
func (d *Discovery) Forget() {
	d.mu.Lock()
	d.until = time.Time{}
	d.mu.Unlock()
	d.calls.Forget("")
}

// plausible reports whether Discord may recommend so many shards: one or more, and no more than
// the sessions that may be begun in a day, as each shard has one. There are 1,000 of these, or five for
// each shard of a large bot
// (https://discord.com/developers/docs/events/gateway#sharding-for-large-bots).
func plausible(answer *discordgo.GatewayBotResponse) bool {
	total := answer.SessionStartLimit.Total
	return answer.Shards > 0 && (total <= 0 || answer.Shards <= total)
}

// Ask asks until Discord answers, or it is known what was so before, and tells lost of each attempt that
// failed. The error is a *FinalError, or that ctx is done. Where the number of shards cannot be right,
// Discord is asked again some times, and then the answer has 0 of them.
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
