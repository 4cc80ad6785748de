// Package notify writes to people by direct message.
//
// A Topic is a reason to write, such as alerts. What it writes about are its records, each with the state
// of one message (Delivery). Whoever has news saves a record that is due. The leader takes it, asks the
// topic what the message is to say now (Topic.Next), and has Discord show that: it posts the message
// under a nonce, looks for one whose answer was lost, and edits one that is there. So the next reason to
// write is one more Topic: a record type, and a function that returns what its message says.
//
// Each person has a contact: the channel, the language, and the topics that need it. Reach makes sure
// that there is one before a topic counts on it. To somebody new it sends a first message, so that
// whoever takes none learns that at once. Discord blocks bots that open many DMs in a short time, so
// there is a window for that over all processes. Beyond the window the leader opens them, one a second.
//
// While Discord refuses messages whoever they are for, they wait (Pause). One to somebody new says
// nothing of the others: a bot in quarantine may write to those to whom it has written before
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
	// ErrLater says that Discord lets the bot write to nobody new for now, or does not answer. It may in
	// a few minutes.
	ErrLater = errors.New("notify: no direct message can be sent for now")
	// ErrBudget says that enough strangers were written to for now, or for the day.
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
	// OnBudget is called once a day when half of the first messages to strangers are used up. It must not
	// block.
	OnBudget func()
	// Wake tells the leader which records of a kind are due.
	Wake   func(ctx context.Context, kind string, ids ...string)
	Log    zerolog.Logger
	Timing Timing
}

// Timing is how a Notifier uses time. Tests may be less patient.
type Timing struct {
	Work  time.Duration // bound on what is done about a record at once; it is due again after that
	Retry time.Duration // after a message was not sent, unless Discord asks for a longer pause
	// Pause is for how long messages wait after Discord has refused what concerns all, and LongPause
	// after each refusal that follows before it takes one.
	Pause, LongPause time.Duration
	Refused          time.Duration // after Discord has refused one message alone; it doubles each time
	Window           time.Duration // within which windowOpenings DMs are opened at once
	Opening          time.Duration // between two DMs that the leader opens
}

// DefaultTiming returns the timing for Discord.
func DefaultTiming() Timing {
	return Timing{
		Work: 8 * time.Second, Retry: 10 * time.Second, Pause: 10 * time.Minute, LongPause: time.Hour,
		Refused: 2 * time.Minute, Window: 5 * time.Second, Opening: time.Second,
	}
}

// What Redis keeps in the application's space, beside the records of topics:
//
//	{contacts}:record:USER  how somebody is reached. It is due while the DM is yet to be opened. Its owner is that person
//	{dms}:record:pause      until when messages wait (pauses)
//	{dms}:window            how many DMs were opened in the last seconds
//	{dms}:soon, {dms}:day   how many strangers were written to in ten minutes, and in a day
//	{contacts}:counts       hash: how many people took no messages
const (
	contactKind, dmKind = "contacts", "dms"

	format = 1 // of each as JSON

	pauseID   = "pause"
	windowKey = "{dms}:window"
	soonKey   = "{dms}:soon"
	dayKey    = "{dms}:day"

	sentCount, refusedCount = "sent", "refused" // fields of the kinds' counts

	// callLimit bounds one use of Redis.
	callLimit = time.Second
)

// Notifier keeps how people are reached, and writes to them. It is safe for concurrent use.
type Notifier struct {
	Config
	contacts *record.Kind[contact]
	pauses   *record.Kind[pauses] // one record
	pace     *rate.Limiter        // of DMs that this process opens as the leader
	topics   map[string]func(ctx context.Context, userID string) error
}

// New returns a notifier. Topics are added before the leader runs. The leader opens DMs (Work), and
// sends messages (Topic.Work).
func New(c Config) *Notifier {
	return &Notifier{
		Config:   c,
		contacts: &record.Kind[contact]{Redis: c.Redis, Space: c.Space, Name: contactKind, Format: format, Lenient: true},
		pauses:   &record.Kind[pauses]{Redis: c.Redis, Space: c.Space, Name: dmKind, Format: format, Lenient: true},
		pace:     rate.NewLimiter(rate.Every(c.Timing.Opening), 1),
		topics:   make(map[string]func(context.Context, string) error),
	}
}

// Status is how a topic's messages fare, over all processes.
type Status struct {
	Waiting int   // messages that are to be sent or edited
	Sent    int64 // messages, since ever
	Refused int64 // people who took no messages, of all topics
	Pause   Pause
}

// Status asks Redis how the topic's messages fare.
func (t *Topic[T]) Status(ctx context.Context) (s Status, err error) {
	if s.Waiting, err = t.Records.Waiting(ctx); err != nil {
		return s, err
	}
	count := func(kind, of string) (n int64) {
		if err == nil {
			n, err = t.n.Redis.HGet(ctx, t.n.countsKey(kind), of).Int64()
		}
		if errors.Is(err, redis.Nil) {
			err = nil
		}
		return n
	}
	if s.Sent, s.Refused = count(t.Name, sentCount), count(contactKind, refusedCount); err != nil {
		return s, err
	}
	s.Pause, err = t.n.Pause(ctx)
	return s, err
}

// countsKey is the key of a kind's counts.
func (n *Notifier) countsKey(kind string) string { return n.Space.Key("{" + kind + "}:counts") }
