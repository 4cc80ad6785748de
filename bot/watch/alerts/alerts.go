// Package alerts tells customers by direct message that a bot of theirs stopped running
// unasked, and that it is back. Channels tell so in the channel of a panel. Both are topics of package notify.
//
// A customer turns alerts on for a bot or for all. From then on package watcher polls the account.
//
// The bots of a customer that fall within two minutes of each other, and their recovery, are one
// message, which is edited. An edit notifies nobody. So a bot that was back and falls again has a new
// message. What only an edit said is said by another message in the place of the edited one, if the bot
// is still down two minutes later. Of a bot that fell for the third time in ten minutes a
// message says that it keeps falling. Then there is no other until the bot has run for ten minutes.
//
// Another message in the place of the first says that the bots are back. It is silent if none was down for more than
// two minutes. There is only an edit if somebody acted on a bot that was down for as short: they look at it.
//
// During maintenance nobody is notified of falls. Of a bot that is still down after it a message tells then, of one that
// is back none.
//
// A customer may set a delay: there is no message of a bot that is back before that. In a customer's quiet hours no message
// notifies. What waits for their end is one message then.
//
// Restarts restart a bot that crashed, if its owner wants that. The message of such a bot waits until it has run for a while, and is
// silent then, or until it is known that the bot stays down. Further falls of it within ten minutes are edits.
package alerts

import (
	"context"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/rs/zerolog"

	"hostbot/bot/interaction"
	"hostbot/bot/store/keyspace"
	"hostbot/bot/store/record"
	"hostbot/bot/watch/notify"
	"hostbot/bot/watch/panel"
	"hostbot/hostapi"
)

// Alert is what a message says: which bots of a customer a poll has found to have fallen, and
// which of them are back.
type Alert struct {
	CustomerID string `json:"-"`
	Locale     string `json:"-"` // in which it is drawn

	ID    string    `json:"id"` // the name of its first fall, which names the message too
	First time.Time `json:"first"`
	Bots  []Outage  `json:"bots"` // one or more
}

// Outage is that of one bot.
type Outage struct {
	ServerID string        `json:"server"`
	Name     string        `json:"name"`
	State    hostapi.State `json:"state"` // in which the bot fell, the last time
	DownAt   time.Time     `json:"down"`  // when a poll found it so, the last time
	Count    int           `json:"count"` // how often it fell, never running for QuietFor between
	// DownSince is since when it has not run, and FirstDown when it fell the first time of these; zero if that is
	// Alert.First.
	DownSince time.Time `json:"down_since,omitzero"`
	FirstDown time.Time `json:"first,omitzero"`
	// Before is when it fell the last times before DownAt, at most two.
	Before []time.Time `json:"before,omitempty"`
	// Uptime is for how long the bot had run, and for longer where AtLeast is set; 0 where
	// nobody knows.
	Uptime      time.Duration `json:"uptime,omitempty"`
	AtLeast     bool          `json:"at_least,omitempty"`
	RecoveredAt time.Time     `json:"recovered,omitzero"` // zero: it is still down

	Last      string `json:"last"`                // names the last fall
	Elsewhere bool   `json:"elsewhere,omitempty"` // a later alert tells how the bot fares
	// Quiet says that a message has notified the customer that the bot keeps falling.
	Quiet bool `json:"quiet,omitempty"`
	// Restarts is how often the program has restarted the bot by itself since the last fall, Silent that a recovery by that
	// need not notify the customer, and StaysDown that there was no further one. The leader writes them.
	Restarts  int  `json:"restarts,omitempty"`
	Silent    bool `json:"silent,omitempty"`
	StaysDown bool `json:"stays_down,omitempty"`
	// Pending is for how long a message of the bot waits, as the program is about to restart it, or has just done so; 0 for
	// none.
	Pending time.Duration `json:"-"`
	// Notify is from when on another message tells of the last fall, or of the recovery, of which only an edit
	// did; zero: a message has told of it, or none is to.
	Notify time.Time `json:"notify,omitzero"`
}

// delivery is an alert and what was sent of it. Its ID in Redis is OWNER/ALERT. The watcher's polls
// write the alert, the leader what it has notified the customer of.
type delivery struct {
	Alert
	notify.Delivery
}

// Watching is what alerts need of the watcher.
type Watching interface {
	panel.Watching
	On() bool
}

// Config is what Alerts need.
type Config struct {
	// Redis must heed the deadline of a command's context.
	Redis    redis.UniversalClient
	Space    keyspace.Space // in Redis
	DMs      *notify.Notifier
	Watching Watching
	// Draw returns the message of an alert. The first embed of it must have the
	// timestamp that Alert.Mark returns.
	Draw     func(Alert) interaction.Message
	Restarts *Restarts // may be nil
	// Held is outages.Outages.Held.
	Held func(serverID, name string) time.Duration
	// Notify is for how long a bot is down of which only an edit has told, before another message does.
	// Tests may be less patient than DefaultNotify.
	Notify time.Duration
	Log    zerolog.Logger
}

// DefaultNotify is Config.Notify in operation.
const DefaultNotify = 2 * time.Minute

// atOnce is how many alerts are sent at once, of the fifty requests a second that Discord takes
// from a bot (documentation, "Rate Limits: Global Rate Limit").
// Those in channels come behind.
const atOnce, channelsAtOnce = 10, 4

// Alerts keep who is notified of what, and notify. They are safe for concurrent use.
type Alerts struct {
	*teller
	settings *record.Kind[Settings]
}

// New returns alerts. The leader sends them (Work). Those of a customer take turns with those of others.
func New(c Config) *Alerts {
	a := &Alerts{settings: &record.Kind[Settings]{Redis: c.Redis, Space: c.Space, Name: settingsKind, Format: settingsFormat, Lenient: true}}
	a.teller = newTeller(c, a.audience, notify.Topic[delivery]{
		Name: kind, AtOnce: atOnce, GiveUp: func(*delivery) time.Duration { return notify.Drop }, End: a.close,
	})
	return a
}

// audience is the customer.
func (a *Alerts) audience(ctx context.Context, customerID string) (audience, error) {
	settings, err := a.Settings(ctx, customerID)
	return audience{settings, customerID, "", func(alert Alert, locale string) interaction.Message {
		alert.CustomerID, alert.Locale = customerID, locale
		return a.cfg.Draw(alert)
	}}, err
}

// Offered reports whether there are alerts at all.
func (a *Alerts) Offered() bool { return a.cfg.Watching.On() }
