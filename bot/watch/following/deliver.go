package following

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"hostbot/bot/discord/message"
	"hostbot/bot/discord/rest"
	"hostbot/bot/leader"
	"hostbot/bot/store/record"
	"hostbot/bot/watch/panel"
	"hostbot/hostapi"
)

const (
	// atOnce is how many messages are sent at once: alerts come first.
	atOnce = 4
	// mostAnHour is how many messages a follower gets of one panel in an hour. What happens after
	// that is told once the hour is over, if it is still so.
	mostAnHour = 6
	// mostRefusals is how often a message is tried that Discord refuses, with pauses that double
	// up to longestPause: for eight hours. The person follows the panel no more then.
	mostRefusals, longestPause = 12, 2 * time.Hour
	// nonceLength is in characters (see message.Wanted.Name).
	nonceLength = 18
)

// News are what a message says: which bots of a panel are down or back.
type News struct {
	Locale string      `json:"-"` // the follower's
	Panel  panel.Panel `json:"panel"`
	At     time.Time   `json:"at"` // marks the message
	Down   []Bot       `json:"down,omitempty"`
	Back   []Bot       `json:"back,omitempty"`
}

// Bot is one that is down or back.
type Bot struct {
	ID    string        `json:"id"`
	Name  string        `json:"name"`
	State hostapi.State `json:"state"` // in which it is or was down
	At    time.Time     `json:"at"`    // when it went down, or was back
	Fall  string        `json:"fall"`  // names the outage
}

// Work is what the leader does: it tells followers. Those of a panel take turns with those of
// others.
func (f *Following) Work() leader.Kind {
	return leader.Kind{
		Name: followKind, Due: f.follows.DueKey(), AtOnce: atOnce, Limit: f.Timing.Work, Reconcile: f.reconcile,
		Line: func(id string) string { panelID, _, _ := strings.Cut(id, "/"); return panelID },
	}
}

// reconcile tells a follower what is new.
func (f *Following) reconcile(ctx context.Context, id string) (again time.Duration, err error) {
	r, again, err := f.follows.Take(ctx, id, f.Timing.Work)
	if r == nil {
		return again, err
	}
	wait, err := f.tell(ctx, r)
	if errors.Is(err, errEnded) || errors.Is(err, record.ErrConflict) {
		return 0, nil
	}
	if err != nil {
		f.Log.Debug().Err(err).Msg("a follower was not told and will be told again")
		wait = f.pause(ctx, r, err)
	}
	switch err := f.follows.Save(context.WithoutCancel(ctx), r, wait); {
	case errors.Is(err, record.ErrConflict):
		return 0, nil
	case err != nil:
		return 0, err
	}
	return r.Again(), nil
}

// errEnded says that a follow is no more.
var errEnded = errors.New("following: it has ended")

// tell tells a follower what is new, and returns when to look again. The record is yet to be saved.
func (f *Following) tell(ctx context.Context, r *record.Record[follow]) (again time.Duration, err error) {
	panelID, userID, _ := strings.Cut(r.ID, "/")
	p, err := f.Panels.Get(ctx, r.Value.OwnerID, panelID)
	switch {
	case err != nil:
		return 0, err
	case p == nil:
		return 0, f.end(ctx, r, userID, panelID)
	}
	if r.Value.Sending == nil {
		known, err := f.fallenOf(ctx, r.Value.OwnerID)
		if err != nil {
			return 0, err
		}
		if r.Value.Sending = news(r.Value, *p, known.Value); r.Value.Sending == nil {
			return record.Never, nil
		}
	}
	held, err := f.DMs.HeldFor(ctx)
	if err != nil {
		return 0, err
	}
	if wait := max(held, r.Value.wait(r.Read)); wait > 0 {
		if r.Value.Message.Tried == 0 { // it may be other news by then
			r.Value.Sending = nil
		}
		return wait, nil
	}
	if err := f.send(ctx, r); err != nil {
		if rest.About(err) == rest.AboutRecipient || r.Value.Refused > mostRefusals {
			return 0, f.end(ctx, r, userID, panelID)
		}
		return 0, err
	}
	return 0, nil // something else may be new by now
}

