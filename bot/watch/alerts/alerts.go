// Package alerts tells customers by direct message that a bot of theirs stopped running
// unasked, and that it is back.
//
// A customer turns alerts on for a bot or for all. That sends a first message to somebody
// new, so that one whose DMs are closed knows at once; not where the bot has sent one, or is
// asked in these DMs and not in quarantine. From then on package watcher looks at the account.
//
// The bots of a customer that fall within two minutes of each other, and their recovery, are one
// message, which is edited. An edit notifies nobody. So a bot that was back and falls again has a new
// message; and what only an edit told of is told by another message in the place of the edited one, if
// the bot is still down two minutes later. Of a bot that fell for the third time in ten minutes a
// message says that it keeps falling. Then there is no other until the bot has run for ten minutes.
//
// The leader sends, each message under a nonce, so that Discord posts one message although the
// request was repeated. A customer whose DMs turn out to be closed is not written to again.
package alerts

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/rs/zerolog"

	"hostbot/bot/discord/message"
	"hostbot/bot/interaction"
	"hostbot/bot/store/keyspace"
	"hostbot/bot/store/record"
	"hostbot/bot/watch/watcher"
	"hostbot/hostapi"
)

// ErrClosed says that the customer takes no direct messages from the bot.
var ErrClosed = errors.New("alerts: the customer's direct messages are closed")

// Alert is what a message says: which bots of a customer a poll has found to have fallen, and
// which of them are back.
type Alert struct {
	CustomerID string `json:"-"`
	Locale     string `json:"-"` // the customer's, as of when alerts were turned on

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
	// FirstDown is when it fell the first time of these; zero if that is Alert.First.
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
	// Notify is from when on another message tells of the last fall, of which only an edit did;
	// zero: a message has told of it, or none is to.
	Notify time.Time `json:"notify,omitzero"`
}

// delivery is an alert and what was sent of it. Its ID in Redis is CUSTOMER/ALERT.
type delivery struct {
	Alert
	Message message.State `json:"message"`
	Sent    bool          `json:"sent,omitempty"`    // Discord has taken it once
	Refused int           `json:"refused,omitempty"` // how often Discord refused its channel
	Held    int           `json:"held,omitempty"`    // how often Discord refused it for a reason that holds all
}

// Discord is where messages go. Errors are *rest.Error.
type Discord interface {
	message.Discord
	OpenDM(ctx context.Context, userID string) (channelID string, err error)
}

// Watching is what alerts need of the watcher.
type Watching interface {
	On() bool
	Watch(ctx context.Context, customerID string, why watcher.Reason) error
	Unwatch(ctx context.Context, customerID string, why watcher.Reason) error
}

// Config is what Alerts need.
type Config struct {
	// Redis must heed the deadline of a command's context.
	Redis    redis.UniversalClient
	Space    keyspace.Space // in Redis
	Discord  Discord
	Watching Watching
	// Draw returns the message of an alert. The first embed of it must have the
	// timestamp that Alert.Mark returns.
	Draw func(Alert) interaction.Message
	// OnHeld is called when Discord begins to refuse direct messages for all, or for all new
	// people, with its refusal. It may be nil and must not block.
	OnHeld func(held Held, reason error)
	// Wake tells the leader which alerts are due.
	Wake   func(ctx context.Context, kind string, ids ...string)
	Log    zerolog.Logger
	Timing Timing
}

// Timing is how alerts use time. Tests may be less patient.
type Timing struct {
	Work  time.Duration // bound on what is done about an alert at once; it is due again after that
	Retry time.Duration // pause after a message was not sent, unless Discord asks for a longer one
	// Hold is the first pause after Discord refused what concerns all messages. It doubles
	// up to LongestHold.
	Hold, LongestHold time.Duration
	Opening           time.Duration // between two DMs that are opened, of all processes, after openBurst at once
	Notify            time.Duration // for how long a bot is down of which only an edit has told, before another message does
}

// DefaultTiming returns the timing for Discord.
func DefaultTiming() Timing {
	return Timing{
		Work: 8 * time.Second, Retry: 10 * time.Second,
		Hold: 2 * time.Minute, LongestHold: 6 * time.Hour, Opening: time.Second,
		Notify: 2 * time.Minute,
	}
}

// Alerts keep who wants to be told of what, and tell. They are safe for concurrent use.
type Alerts struct {
	Config
	records *record.Kind[delivery]
	holds   *record.Kind[hold]
	line    *record.Kind[line] // one record
}

// New returns alerts. The leader sends them (Work).
func New(c Config) *Alerts {
	return &Alerts{
		Config:  c,
		records: &record.Kind[delivery]{Redis: c.Redis, Space: c.Space, Name: kind, Format: format},
		holds:   &record.Kind[hold]{Redis: c.Redis, Space: c.Space, Name: holdKind, Format: format},
		line:    &record.Kind[line]{Redis: c.Redis, Space: c.Space, Name: lineKind, Format: format},
	}
}

// Offered reports whether there are alerts at all.
func (a *Alerts) Offered() bool { return a.Watching.On() }

// Status is how alerts fare, over all processes.
type Status struct {
	Waiting int   // messages that are to be sent or edited
	Sent    int64 // messages, since ever
	Refused int64 // customers for whom alerts were turned off, as they take no messages
	Held    Held
}

// Status asks Redis how alerts fare.
func (a *Alerts) Status(ctx context.Context) (Status, error) {
	waiting, err := a.records.Waiting(ctx)
	if err != nil {
		return Status{}, err
	}
	counts, err := a.Redis.HGetAll(ctx, a.Space.Key(countsKey)).Result()
	if err != nil {
		return Status{}, err
	}
	count := func(of string) int64 { n, _ := strconv.ParseInt(counts[of], 10, 64); return n }
	held, err := a.held(ctx)
	return Status{waiting, count(sentCount), count("refused"), held}, err
}
