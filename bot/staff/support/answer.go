package support

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"hostbot/bot/discord/message"
	"hostbot/bot/discord/rest"
	"hostbot/bot/interaction"
	"hostbot/bot/leader"
	"hostbot/bot/store/keyspace"
	"hostbot/bot/store/record"
	"hostbot/bot/watch/notify"
)

const (
	// MaxText is how many characters an answer or a reply has at most: an embed holds it with each of them escaped.
	MaxText = 2000
	// replyFor is how long a customer may reply to an answer, and how long one that could not be sent waits to be read.
	replyFor = 30 * 24 * time.Hour

	// What Redis keeps in the application's space:
	//
	//	{answers}:record:CUSTOMER/ID  an answer, and the state of its message. Its owner is the customer
	//	unread:{CUSTOMER}             hash: an Answer that could not be sent as JSON, by unreadField and ID, until the
	//	                              customer has read it
	answersKind, answersFormat = "answers", 1
	unreadField                = "answer:"

	// atOnce is how many answers are sent at once: people write few, and one after the other they keep their order.
	atOnce = 1
)

// ErrEnded says that a customer cannot reply to an answer: staff have locked the thread, or the answer is not kept any
// more.
var ErrEnded = errors.New("support: no reply to the answer is taken any more")

// Answer is what staff answer to a case.
type Answer struct {
	ID         string    `json:"id"` // among the customer's. Desk.Answer sets it
	CustomerID string    `json:"customer"`
	Locale     string    `json:"locale,omitempty"` // the customer's
	Reference  string    `json:"reference"`
	ThreadID   string    `json:"thread"`
	StaffID    string    `json:"staff"`          // who wrote it
	Text       string    `json:"text,omitempty"` // "" once it is where the customer reads it
	At         time.Time `json:"at"`             // when it was written; it marks the message. Desk.Answer sets it
}

// answer is an answer, and what became of it.
type answer struct {
	Answer
	Unsent bool `json:"unsent,omitempty"` // the customer takes no direct messages
	notify.Delivery
}

// topic is how answers are sent: the message first, then the note for staff.
func (d *Desk) topic() notify.Topic[answer] {
	return notify.Topic[answer]{
		Name: answersKind, Format: answersFormat, AtOnce: atOnce, Life: replyFor,
		Delivery: func(a *answer) *notify.Delivery { return &a.Delivery },
		Next:     d.next,
		GiveUp:   func(a *answer) time.Duration { a.Unsent = true; return 0 }, // each answer finds that it cannot be sent
	}
}

// Answer has a customer get an answer, of which the thread shows what becomes. The error is record.ErrExists if the same
// text is an answer in the same thread already, or that of Redis.
func (d *Desk) Answer(ctx context.Context, a Answer) error {
	a.ID = interaction.ReferenceOf(a.ThreadID + a.Text)
	a.At = message.Mark(time.Now(), a.ID)
	// If the DM is not opened here for another reason than that it is closed, the leader opens it.
	_, err := d.cfg.DMs.Reach(ctx, "", notify.Recipient{UserID: a.CustomerID, Locale: a.Locale})
	id := recordID(a.CustomerID, a.ID)
	_, err = d.Records.Add(ctx, id, a.CustomerID, answer{Answer: a, Unsent: errors.Is(err, notify.ErrClosed)}, 0, 0)
	d.Wake(ctx, id)
	return err
}

// recordID is by which nobody has another customer's answer.
func recordID(customerID, id string) string { return customerID + "/" + id }

// Answers is what the leader does: it sends answers.
func (d *Desk) Answers() leader.Kind { return d.Topic.Work() }

