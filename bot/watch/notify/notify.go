// Package notify writes to people by direct message, and in channels of guilds.
//
// A Topic is a reason to write, such as alerts. It has records, each with the state of one message (Delivery). To
// notify somebody, save a record that is due. The leader takes it, asks the topic for the message (Topic.Next), and
// shows it: it posts the message under a nonce, finds one whose answer was lost, or edits one that is there. So a new
// reason to write is one more Topic: a record type, and a function that returns the message. Package following is the
// one to copy: once a message has notified the person, Wanted.Notified begins an empty Delivery, and Wanted.Again returns
// 0 so that Next looks for the next message. Alerts keep one message for each record, and edit it.
//
// Each person has a contact: the channel, the language, and the topics that need it. A topic calls Reach first, which
// sends a first message to a new recipient, so that somebody who takes none learns that at once. The topic needs the
// contact until Release. A topic that writes only to people whom another one has reached calls neither, and asks for that
// one's settings in Next, so that it is silent when the other is off. Nor does one that writes in channels
// (Topic.InChannels). Discord blocks bots
// that open many DMs in a short time, so all processes share a window for that. Beyond the window the leader opens one a
// second.
//
// While Discord refuses messages to everybody, all messages wait (Pause). A refusal of a message to a new recipient
// pauses only those to new recipients: a bot in quarantine may write to people to whom it has written before
// (discord-php/DiscordPHP#467, tmercswims/tmerc-cogs#111).
package notify

import (
	"context"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/rs/zerolog"
	"golang.org/x/time/rate"

	"hostbot/bot/discord/message"
	"hostbot/bot/store/keyspace"
	"hostbot/bot/store/record"
)

var (
	// ErrClosed says that the person takes no direct messages from the bot.
	ErrClosed = errors.New("notify: the person's direct messages are closed")
	// ErrLater says that Discord lets the bot write to no new recipient for some minutes, or does not answer.
	ErrLater = errors.New("notify: no direct message can be sent for now")
	// ErrBudget says that the budget of first messages to strangers is used up.
	ErrBudget = errors.New("notify: no more first messages are sent to strangers today")
)

// Discord is where messages go. Errors are *rest.Error.
type Discord interface {
	message.Discord
	OpenDM(ctx context.Context, userID string) (channelID string, err error)
}

// Config is what a Notifier needs.
type Config struct {
	// Redis must heed the deadline of a command's context.
	Redis   redis.UniversalClient
	Space   keyspace.Space // in Redis
	Discord Discord
	// OnPause is called when messages begin to wait, with Discord's refusal. It must not block.
	OnPause func(p Pause, refusal error)
	// OnBudget is called once a day when half of the day's budget for strangers is used up. It must not block.
	OnBudget func()
	// Wake is leader.Leader.Wake.
	Wake   func(ctx context.Context, kind string, ids ...string)
	Log    zerolog.Logger
	Timing Timing
}

// Timing is how a Notifier uses time. Tests may be less patient.
type Timing struct {
	Work  time.Duration // bound on the work on a record, which is due again after that
	Retry time.Duration // after a failure, unless Discord asks for a longer pause
	// Pause is how long messages wait after Discord's first refusal of the bot itself, and LongPause after each
	// further one in a row.
	Pause, LongPause time.Duration
	Refused          time.Duration // after a refusal of one message alone; it doubles each time
	Window           time.Duration // in which windowOpenings DMs may be opened at once
	Opening          time.Duration // between two DMs that the leader opens
}

// DefaultTiming returns the timing for Discord.
func DefaultTiming() Timing {
	return Timing{
		Work: 8 * time.Second, Retry: 10 * time.Second, Pause: 10 * time.Minute, LongPause: time.Hour,
		Refused: 2 * time.Minute, Window: 5 * time.Second, Opening: time.Second,
	}
}

// Keys in the application's space, beside the records of topics:
//
//	{contacts}:record:USER  a contact; due while the DM has yet to be opened. Its owner is the person
//	{dms}:record:pause      pauses
//	{dms}:window            how many DMs were opened in Timing.Window
//	{dms}:soon, {dms}:day   how many strangers were written to in ten minutes, and in a day
//	{contacts}:counts       hash: how many people have refused messages
const (
	contactKind, dmKind = "contacts", "dms"

	format = 1 // of the records

	pauseID   = "pause"
	windowKey = "{dms}:window"
	soonKey   = "{dms}:soon"
	dayKey    = "{dms}:day"

	sentCount, refusedCount = "sent", "refused" // fields of the kinds' counts

	// callLimit bounds one request to Redis.
	callLimit = time.Second
)

// Notifier keeps contacts and sends direct messages. It is safe for concurrent use.
type Notifier struct {
	cfg      Config
	contacts *record.Kind[contact]
	pauses   *record.Kind[pauses]                                               // one record
	pace     *rate.Limiter                                                      // of DMs that this process opens as the leader
	ends     []func(ctx context.Context, userID string) (known bool, err error) // Topic.End of each
}

// New returns a notifier. Topics are added before the leader runs. The leader opens DMs (Work), and
// sends messages (Topic.Work).
func New(c Config) *Notifier {
	return &Notifier{
		cfg:      c,
		contacts: &record.Kind[contact]{Redis: c.Redis, Space: c.Space, Name: contactKind, Format: format, Lenient: true},
		pauses:   &record.Kind[pauses]{Redis: c.Redis, Space: c.Space, Name: dmKind, Format: format, Lenient: true},
		pace:     rate.NewLimiter(rate.Every(c.Timing.Opening), 1),
	}
}

// Status is the state of a topic's messages, over all processes.
type Status struct {
	Waiting int   // messages to be sent or edited
	Sent    int64 // messages, in all
	Refused int64 // people who have refused messages of any topic
	Pause   Pause
}

// Status returns the state of the topic's messages.
func (t *Topic[T]) Status(ctx context.Context) (s Status, err error) {
	if s.Waiting, err = t.Records.Waiting(ctx); err != nil {
		return s, err
	}
	p := t.n.cfg.Redis.Pipeline()
	sent, refused := p.HGet(ctx, t.n.countsKey(t.Name), sentCount), p.HGet(ctx, t.n.countsKey(contactKind), refusedCount)
	if _, err = p.Exec(ctx); err != nil && !errors.Is(err, redis.Nil) {
		return s, err
	}
	s.Sent, _ = sent.Int64() // or none yet
	s.Refused, _ = refused.Int64()
	s.Pause, err = t.n.Pause(ctx)
	return s, err
}

// countsKey is the key of a kind's counts.
func (n *Notifier) countsKey(kind string) string { return n.cfg.Space.Key("{" + kind + "}:counts") }
