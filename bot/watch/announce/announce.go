// Package announce tells people of a notice by direct message, once as it begins and once as it ends, if staff want that:
// those who have alerts for a bot that it concerns, and those who follow a panel with such a bot. It is a topic of package
// notify.
//
// Polls find the people (Observe), up to an hour before the notice begins: then the messages do not wait for the service,
// which may be what the maintenance is about. Each person has a record for each notice, so nobody is told twice, whatever
// number of bots or panels they have. A record is looked at once in an interval, as staff may change or end the notice.
//
// These messages come after all others: few are sent at once, and their requests leave room for alerts.
package announce

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"hostbot/bot/discord/message"
	"hostbot/bot/interaction"
	"hostbot/bot/store/keyspace"
	"hostbot/bot/store/record"
	"hostbot/bot/watch/alerts"
	"hostbot/bot/watch/following"
	"hostbot/bot/watch/notify"
	"hostbot/bot/watch/outages"
	"hostbot/bot/watch/panel"
	"hostbot/bot/watch/watcher"
)

// Records have the ID NOTICE/USER. Those with the ID NOTICE/of/CUSTOMER are never due: they say that the people of an
// account have records. The owner is the person or the customer.
const (
	kind   = "announcements"
	format = 1

	// atOnce is how many messages are sent at once.
	atOnce = 2
	// ahead is how long before a notice begins the people are looked for.
	ahead = time.Hour
	// keptFor is how long a record is kept at which nobody looks any more.
	keptFor = 7 * 24 * time.Hour
	// nonceLength is in characters (see message.Wanted.Name).
	nonceLength = 18
)

// Message is what a person is told.
type Message struct {
	Locale  string // the person's
	Notice  outages.Notice
	Over    bool      // the notice has ended; otherwise it begins
	At      time.Time // marks the message
	Bots    []Bot     // which it concerns, as far as the person knows them
	PanelID string    // of the panel that the person follows; "" if the bots are the person's own
}

// Bot is a bot that a notice concerns.
type Bot struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// told is what a person knows of a notice. Only the leader changes it.
type told struct {
	PanelID string `json:"panel,omitempty"`
	Bots    []Bot  `json:"bots,omitempty"`
	Began   bool   `json:"began,omitempty"` // the person has the message of the beginning, and is to have that of the end
	notify.Delivery
}

// Config is what Announcements need.
type Config struct {
	DMs *notify.Notifier
	// Discord is where the messages go. Its requests leave room for alerts.
	Discord notify.Discord
	Notices interface {
		Notices() []outages.Notice
		Notice(ctx context.Context, id string) (*outages.Notice, error)
	}
	Alerts interface {
		Settings(ctx context.Context, customerID string) (alerts.Settings, error)
	}
	Panels    panel.Reader
	Following *following.Following
	// Interval returns at which interval accounts are polled now.
	Interval func() time.Duration
	// Draw returns the message. The timestamp of its first embed must be Message.At.
	Draw func(Message) interaction.Message
}

// Announcements tell people of notices. They are safe for concurrent use.
type Announcements struct {
	cfg Config
	*notify.Topic[told]
}

// New returns Announcements. The leader sends the messages (Work). Notices take turns.
func New(c Config) *Announcements {
	a := &Announcements{cfg: c}
	a.Topic = notify.Add(c.DMs, notify.Topic[told]{
		Name: kind, Format: format, AtOnce: atOnce, Discord: c.Discord, Lenient: true, Life: keptFor,
		Delivery: func(to *told) *notify.Delivery { return &to.Delivery },
		Next:     a.next,
		GiveUp:   func(*told) time.Duration { return notify.Drop },
		End:      a.Forget,
	})
	return a
}

// Forget removes what is kept of a person, and reports whether there was anything.
func (a *Announcements) Forget(ctx context.Context, userID string) (known bool, err error) {
	n, err := a.Records.RemoveAll(ctx, userID)
	return n > 0, err
}

// Observe makes records of the people who are to be told of a notice that concerns bots of a poll. It may be called with
// the same poll twice.
func (a *Announcements) Observe(ctx context.Context, p watcher.Poll) error {
	for _, n := range a.cfg.Notices.Notices() {
		if !n.Announce || time.Until(n.From) > ahead {
			continue
		}
		var bots []Bot
		for _, s := range p.List.Servers {
			if n.Concerns(s.ID, s.Name) {
				bots = append(bots, Bot{ID: s.ID, Name: s.Name})
			}
		}
		if err := a.find(ctx, n, p.CustomerID, bots); err != nil {
			return err
		}
	}
	return nil
}

// find makes records of the people who are to be told of a notice about some bots of a customer's, once.
func (a *Announcements) find(ctx context.Context, n outages.Notice, customerID string, bots []Bot) error {
	if len(bots) == 0 {
		return nil
	}
	found := n.ID + "/of/" + customerID
	if r, err := a.Records.Get(ctx, found, customerID); r != nil || err != nil {
		return err
	}
	people, err := a.people(ctx, customerID, bots)
	if err != nil {
		return err
	}
	for userID, to := range people {
		id := n.ID + "/" + userID
		if err := a.add(ctx, id, userID, to, max(0, time.Until(n.From))); err != nil {
			return err
		}
		a.Wake(ctx, id)
	}
	return a.add(ctx, found, customerID, told{}, record.Never)
}

