package following

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"time"

	"hostbot/bot/discord/message"
	"hostbot/bot/interaction"
	"hostbot/bot/store/record"
	"hostbot/bot/watch/history"
	"hostbot/bot/watch/notify"
	"hostbot/bot/watch/panel"
	"hostbot/bot/watch/watcher"
	"hostbot/hostapi"
	"hostbot/hostapi/accounts"
)

const (
	// atOnce is how many messages are sent at once: alerts come first.
	atOnce = 4
	// mostAnHour is how many messages a follower gets of one panel in an hour. What happens after
	// that is told once the hour is over, if it is still so.
	mostAnHour = 6
	// written is after which time the history has what a poll has shown: the watcher writes it after
	// all observers have returned, in one use of Redis, which takes a second at most.
	written = 2 * time.Second
	// newsFor is for how long it is news that a bot went down. Before it the bot was seen to run.
	newsFor = 24 * time.Hour
	// stopsFor is for how long a bot that was asked to stop may take to be seen so.
	stopsFor = 5 * time.Minute
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
	State hostapi.State `json:"state"`
	At    time.Time     `json:"at"` // since when it is in the state
}

// Observe has followers of panels looked at for whom a poll has news. It may be given a poll twice.
func (f *Following) Observe(ctx context.Context, p watcher.Poll) error {
	concerns := func(c watcher.Change) bool { return c.Unexpected || c.To == hostapi.StateRunning }
	if !slices.ContainsFunc(p.Changes, concerns) {
		return nil
	}
	panels, err := f.Panels.Of(ctx, p.CustomerID)
	if err != nil {
		return err
	}
	var due []string
	for _, shown := range panels {
		followers, err := f.Records.Of(ctx, shown.ID)
		if err != nil {
			return err
		}
		for _, r := range followers {
			if slices.ContainsFunc(p.Changes, func(c watcher.Change) bool {
				return concerns(c) && slices.Contains(shown.Bots, c.ServerID) && r.Value.Down[c.ServerID] != c.Unexpected
			}) {
				due = append(due, r.ID)
			}
		}
	}
	return f.Records.ScheduleAfter(ctx, written, due...)
}

// next returns what is new to a follower.
func (f *Following) next(ctx context.Context, r *record.Record[follow]) (*notify.Wanted[follow], time.Duration, error) {
	panelID, userID, _ := strings.Cut(r.ID, "/")
	to := &r.Value
	p, err := f.Panels.Get(ctx, to.OwnerID, panelID)
	switch {
	case err != nil:
		return nil, 0, err
	case p == nil:
		return nil, notify.Drop, f.Unfollow(ctx, userID, panelID)
	}
	if to.Message.Tried == 0 || to.Sending == nil { // what waited may be other news by now
		if to.Sending, err = f.news(ctx, to, *p); err != nil || to.Sending == nil {
			return nil, record.Never, err
		}
	}
	if wait := to.wait(r.Read); wait > 0 {
		return nil, wait, nil
	}
	n := *to.Sending
	return &notify.Wanted[follow]{
		UserID: userID, Name: nonce(r.ID), Mark: n.At,
		Draw: func(locale string) interaction.Message {
			n.Locale = locale
			return f.Draw(n)
		},
		Notified: func(to *follow) { to.notified(n, r.Read) },
		Again:    func(*follow) time.Duration { return 0 }, // something else may be new by now
	}, 0, nil
}

// news returns what a follower of a panel does not know yet; nil if that is nothing.
func (f *Following) news(ctx context.Context, to *follow, p panel.Panel) (*News, error) {
	past, err := f.History.Bots(ctx, p.OwnerID, time.Now().Add(-newsFor), p.Bots...)
	if err != nil {
		return nil, err
	}
	account, err := f.Known(ctx, p.OwnerID)
	if err != nil {
		return nil, err
	}
	n := &News{Panel: panel.Panel{ID: p.ID, OwnerID: p.OwnerID, GuildID: p.GuildID, ChannelID: p.ChannelID, Title: p.Title, Message: message.State{ID: p.Message.ID}}}
	for _, id := range p.Bots {
		bot := past[id] // zeros, in an unknown state, if nothing is kept of it
		b := Bot{ID: id, State: bot.Standing.State, At: bot.Standing.Since}
		for _, server := range account.List.Servers {
			if server.ID == id {
				b.Name = server.Name
			}
		}
		switch {
		case isDown(bot) && !to.Down[id] && fell(bot, account.Notes[id]):
			n.Down = append(n.Down, b)
		case b.State == hostapi.StateRunning && to.Down[id]:
			n.Back = append(n.Back, b)
		default:
			continue
		}
		if b.At.After(n.At) {
			n.At = b.At
		}
	}
	if n.At.IsZero() {
		return nil, nil
	}
	n.At = message.Mark(n.At, p.ID) // the same bot may be on another panel
	return n, nil
}

// isDown reports whether a bot is down, whether or not somebody wanted it so.
func isDown(bot history.Past) bool {
	kind := history.KindOf(bot.Standing.State)
	return kind == history.Stopped || kind == history.Out
}

// fell reports whether a bot that is down went down unasked: it was seen to run lately, and this program
// did not stop it. last is the last action on it.
func fell(bot history.Past, last accounts.Note) bool {
	asked := last.Action == "stop" && bot.Standing.Since.Sub(last.At) < stopsFor
	return !asked && slices.ContainsFunc(bot.Spans, func(s history.Span) bool { return s.State == hostapi.StateRunning })
}

// wait returns for how long a follower is not told of anything, at a time in Unix ms.
func (to *follow) wait(now int64) time.Duration {
	const hour = time.Hour
	to.Times = slices.DeleteFunc(to.Times, func(at int64) bool { return now-at >= hour.Milliseconds() })
	if len(to.Times) < mostAnHour {
		return 0
	}
	return hour - time.Duration(now-to.Times[0])*time.Millisecond
}

// notified notes of what a message at a time in Unix ms has notified the follower.
func (to *follow) notified(n News, at int64) {
	if to.Down == nil {
		to.Down = make(map[string]bool)
	}
	for _, b := range n.Down {
		to.Down[b.ID] = true
	}
	for _, b := range n.Back {
		delete(to.Down, b.ID)
	}
	to.Times = append(to.Times, at)
	to.end()
}

// end ends a message: the next one is another.
func (to *follow) end() {
	to.Sending, to.Delivery = nil, notify.Delivery{Message: message.State{Posts: to.Message.Posts}}
}

// nonce names a follow's messages.
func nonce(id string) string {
	sum := sha256.Sum256([]byte("follow " + id))
	return hex.EncodeToString(sum[:])[:nonceLength]
}
