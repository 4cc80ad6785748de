// Package support reports a customer's failure to staff: it posts a message to staff's support channel and starts a
// thread there, one for each failure. A customer may report five failures a day.
//
// The thread is started from the message. Discord recognises the message by its nonce and the thread by its message, so
// that a lost answer leads to no second one. If Discord puts a thread off, the leader starts it when the wait is over.
//
// Staff may answer in the customer's direct messages, and the customer may reply (answer.go).
package support

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/rs/zerolog"

	"hostbot/bot/discord/message"
	"hostbot/bot/discord/rest"
	"hostbot/bot/interaction"
	"hostbot/bot/leader"
	"hostbot/bot/staff/incident"
	"hostbot/bot/store/keyspace"
	"hostbot/bot/store/record"
	"hostbot/bot/watch/notify"
)

const (
	// PerWindow is how many failures a customer may report within Window. An older failure must not be reported, as
	// its record may have expired.
	PerWindow = 5
	Window    = 24 * time.Hour

	// What Redis keeps in the application's space are the records of a kind, for Window. The owner
	// is the customer, and the ID the reference.
	kind   = "support"
	format = 1 // of handed as JSON

	// patience is for how long Discord is tried for each step, while the customer sees that the
	// bot is thinking.
	patience = 8 * time.Second
	// again is after which time a thread is tried again that Discord puts off without saying until when.
	again = 10 * time.Second
	// threadLimit bounds one attempt of the leader's to start a thread.
	threadLimit = 20 * time.Second
)

// Discord is where the support channel is. Errors are *rest.Error.
type Discord interface {
	message.Discord
	StartThread(ctx context.Context, channelID, messageID, name string) error
}

// Config is what a Desk needs.
type Config struct {
	// Redis must heed the deadline of a command's context.
	Redis     redis.UniversalClient
	Space     keyspace.Space // in Redis
	Discord   Discord
	ChannelID string // a text or announcement channel
	DMs       *notify.Notifier
	// Draw returns the message with an answer. The timestamp of its first embed must be Answer.At. Note returns what
	// staff read of it in the thread: sent says that the customer has it as a direct message.
	Draw func(Answer) interaction.Message
	Note func(a Answer, sent bool) interaction.Message
	Log  zerolog.Logger
}

// Case is a failure as staff are to see it.
type Case struct {
	Reference  string
	CustomerID string
	ThreadName string // 1 to rest.MaxThreadName characters
	// Message has buttons of its own, or a text that no other message has.
	interaction.Message
}

// Told is what became of a case that staff have.
type Told struct {
	Already bool // they had it before
	// Trouble is why they see less than they should: the thread, or the message's embed. It is nil
	// where they see all, or will see it without doing anything, and staff should know of it otherwise.
	Trouble error
}

// LimitError says that a customer has told staff of PerWindow failures within Window.
type LimitError struct{ Until time.Time }

func (e *LimitError) Error() string {
	return fmt.Sprintf("support: %d failures within %v; the next may be told of at %s", PerWindow, Window, e.Until.Format(time.RFC3339))
}

// handed is a failure of which staff were told. It is due while Discord puts its thread off.
type handed struct {
	At      int64         `json:"at"` // when that began, in Unix ms
	Message message.State `json:"message"`
	Thread  bool          `json:"thread,omitempty"` // it is there
	Name    string        `json:"name,omitempty"`   // of a thread that is put off
}

// Desk tells staff of failures, and customers of their answers. It is safe for concurrent use.
type Desk struct {
	cfg     Config
	records *record.Kind[handed]
	*notify.Topic[answer]
}

// New returns a desk.
func New(c Config) *Desk {
	d := &Desk{cfg: c, records: &record.Kind[handed]{Redis: c.Redis, Space: c.Space, Name: kind, Format: format, Life: Window}}
	d.Topic = notify.Add(c.DMs, d.topic())
	return d
}

// Tell tells staff of a failure, or finds that they know of it. The error is a *LimitError,
// Discord's or that of Redis; it is incident.ErrNoThread as well where the channel is the reason.
// After an error it may be called again.
func (d *Desk) Tell(ctx context.Context, c Case) (told Told, err error) {
	const attempts = 3 // as two presses at once disturb each other once
	for range attempts {
		if told, err = d.tell(ctx, c); !errors.Is(err, record.ErrConflict) {
			break
		}
	}
	return told, err
}

func (d *Desk) tell(ctx context.Context, c Case) (told Told, err error) {
	r, err := d.take(ctx, c)
	if err != nil {
		return told, err
	}
	told.Already = r.Value.Message.ID != ""
	if !told.Already {
		if err := d.post(ctx, r, c); rest.LacksEmbeds(err) {
			told.Trouble = blamed(err)
		} else if err != nil {
			return told, blamed(err)
		}
	}
	if r.Value.Thread {
		return told, nil
	}
	err = rest.Retry(ctx, rest.Retries{Limit: patience}, func(ctx context.Context) error {
		return d.cfg.Discord.StartThread(ctx, d.cfg.ChannelID, r.Value.Message.ID, c.ThreadName)
	})
	switch {
	case err == nil:
		r.Value.Thread, r.Value.Name = true, ""
		d.keep(ctx, r)
	case told.Already && rest.IsUnknownMessage(err): // staff have deleted it, so they have seen it
	case rest.VerdictOf(err).Passes():
		r.Value.Name = c.ThreadName
		failure := d.records.Save(context.WithoutCancel(ctx), r, later(err))
		if failure != nil && !errors.Is(failure, record.ErrConflict) { // otherwise another press has put it off, or started it
			told.Trouble = errors.Join(told.Trouble, err, failure)
		}
	default:
		told.Trouble = errors.Join(told.Trouble, blamed(err))
	}
	return told, nil
}