// next returns the message with an answer. Once that is sent or given up, it writes to the thread which of both.
func (d *Desk) next(ctx context.Context, r *record.Record[answer]) (*notify.Wanted[answer], time.Duration, error) {
	a := r.Value.Answer
	switch {
	case time.Since(a.At) > replyFor:
		return nil, notify.Drop, nil
	case !r.Value.Sent && !r.Value.Unsent:
		return &notify.Wanted[answer]{
			UserID: a.CustomerID, Name: a.ID, Mark: a.At, Draw: func(string) interaction.Message { return d.cfg.Draw(a) },
			Notified: func(*answer) {}, Again: func(*answer) time.Duration { return 0 },
		}, 0, nil
	case r.Value.Unsent:
		key := UnreadKey(d.cfg.Space, a.CustomerID)
		data, _ := json.Marshal(a) // texts and times can always be encoded
		if _, err := d.cfg.Redis.TxPipelined(ctx, func(p redis.Pipeliner) error {
			p.HSet(ctx, key, unreadField+a.ID, data)
			return p.Expire(ctx, key, replyFor).Err()
		}); err != nil {
			return nil, 0, err
		}
	}
	err := d.write(ctx, a.ThreadID, "note"+a.ID, d.cfg.Note(a, r.Value.Sent))
	if rest.VerdictOf(err).Passes() {
		return nil, 0, err
	}
	if err != nil {
		d.cfg.Log.Warn().Err(err).Str("reference", a.Reference).Bool("sent", r.Value.Sent).Msg("discord does not let staff be told in the thread what became of an answer")
	}
	r.Value.Text = ""
	return nil, record.Never, nil
}

// write posts to the thread of a case, which opens one that is archived; or to the channel if there is no thread. Discord
// knows the nonce for some minutes. Without its embed the text would be missing, so that is an error.
func (d *Desk) write(ctx context.Context, threadID, nonce string, m interaction.Message) error {
	_, err := d.cfg.Discord.CreateMessage(ctx, threadID, nonce, m)
	if rest.VerdictOf(err) == rest.Gone {
		_, err = d.cfg.Discord.CreateMessage(ctx, d.cfg.ChannelID, nonce, m)
	}
	return err
}

// UnreadKey returns the key of the hash with a customer's unread answers. It is read with the cached account, in one
// round trip, and its fields are passed to Unread.
func UnreadKey(s keyspace.Space, customerID string) string {
	return s.Key("unread:{" + customerID + "}")
}

// Unread returns the oldest unread answer in the fields of the hash at UnreadKey; nil if there is none.
func Unread(fields map[string]string) (oldest *Answer) {
	for field, data := range fields {
		var a Answer
		if strings.HasPrefix(field, unreadField) && json.Unmarshal([]byte(data), &a) == nil && (oldest == nil || a.At.Before(oldest.At)) {
			oldest = &a
		}
	}
	return oldest
}

// Read notes that a customer has read an answer.
func (d *Desk) Read(ctx context.Context, customerID, id string) error {
	return d.cfg.Redis.HDel(ctx, UnreadKey(d.cfg.Space, customerID), unreadField+id).Err()
}

// Reply writes a customer's reply to an answer to the thread. The error is ErrEnded, incident.ErrNoThread with
// Discord's, Discord's, or that of Redis.
func (d *Desk) Reply(ctx context.Context, customerID, id, text string, draw func(Answer) interaction.Message) error {
	r, err := d.Records.Get(ctx, recordID(customerID, id), customerID)
	if err != nil {
		return err
	}
	if r == nil {
		return ErrEnded
	}
	m := draw(r.Value.Answer)
	err = rest.Retry(ctx, rest.Retries{Limit: patience}, func(ctx context.Context) error {
		return d.write(ctx, r.Value.ThreadID, "reply"+interaction.ReferenceOf(id+text), m)
	})
	if code := rest.CodeOf(err); code == rest.CodeLockedThread || code == rest.CodeArchivedThread {
		return ErrEnded
	}
	return blamed(err)
}

// Forget removes all answers to a customer, and reports whether there were any.
func (d *Desk) Forget(ctx context.Context, customerID string) (known bool, err error) {
	n, err := d.Records.RemoveAll(ctx, customerID)
	return n > 0, errors.Join(err, d.cfg.Redis.Del(ctx, UnreadKey(d.cfg.Space, customerID)).Err())
}
