package following

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"hostbot/bot/discord/message"
	"hostbot/bot/interaction"
	"hostbot/bot/store/keyspace"
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
	// mostAnHour is how many messages a follower gets about one panel in an hour. Later changes wait until the hour
	// is over, and are sent if they still hold.
	mostAnHour = 6
	// mostOpen is how many messages are kept to be edited. An older one stays as it is.
	mostOpen = 6
	// written is how long to wait until the history has what a poll has shown: the watcher saves it after all
	// observers have returned, in one request to Redis that takes a second at most.
	written = 2 * time.Second
	// newsFor is how long ago a bot that is down must have been seen running for that to be news.
	newsFor = 24 * time.Hour
	// stopsFor is how long after a stop action a bot may be seen to stop because of it.
	stopsFor = 5 * time.Minute
	// nonceLength is in characters (see message.Wanted.Name).
	nonceLength = 18
)

// News is the content of a message: which bots of a panel are down or back.
type News struct {
	Locale string      `json:"-"` // the follower's
	Panel  panel.Panel `json:"panel"`
	At     time.Time   `json:"at"` // marks the message
	Down   []Bot       `json:"down,omitempty"`
	Back   []Bot       `json:"back,omitempty"`
}

// Bot is a bot that is down or back.
type Bot struct {
	ID    string        `json:"id"`
	Name  string        `json:"name"`
	State hostapi.State `json:"state"`
	At    time.Time     `json:"at"` // since when it is in the state
}

// Observe makes due the followers for whom a poll has news. It may be called with the same poll twice.
func (f *Following) Observe(ctx context.Context, p watcher.Poll) error {
	concerns := func(c watcher.Change) bool { return c.Unexpected || c.To == hostapi.StateRunning }
	if !slices.ContainsFunc(p.Changes, concerns) {
		return nil
	}
	panels, err := f.cfg.Panels.Of(ctx, p.CustomerID)
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
				return concerns(c) && (shown.All || slices.Contains(shown.Bots, c.ServerID)) && r.Value.Down[c.ServerID] != c.Unexpected
			}) {
				due = append(due, r.ID)
			}
		}
	}
	return f.Records.ScheduleAfter(ctx, written, due...)
}

// next returns the message with what is new to a follower.
func (f *Following) next(ctx context.Context, r *record.Record[follow]) (*notify.Wanted[follow], time.Duration, error) {
	panelID, userID, _ := strings.Cut(r.ID, "/")
	to := &r.Value
	p, err := f.cfg.Panels.Get(ctx, to.OwnerID, panelID)
	switch {
	case err != nil:
		return nil, 0, err
	case p == nil:
		return nil, notify.Drop, f.Unfollow(ctx, userID, panelID)
	}
	after := record.Never
	if to.Message.Tried == 0 { // what waited may be other news by now
		to.Message, to.Sent = message.State{Posts: to.Message.Posts}, false
		var held time.Duration
		if to.Sending, held, err = f.news(ctx, to, *p); err != nil {
			return nil, 0, err
		}
		after = cmp.Or(held, after)
	}
	if to.Sending == nil {
		return f.turn(r), after, nil
	}
	if wait := to.wait(r.Read); wait > 0 {
		return nil, wait, nil
	}
	n := *to.Sending
	return &notify.Wanted[follow]{
		UserID: userID, Name: keyspace.Hash("follow "+r.ID, nonceLength), Mark: n.At, Draw: f.drawn(n),
		Notified: func(to *follow) { to.notified(n, r.Read) },
		Again:    func(*follow) time.Duration { return 0 }, // there may be more news by now
	}, 0, nil
}

// turn returns the edit of a message that tells of a bot which is back; nil if there is none to edit.
func (f *Following) turn(r *record.Record[follow]) *notify.Wanted[follow] {
	to := &r.Value
	i := slices.IndexFunc(to.Open, func(o open) bool { return o.Turned })
	if i < 0 {
		return nil
	}
	o := to.Open[i]
	if to.Message.Tried == 0 { // otherwise Discord took no edit, and another message is being posted
		to.Message.ID, to.Sent = o.MessageID, true
	}
	_, userID, _ := strings.Cut(r.ID, "/")
	return &notify.Wanted[follow]{
		UserID: userID, Name: keyspace.Hash("follow "+r.ID, nonceLength), Mark: o.News.At, Draw: f.drawn(o.News),
		Notified: func(*follow) {},
		Again: func(to *follow) time.Duration {
			to.turned(o.MessageID)
			return 0
		},
	}
}

// drawn returns what draws news in a language.
func (f *Following) drawn(n News) func(locale string) interaction.Message {
	return func(locale string) interaction.Message {
		n.Locale = locale
		return f.cfg.Draw(n)
	}
}