// news returns what a follower of a panel is yet to be told; nil if that is nothing.
func news(to follow, p panel.Panel, known fallen) *News {
	n := &News{Panel: panel.Panel{ID: p.ID, OwnerID: p.OwnerID, GuildID: p.GuildID, ChannelID: p.ChannelID, Title: p.Title, Message: message.State{ID: p.Message.ID}}}
	for _, id := range p.Bots {
		o, is := known[id]
		told, down := to.Down[id]
		switch {
		case !is:
		case o.RecoveredAt.IsZero() && told != o.ID:
			n.Down = append(n.Down, Bot{id, o.Name, o.State, o.DownAt, o.ID})
		case !o.RecoveredAt.IsZero() && down:
			n.Back = append(n.Back, Bot{id, o.Name, o.State, o.RecoveredAt, o.ID})
		}
	}
	for _, b := range slices.Concat(n.Down, n.Back) {
		if b.At.After(n.At) {
			n.At = b.At
		}
	}
	if n.At.IsZero() {
		return nil
	}
	n.At = message.Mark(n.At, p.ID) // the same bot may be on another panel
	return n
}

// wait returns for how long a follower is not told of anything, at a time in Unix ms.
func (to *follow) wait(now int64) time.Duration {
	const hour = time.Hour
	to.Sent = slices.DeleteFunc(to.Sent, func(at int64) bool { return now-at >= hour.Milliseconds() })
	if len(to.Sent) < mostAnHour {
		return 0
	}
	return hour - time.Duration(now-to.Sent[0])*time.Millisecond
}

// send sends a message, and notes what the follower was told.
func (f *Following) send(ctx context.Context, r *record.Record[follow]) error {
	to := &r.Value
	n := *to.Sending
	n.Locale = to.Locale
	shown, err := message.Show(ctx, f.Discord, to.Message, message.Wanted{
		ChannelID: to.Channel, Name: nonce(r.ID), Message: f.Draw(n),
		Is: func(m rest.Posted) bool { return message.HasMark(m, n.At) },
		Save: func(ctx context.Context, s message.State) error {
			to.Message = s
			return f.follows.Save(ctx, r, record.Keep)
		},
	})
	if errors.Is(err, record.ErrConflict) {
		return err
	}
	to.Message = shown
	if err != nil && !rest.LacksEmbeds(err) && rest.About(err) != rest.AboutMessage { // what nobody can see is not sent again
		return err
	}
	if to.Down == nil {
		to.Down = make(map[string]string)
	}
	for _, b := range n.Down {
		to.Down[b.ID] = b.Fall
	}
	for _, b := range n.Back {
		delete(to.Down, b.ID)
	}
	to.Message = message.State{Posts: max(shown.Posts, to.Message.Posts)} // the next one is another
	to.Sent, to.Sending, to.Refused = append(to.Sent, r.Read), nil, 0
	return nil
}

// pause returns after which pause a message is tried again, by how it failed.
func (f *Following) pause(ctx context.Context, r *record.Record[follow], failure error) time.Duration {
	e, ok := errors.AsType[*rest.Error](failure)
	switch {
	case leader.Ended(ctx): // another one leads now
		return 0
	case !ok:
		return f.Timing.Retry
	case e.Status == http.StatusTooManyRequests, e.Temporary():
		return max(f.Timing.Retry, e.RetryAfter)
	case rest.About(failure) == rest.AboutUs: // others are refused as well, which says nothing of this one
		return max(f.Timing.Retry, longestPause/8)
	}
	r.Value.Refused++
	return min(f.Timing.Retry<<min(r.Value.Refused, mostRefusals), longestPause)
}

// end ends a follow. The error is errEnded, unless Redis fails.
func (f *Following) end(ctx context.Context, r *record.Record[follow], userID, panelID string) error {
	if err := f.Unfollow(context.WithoutCancel(ctx), userID, panelID); err != nil {
		return err
	}
	f.Log.Info().Str("follow", r.ID).Msg("somebody follows a panel no more")
	return errEnded
}

// nonce names a follow's messages.
func nonce(id string) string {
	sum := sha256.Sum256([]byte("follow " + id))
	return hex.EncodeToString(sum[:])[:nonceLength]
}