// later returns after which time a thread is tried again that Discord puts off.
func later(err error) time.Duration { return max(again, rest.RetryAfter(err)) }

// Work is what the leader does: it starts the threads that Discord has put off.
func (d *Desk) Work() leader.Kind {
	return leader.Kind{Name: kind, Due: d.records.DueKey(), AtOnce: 1, Limit: threadLimit, Reconcile: d.reconcile}
}

// reconcile starts the thread of a case, if that is due. It is tried for Window at most.
func (d *Desk) reconcile(ctx context.Context, id string) (time.Duration, error) {
	r, wait, err := d.records.Take(ctx, id, threadLimit)
	if r == nil {
		return wait, err
	}
	err, wait = d.cfg.Discord.StartThread(ctx, d.cfg.ChannelID, r.Value.Message.ID, r.Value.Name), record.Never
	switch {
	case err == nil:
		r.Value.Thread, r.Value.Name = true, ""
	case rest.VerdictOf(err).Passes() && time.Since(time.UnixMilli(r.Value.At)) < Window:
		wait = later(err)
	case !rest.IsUnknownMessage(err): // staff have not deleted it
		d.cfg.Log.Warn().Err(err).Str("reference", r.ID).Msg("discord does not let the thread of a support case be started: staff have its message alone")
	}
	switch err = d.records.Save(context.WithoutCancel(ctx), r, wait); {
	case errors.Is(err, record.ErrConflict): // a press has found the same
		return 0, nil
	default:
		return r.Again(), err
	}
}

// take returns the record of a failure. The error is a *LimitError, record.ErrConflict or that of Redis.
func (d *Desk) take(ctx context.Context, c Case) (*record.Record[handed], error) {
	own, err := d.records.Of(ctx, c.CustomerID) // which drops those that are over, so that they do not count
	if err != nil {
		return nil, err
	}
	if i := slices.IndexFunc(own, func(r *record.Record[handed]) bool { return r.ID == c.Reference }); i >= 0 {
		return own[i], nil
	}
	r, err := d.records.Add(ctx, c.Reference, c.CustomerID, handed{At: time.Now().UnixMilli()}, record.Never, PerWindow)
	switch {
	case errors.Is(err, record.ErrTooMany):
		oldest := time.Now()
		for _, other := range own {
			if at := time.UnixMilli(other.Value.At); at.Before(oldest) {
				oldest = at
			}
		}
		return nil, &LimitError{Until: oldest.Add(Window)}
	case errors.Is(err, record.ErrExists): // another press was faster
		return nil, record.ErrConflict
	}
	return r, err
}

// post posts the message of a case. If rest.LacksEmbeds holds for the error, it is there without its embed.
// A case that Discord refuses does not count.
func (d *Desk) post(ctx context.Context, r *record.Record[handed], c Case) error {
	wanted := message.Wanted{
		ChannelID: d.cfg.ChannelID, Name: kind + "-" + c.Reference, Message: c.Message,
		Save: func(ctx context.Context, s message.State) error {
			r.Value.Message = s
			return d.records.Save(ctx, r, record.Never)
		},
	}
	err := rest.Retry(ctx, rest.Retries{Limit: patience}, func(ctx context.Context) (err error) {
		r.Value.Message, err = message.Show(ctx, d.cfg.Discord, r.Value.Message, wanted)
		return err
	})
	switch s := r.Value.Message; {
	case s.ID != "":
		d.keep(ctx, r)
	case s.Tried == 0 && !errors.Is(err, record.ErrConflict):
		if err := d.records.Drop(context.WithoutCancel(ctx), r); err != nil {
			d.cfg.Log.Debug().Err(err).Msg("redis does not forget a failure that staff could not be told of")
		}
	}
	return err
}

// keep keeps what is known of a case. Where Redis does not take it, the next press finds out by itself; where
// another press has saved it, that one knows the same.
func (d *Desk) keep(ctx context.Context, r *record.Record[handed]) {
	if err := d.records.Save(context.WithoutCancel(ctx), r, record.Never); err != nil {
		d.cfg.Log.Debug().Err(err).Str("reference", r.ID).Msg("redis does not take that staff know of a failure")
	}
}

// blamed returns an error that says as well if the channel is the reason for it.
func blamed(err error) error {
	if v := rest.VerdictOf(err); v == rest.Forbidden || v == rest.Gone {
		return fmt.Errorf("%w: %w", incident.ErrNoThread, err)
	}
	return err
}