// news returns what a follower of a panel was not notified of; nil if there is nothing. held is after which time there
// may be more, as bots are down during maintenance; 0 if there are none.
func (f *Following) news(ctx context.Context, to *follow, p panel.Panel) (n *News, held time.Duration, err error) {
	account, err := f.cfg.Known(ctx, p.OwnerID)
	if err != nil {
		return nil, 0, err
	}
	shown := p.Shown(account.List.Servers)
	past, err := f.cfg.History.Bots(ctx, p.OwnerID, time.Now().Add(-newsFor), hostapi.IDs(shown)...)
	if err != nil {
		return nil, 0, err
	}
	n = &News{Panel: panel.Panel{ID: p.ID, OwnerID: p.OwnerID, GuildID: p.GuildID, Guild: p.Guild, ChannelID: p.ChannelID, Title: p.Title, Message: message.State{ID: p.Message.ID}}}
	for _, s := range shown {
		bot := past[s.ID] // zeros, in an unknown state, if nothing is kept of it
		b := Bot{ID: s.ID, Name: s.Name, State: bot.Standing.State, At: bot.Standing.Since}
		switch {
		case isDown(bot) && !to.Down[s.ID] && fell(bot, account.Notes[s.ID]):
			if left := f.cfg.Held(s.ID, s.Name); left > 0 {
				held = max(held, left)
				continue
			}
			n.Down = append(n.Down, b)
		case b.State == hostapi.StateRunning && to.Down[s.ID]:
			n.Back = append(n.Back, b)
		default:
			continue
		}
		if b.At.After(n.At) {
			n.At = b.At
		}
	}
	if n.At.IsZero() {
		return nil, held, nil
	}
	n.At = message.Mark(n.At, p.ID) // the same bot may be on another panel
	return n, held, nil
}

// isDown reports whether a bot is down, on request or not.
func isDown(bot history.Past) bool {
	kind := history.KindOf(bot.Standing.State)
	return kind == history.Stopped || kind == history.Out
}

// fell reports whether a bot that is down went down unexpectedly: it was running lately, and this program did not stop
// it. last is the last action on it.
func fell(bot history.Past, last accounts.Note) bool {
	asked := last.Action == "stop" && bot.Standing.Since.Sub(last.At) < stopsFor
	return !asked && slices.ContainsFunc(bot.Spans, func(s history.Span) bool { return s.State == hostapi.StateRunning })
}

// wait returns how long the follower's next message must wait. now is in Unix ms.
func (to *follow) wait(now int64) time.Duration {
	const hour = time.Hour
	to.Times = slices.DeleteFunc(to.Times, func(at int64) bool { return now-at >= hour.Milliseconds() })
	if len(to.Times) < mostAnHour {
		return 0
	}
	return hour - time.Duration(now-to.Times[0])*time.Millisecond
}

// notified notes what a message has notified the follower of. at is in Unix ms.
func (to *follow) notified(n News, at int64) {
	if to.Down == nil {
		to.Down = make(map[string]bool)
	}
	for _, b := range n.Down {
		to.Down[b.ID] = true
	}
	for _, b := range n.Back {
		delete(to.Down, b.ID)
		for i := range to.Open {
			to.Open[i].back(b)
		}
	}
	if len(n.Down) > 0 {
		to.Open = append(to.Open, open{MessageID: to.Message.ID, News: n})
		to.Open = slices.Clone(to.Open[max(0, len(to.Open)-mostOpen):])
	}
	to.Times = append(to.Times, at)
	to.end()
}

// back notes that a bot is back, if the message tells that it is down.
func (o *open) back(b Bot) {
	is := func(down Bot) bool { return down.ID == b.ID }
	if slices.ContainsFunc(o.News.Down, is) {
		o.News.Down, o.News.Back = slices.DeleteFunc(slices.Clone(o.News.Down), is), append(slices.Clone(o.News.Back), b)
		o.Turned = true
	}
}

// turned notes that a message, perhaps by one in its place, shows which of its bots are back.
func (to *follow) turned(messageID string) {
	for i := range to.Open {
		if o := &to.Open[i]; o.MessageID == messageID {
			o.MessageID, o.Turned = to.Message.ID, false
		}
	}
	to.Open = slices.DeleteFunc(to.Open, func(o open) bool { return !o.Turned && len(o.News.Down) == 0 })
	to.end()
}

// giveUp ends a message that is not to be sent any more, or the edit of one.
func (to *follow) giveUp() (after time.Duration) {
	if i := slices.IndexFunc(to.Open, func(o open) bool { return o.Turned }); to.Sending == nil && i >= 0 {
		to.Open = slices.Delete(to.Open, i, i+1)
	}
	to.end()
	return record.Never
}

// end makes the next message a new one.
func (to *follow) end() {
	to.Sending, to.Delivery = nil, notify.Delivery{Message: message.State{Posts: to.Message.Posts}}
}
