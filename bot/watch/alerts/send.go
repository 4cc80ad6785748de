package alerts

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/bwmarrin/discordgo"
	"github.com/redis/go-redis/v9"

	"hostbot/bot/discord/message"
	"hostbot/bot/discord/rest"
)

// perTurn is how many messages are sent in a turn, of the fifty requests a second that
// Discord takes from a bot (documentation, "Rate Limits: Global Rate Limit").
const perTurn = 10

// Run sends what is to be sent, while no other process does, until ctx is done.
func (a *Alerts) Run(ctx context.Context) {
	if a.Offered() {
		a.lease.Run(ctx, a.Timing.Turn, a.Timing.Lease, a.turn)
	}
}

// turn sends the messages that have waited for longest.
func (a *Alerts) turn(ctx context.Context, held bool) {
	if !held || time.Now().UnixMilli() < a.heldUntil.Load() {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, a.Timing.Lease/2) // and nothing is sent once another process may
	defer cancel()
	due, err := redis.NewScript(dueScript).Run(ctx, a.Redis, []string{a.Space.Key(dueKey)}, perTurn).StringSlice()
	if err != nil || len(due) == 0 {
		return
	}
	state, err := a.look(ctx, allHoldKey, a.Timing.Retry)
	if err != nil || state == waits {
		return
	}
	if state == trying {
		due = due[:1]
	}
	var sending sync.WaitGroup
	for _, member := range due {
		sending.Go(func() {
			if err := a.send(ctx, member, state == trying); err != nil {
				a.later(ctx, member, err)
			}
		})
	}
	sending.Wait()
}

// send sends an episode as it is now. An error says that it is to be tried again. Of a try
// all alerts depend that are held.
func (a *Alerts) send(ctx context.Context, member string, try bool) error {
	customerID, serverID, _ := strings.Cut(member, "/")
	owner, err := a.customer(ctx, customerID)
	if err != nil {
		return err
	}
	fields, err := a.Redis.HGetAll(ctx, a.episodeKey(member)).Result()
	if err != nil {
		return err
	}
	e := readEpisode(customerID, serverID, fields)
	if e.id == "" || !owner.For(serverID) {
		return a.drop(ctx, member, fields["id"])
	}
	e.Locale = owner.Locale
	shown, err := a.show(ctx, member, owner.Channel, e)
	if err != nil && !rest.LacksEmbeds(err) { // in a DM nobody could grant anything: it is not sent again
		return a.refused(ctx, member, e, try, err)
	}
	if try {
		a.release(ctx, allHoldKey)
	}
	state, err := json.Marshal(shown)
	if err != nil {
		return err
	}
	keys := []string{a.Space.Key(dueKey), a.episodeKey(member), a.Space.Key(countsKey)}
	return redis.NewScript(sentScript).Run(ctx, a.Redis, keys, member, e.id, state, e.text).Err()
}

// refused does what there is to do about an alert that Discord did not take. An error says
// that it is to be tried again.
func (a *Alerts) refused(ctx context.Context, member string, e episode, try bool, failure error) error {
	switch rest.About(failure) {
	case rest.AboutRecipient:
		return a.refuse(ctx, e.CustomerID)
	case rest.AboutMessage: // where it was deleted, there is nothing to be kept true any more
		if !rest.IsUnknownMessage(failure) {
			a.Log.Error().Err(failure).Msg("discord refuses an alert")
		}
		return a.drop(ctx, member, e.id)
	case rest.AboutChannel:
		return a.channelRefused(ctx, member, e, failure)
	case rest.AboutUs:
		return a.holdAll(ctx, member, e, try, failure)
	default:
		return failure
	}
}

// show makes an episode's message show it as it is now, and returns what is known of it then.
func (a *Alerts) show(ctx context.Context, member, channel string, e episode) (message.State, error) {
	return message.Show(ctx, a.Discord, e.message, message.Wanted{
		ChannelID: channel, Name: e.id, Message: a.Draw(e.Alert),
		Is: func(m rest.Posted) bool { return marked(m, e.Mark()) },
		Save: func(ctx context.Context, s message.State) error {
			state, err := json.Marshal(s)
			if err != nil {
				return err
			}
			return redis.NewScript(stateScript).Run(ctx, a.Redis, []string{a.episodeKey(member)}, e.id, state).Err()
		},
	})
}

// marked reports whether an embed of a message has a time as its mark.
func marked(m rest.Posted, mark time.Time) bool {
	return slices.ContainsFunc(m.Embeds, func(e *discordgo.MessageEmbed) bool {
		at, ok := rest.EmbedTime(e.Timestamp)
		return ok && at.Equal(mark)
	})
}

// later has an episode tried again, without holding others up. Where Discord takes
// nothing at all for now, they all wait and keep their places.
func (a *Alerts) later(ctx context.Context, member string, failure error) {
	wait := a.Timing.Retry
	e, ok := errors.AsType[*rest.Error](failure)
	if ok && e.Global {
		a.heldUntil.Store(time.Now().Add(e.RetryAfter).UnixMilli())
		return
	}
	if ok {
		wait = max(wait, e.RetryAfter)
	}
	a.Log.Debug().Err(failure).Msg("an alert was not sent and is tried again")
	a.putOff(ctx, member, wait)
}

// putOff has an episode wait. Where that fails, it is tried at once.
func (a *Alerts) putOff(ctx context.Context, member string, wait time.Duration) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), callLimit)
	defer cancel()
	_ = redis.NewScript(laterScript).Run(ctx, a.Redis, []string{a.Space.Key(dueKey)}, member, wait.Milliseconds()).Err()
}

// drop gives an episode up, where its nonce is still this; "" where there is none.
func (a *Alerts) drop(ctx context.Context, member, nonce string) error {
	return redis.NewScript(dropScript).Run(ctx, a.Redis, []string{a.Space.Key(dueKey), a.episodeKey(member)}, member, nonce).Err()
}
