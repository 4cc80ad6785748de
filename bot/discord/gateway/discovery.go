package gateway

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/bwmarrin/discordgo"
	"golang.org/x/sync/singleflight"

	"hostbot/bot/discord/rest"
)

// answerLife is how long Discord's answer is used: the shards of a process, which all
// lose their connections at once, ask once.
const answerLife = 5 * time.Second

// discoveryLimit bounds a request that several may wait for.
const discoveryLimit = 15 * time.Second

// Discovery asks Discord where the gateway is, for all shards of a process.
type Discovery struct {
	REST REST

	calls singleflight.Group
	last  atomic.Pointer[discordgo.GatewayBotResponse]
	until atomic.Pointer[time.Time] // when last is used no more; nil: not at all
}

// maxDoubts is how often an answer is asked for again whose number of shards cannot be right.
const maxDoubts = 4

// Last is what Discord said last: how many shards it recommends, 0 where that cannot be right, and
// how many sessions may be begun. It is nil until Discord was asked.
func (d *Discovery) Last() *discordgo.GatewayBotResponse { return d.last.Load() }

// GatewayBot returns what Discord says, or has just said. Those who ask at the same time share a
// request, and each waits for it for as long as ctx allows.
func (d *Discovery) GatewayBot(ctx context.Context) (*discordgo.GatewayBotResponse, error) {
	if until := d.until.Load(); until != nil && time.Now().Before(*until) {
		return d.Last(), nil
	}
	asked := d.calls.DoChan("", func() (any, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), discoveryLimit)
		defer cancel()
		answer, err := d.REST.GatewayBot(ctx)
		if err != nil {
			return nil, fmt.Errorf("ask where the gateway is: %w", err)
		}
		if !plausible(answer) {
			answer.Shards = 0
		}
		until := time.Now().Add(answerLife)
		d.last.Store(answer)
		d.until.Store(&until)
		return answer, nil
	})
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case got := <-asked:
		answer, _ := got.Val.(*discordgo.GatewayBotResponse)
		return answer, got.Err
	}
}

// Forget has Discord be asked the next time, whatever it has just said or is being asked.
func (d *Discovery) Forget() {
	d.until.Store(nil)
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

// Ask asks until Discord answers, and tells lost of each attempt that failed. The
// error is a *FinalError, or that ctx is done. Where the number of shards cannot be right, Discord is
// asked again some times, and then the answer has 0 of them.
func (d *Discovery) Ask(ctx context.Context, lost func(error)) (*discordgo.GatewayBotResponse, error) {
	var answer *discordgo.GatewayBotResponse
	doubts := 0
	again := func(err error) bool { return ctx.Err() == nil && finalError(err) == nil }
	err := rest.Retry(ctx, rest.Retries{First: minPause, Longest: maxUnreached * 2 / 3, Again: again, OnRetry: lost}, func(ctx context.Context) (err error) {
		answer, err = d.GatewayBot(ctx)
		if err == nil && answer.Shards == 0 && doubts < maxDoubts {
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
