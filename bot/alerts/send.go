package alerts

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"hostbot/bot/rest"
)

// latest is how many messages of a DM are looked at to find one that may be there.
const latest = 50

// Run sends what is to be sent, while no other process does, until ctx is done.
func (a *Alerts) Run(ctx context.Context) {
	if !a.Offered() {
		return
	}
	ticker := time.NewTicker(a.Timing.Turn)
	defer ticker.Stop()
	defer func() {
		last, cancel := context.WithTimeout(context.WithoutCancel(ctx), callLimit)
		defer cancel()
		_ = a.sender.Release(last)
	}()
	for {
		a.turn(ctx)
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// turn sends the messages that have waited for longest.
func (a *Alerts) turn(ctx context.Context) {
	if time.Now().Before(a.retryAt) {
		return
	}
	limited, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	ours, err := a.sender.Hold(limited, a.Timing.Lease)
	if err != nil || !ours {
		return
	}
	due, err := redis.NewScript(dueScript).Run(limited, a.Redis, []string{dueKey}, a.Timing.PerTurn).StringSlice()
	if err != nil || len(due) == 0 {
		return
	}
	ctx, cancelSends := context.WithTimeout(ctx, a.Timing.Send) // within the lease
	defer cancelSends()
	failures := make([]error, len(due))
	var sending sync.WaitGroup
	for i, member := range due {
		sending.Go(func() { failures[i] = a.send(ctx, member) })
	}
	sending.Wait()
	a.backOff(failures)
}

// backOff decides from the failures of a turn for how long nothing is sent.
func (a *Alerts) backOff(failures []error) {
	var wait time.Duration
	for _, failure := range failures {
		var e *rest.Error
		switch {
		case failure == nil:
			continue
		case errors.As(failure, &e) && e.Status == http.StatusTooManyRequests:
			wait = max(wait, e.RetryAfter)
		}
		a.Log.Debug().Err(failure).Msg("an alert was not sent and is tried again")
		wait = max(wait, min(max(2*a.pause, a.Timing.RetryFirst), a.Timing.RetryMost))
	}
	a.pause = min(wait, a.Timing.RetryMost)
	a.retryAt = time.Now().Add(wait)
}

// send sends an episode as it is now. An error says that it is to be tried again.
func (a *Alerts) send(ctx context.Context, member string) error {
	customerID, serverID, _ := strings.Cut(member, "/")
	owner, err := a.customer(ctx, customerID)
	if err != nil {
		return err
	}
	fields, err := a.Redis.HGetAll(ctx, episodePrefix+member).Result()
	if err != nil {
		return err
	}
	e := readEpisode(customerID, serverID, fields)
	if e.id == "" || !owner.For(serverID) {
		return a.drop(ctx, member, fields["id"])
	}
	e.Locale = owner.Locale
	message, err := a.deliver(ctx, member, owner.Channel, e)
	switch {
	case err == nil:
	case rest.TakesNoMessages(err):
		return a.refuse(ctx, customerID)
	case rest.IsUnknownMessage(err): // there is nothing to be kept true any more
		return a.drop(ctx, member, e.id)
	case rest.RefusesContent(err):
		a.Log.Error().Err(err).Msg("discord refuses an alert")
		return a.drop(ctx, member, e.id)
	default:
		return a.later(ctx, member, err)
	}
	return redis.NewScript(sentScript).Run(ctx, a.Redis, []string{dueKey, episodePrefix + member, countsKey}, member, e.id, message, e.version).Err()
}

// deliver posts an episode's message, or edits it, and returns its ID. Discord knows a
// nonce for a few minutes, and returns the message then as it was first posted. A message
// that was first sent before that is looked for.
// https://discord.com/developers/docs/resources/message#create-message
func (a *Alerts) deliver(ctx context.Context, member, channel string, e episode) (string, error) {
	content := a.Draw(e.Alert)
	if e.message != "" {
		return e.message, a.Discord.EditMessage(ctx, channel, e.message, content)
	}
	tried, err := redis.NewScript(tryScript).Run(ctx, a.Redis, []string{episodePrefix + member}, e.id, e.version).Int64Slice()
	if err != nil {
		return "", err
	}
	if len(tried) == 2 && time.Duration(tried[0])*time.Millisecond > a.Timing.TrustNonce {
		posted, err := a.Discord.LatestMessages(ctx, channel, latest)
		if err != nil {
			return "", err
		}
		if message := find(posted, e.Mark()); message != "" {
			return message, a.Discord.EditMessage(ctx, channel, message, content)
		}
	}
	message, err := a.Discord.CreateMessage(ctx, channel, e.id, content)
	if err == nil && len(tried) == 2 && tried[1] == 1 {
		err = a.Discord.EditMessage(ctx, channel, message, content)
	}
	return message, err
}

// find returns the ID of the message with a mark; "" where there is none.
func find(posted []rest.Posted, mark time.Time) string {
	for _, m := range posted {
		for _, embed := range m.Embeds {
			if at, err := time.Parse(time.RFC3339, embed.Timestamp); err == nil && at.Equal(mark) {
				return m.ID
			}
		}
	}
	return ""
}

// later has an episode tried again. One that Discord refuses for a reason of its own
// waits without holding others up, and is given up when it expires. So does one that is
// too many for its channel, for as long as Discord asks: most limits are counted for each
// channel (https://discord.com/developers/docs/topics/rate-limits).
func (a *Alerts) later(ctx context.Context, member string, failure error) error {
	var e *rest.Error
	if !errors.As(failure, &e) {
		return failure
	}
	wait := a.Timing.RetryMost
	switch {
	case e.Status == http.StatusTooManyRequests && !e.Global:
		wait = e.RetryAfter
	case e.Temporary():
		return failure
	default:
		a.Log.Warn().Err(failure).Msg("discord refuses an alert, which is tried again")
	}
	return redis.NewScript(laterScript).Run(ctx, a.Redis, []string{dueKey}, member, wait.Milliseconds()).Err()
}

// drop gives an episode up, where its nonce is still this; "" where there is none.
func (a *Alerts) drop(ctx context.Context, member, nonce string) error {
	return redis.NewScript(dropScript).Run(ctx, a.Redis, []string{dueKey, episodePrefix + member}, member, nonce).Err()
}