// people returns who has alerts for some of a customer's bots, or follows a panel with some of them.
func (a *Announcements) people(ctx context.Context, customerID string, bots []Bot) (map[string]told, error) {
	people := make(map[string]told)
	settings, err := a.cfg.Alerts.Settings(ctx, customerID)
	if err != nil {
		return nil, err
	}
	if own := only(bots, func(b Bot) bool { return settings.For(b.ID) }); len(own) > 0 {
		people[customerID] = told{Bots: own}
	}
	panels, err := a.cfg.Panels.Of(ctx, customerID)
	if err != nil {
		return nil, err
	}
	for _, p := range panels {
		shown := only(bots, func(b Bot) bool { return p.All || slices.Contains(p.Bots, b.ID) })
		if len(shown) == 0 {
			continue
		}
		followers, err := a.cfg.Following.FollowerIDs(ctx, p.ID)
		if err != nil {
			return nil, err
		}
		for _, userID := range followers {
			if _, known := people[userID]; !known {
				people[userID] = told{PanelID: p.ID, Bots: shown}
			}
		}
	}
	return people, nil
}

// add adds a record that is due after a time, unless there is one.
func (a *Announcements) add(ctx context.Context, id, owner string, to told, after time.Duration) error {
	if _, err := a.Records.Add(ctx, id, owner, to, after, 0); !errors.Is(err, record.ErrExists) {
		return err
	}
	return nil
}

// only returns those bots of which something is so.
func only(bots []Bot, is func(Bot) bool) (some []Bot) {
	for _, b := range bots {
		if is(b) {
			some = append(some, b)
		}
	}
	return some
}

// next returns the message of a notice that has begun or ended. Whoever has not read that it began is not told that it is
// over, unless the first message may be there: whether it is has yet to be found.
func (a *Announcements) next(ctx context.Context, r *record.Record[told]) (*notify.Wanted[told], time.Duration, error) {
	noticeID, userID, _ := strings.Cut(r.ID, "/")
	n, err := a.cfg.Notices.Notice(ctx, noticeID)
	if err != nil || n == nil {
		return nil, notify.Drop, err
	}
	to, now := &r.Value, time.Now()
	begins, over := !to.Began, n.Over(now)
	switch {
	case over && (!n.Announce || begins && to.Message.Tried == 0):
		return nil, notify.Drop, nil
	case !n.Announce, begins && now.Before(n.From), !begins && !over:
		return nil, a.wait(*n, now), nil
	}
	bots, quiet, err := a.wanted(ctx, userID, *to, now)
	if begins {
		bots = only(bots, func(b Bot) bool { return n.Concerns(b.ID, b.Name) }) // staff may have changed which these are
	}
	switch {
	case err != nil:
		return nil, 0, err
	case len(bots) == 0:
		return nil, notify.Drop, nil
	case quiet > 0 && to.Message.Tried == 0:
		return nil, min(quiet, a.cfg.Interval()), nil
	}
	m := Message{Notice: *n, Over: !begins, At: message.Mark(n.From, r.ID), Bots: bots, PanelID: to.PanelID}
	if m.Over {
		m.At = message.Mark(n.Until, r.ID)
	}
	return &notify.Wanted[told]{
		UserID: userID, Name: keyspace.Hash("announce "+r.ID, nonceLength), Mark: m.At,
		Draw: func(locale string) interaction.Message {
			m.Locale = locale
			return a.cfg.Draw(m)
		},
		Notified: func(to *told) {
			to.Began, to.Delivery = begins, notify.Delivery{Message: message.State{Posts: to.Message.Posts}}
		},
		Again: func(to *told) time.Duration {
			if !to.Began {
				return notify.Drop
			}
			return a.wait(*n, time.Now())
		},
	}, 0, nil
}

// wanted returns of which bots a person still wants to be told, and for how long the person has quiet hours.
func (a *Announcements) wanted(ctx context.Context, userID string, to told, now time.Time) (bots []Bot, quiet time.Duration, err error) {
	if to.PanelID != "" {
		follows, err := a.cfg.Following.Follows(ctx, userID, to.PanelID)
		return only(to.Bots, func(Bot) bool { return follows }), 0, err
	}
	settings, err := a.cfg.Alerts.Settings(ctx, userID)
	return only(to.Bots, func(b Bot) bool { return settings.For(b.ID) }), settings.Quiet.Left(now), err
}

// wait returns how long until a notice begins or ends, an interval at most; 0 if it is over.
func (a *Announcements) wait(n outages.Notice, now time.Time) time.Duration {
	if n.Over(now) {
		return 0
	}
	left := a.cfg.Interval()
	for _, at := range []time.Time{n.From, n.Until} {
		if at.After(now) {
			left = min(left, at.Sub(now))
		}
	}
	return left
}
