// Package logchannel brings entries to the channels that the company's staff watch: no entry is
// missing, and a storm of errors stays readable.
//
// Post keeps an entry in the process's outbox, and adds it to the channel's queue in Redis before
// it returns, unless Redis is away or an equal error waits. The leader delivers: a channel is what
// it reconciles. It plans a message, or an edit of one, for the entries that wait first, writes the
// plan to Redis, sends the message, and takes the entries out of the queue once Discord has it. If
// the leader dies, the next one finds the plan, looks for its message and sends it under the same
// nonce. Equal errors become one message that counts.
//
// The outbox keeps each entry until its ID is among those that were delivered. While a process
// keeps any, it asks Redis for them every Timing.Ask, and adds again what is neither waiting nor
// delivered. So an entry is missing only if Redis loses it and its process dies as well. It may be
// there twice only if Redis has lost that it was delivered. While Redis is away for long, each
// process delivers what Redis never had from its outbox.
package logchannel

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/bwmarrin/discordgo"
	"github.com/redis/go-redis/v9"
	"github.com/rs/zerolog"

	"hostbot/bot/discord/message"
	"hostbot/bot/leader"
	"hostbot/bot/store/keyspace"
	"hostbot/bot/store/record"
	"hostbot/locale"
)

// Config is what a Delivery needs.
type Config struct {
	Discord message.Discord
	// OnBack is rest.Client's: entries that wait as Discord did not answer are tried again when it
	// does. It may be nil.
	OnBack func(func()) (stop func())
	Redis  redis.UniversalClient
	Space  keyspace.Space // in Redis
	// Channels are the IDs of the channels by category; empty or missing where nobody
	// watches.
	Channels map[Category]string
	Texts    *locale.Texts
	Buttons  Buttons
	// Wake has the leader reconcile what is due; see leader.Leader. Leading reports whether this
	// process leads.
	Wake    func(ctx context.Context, kind string, ids ...string)
	Leading func() bool
	Log     zerolog.Logger // its lines have the field part: "logchannel"
	Timing  Timing
	// MaxWaiting is how many entries may wait for a channel before each process counts
	// further equal errors itself, until fewer wait. Of those that Redis has, the
	// process keeps the latest ones as well, twice as many. Twenty times as many wait in Redis at
	// most, and twice as many in a process while Redis is away: beyond that the oldest are dropped.
	MaxWaiting int
}

// DefaultMaxWaiting is an hour's worth of a busy company's entries, and some
// megabytes in Redis.
const DefaultMaxWaiting = 5000

// Timing is how the delivery uses time. DefaultTiming is for Discord; tests may
// be less patient.
type Timing struct {
	Record   time.Duration // bound on Post
	Turn     time.Duration // between two requests to a channel
	CountFor time.Duration // age up to which a message counts
	// Ask is how often a process that keeps entries asks Redis for them.
	Ask time.Duration
	// Work bounds what is done about a channel at once. It is due again after that.
	Work       time.Duration
	Send       time.Duration // bound on what is sent to Discord at once; less than Work
	Grace      time.Duration // how long Redis may be away before entries are delivered from the outbox
	RetryFirst time.Duration // pause before a failed request is repeated; it doubles
	RetryMost  time.Duration // longest pause where Discord may be back, or somebody has mended something, any time
	RetryBusy  time.Duration // half of the longest pause where Discord asks for one
}

// DefaultTiming keeps within Discord's five messages in 5 s for a channel, and
// under the hour after which edits of a message are limited. A channel in which the bot lacks a
// permission costs about 60 of the 10,000 invalid requests in ten minutes after which Discord bans
// (https://discord.com/developers/docs/topics/rate-limits#invalid-request-limit-aka-cloudflare-bans).
func DefaultTiming() Timing {
	return Timing{
		Record: 250 * time.Millisecond, Turn: time.Second, CountFor: 50 * time.Minute,
		Ask: 2 * time.Second, Work: 8 * time.Second, Send: 6 * time.Second, Grace: 10 * time.Second,
		RetryFirst: time.Second, RetryMost: 10 * time.Second, RetryBusy: 5 * time.Minute,
	}
}

const (
	// kind names the work of the leader, and is the hash tag of the keys in Redis.
	kind = "logs"
	// format is never counted up: a channel must not wait for a later version of the program,
	// which may never run. What this one cannot read is set aside.
	format = 1
	// atOnce is how many channels are delivered to at a time.
	atOnce = 5
)

// Delivery records entries, and delivers them if this process leads. It is safe for concurrent
// use.
type Delivery struct {
	Config
	records  *record.Kind[state]
	channels map[Category]*channel
	all      []*channel // each once
	hurry    atomic.Bool
	dropped  atomic.Uint64
	ctx      context.Context
	cancel   context.CancelFunc
	stopping chan struct{}
	stopBack func() // of OnBack; nil if it was not called
	running  sync.WaitGroup
}

// New returns a delivery that records. What it records is delivered by Work, which the leader
// does.
func New(c Config) *Delivery {
	c.Log = c.Log.With().Str("part", "logchannel").Logger()
	d := &Delivery{Config: c, channels: make(map[Category]*channel), stopping: make(chan struct{})}
	d.records = &record.Kind[state]{Redis: c.Redis, Space: c.Space, Name: kind, Format: format, AnyFormat: true}
	d.ctx, d.cancel = context.WithCancel(context.Background())
	for _, category := range slices.Sorted(maps.Keys(c.Channels)) {
		id := c.Channels[category]
		if id == "" {
			continue
		}
		ch := d.own(id)
		if ch == nil {
			ch = d.newChannel(id)
			d.all = append(d.all, ch)
		}
		ch.status.Categories = append(ch.status.Categories, category)
		d.channels[category] = ch
	}
	return d
}

// own returns the channel with an ID; nil if no entries of this process go there.
func (d *Delivery) own(id string) *channel {
	i := slices.IndexFunc(d.all, func(ch *channel) bool { return ch.id == id })
	if i < 0 {
		return nil
	}
	return d.all[i]
}

// Start looks after the entries that this process posts, until Close.
func (d *Delivery) Start() {
	for _, ch := range d.all {
		d.running.Go(ch.run)
	}
	if d.OnBack != nil {
		d.stopBack = d.OnBack(d.hasten)
	}
}

// hasten has the channels be due whose entries wait for Discord to answer. This process need not
// lead.
func (d *Delivery) hasten() {
	ctx, cancel := context.WithTimeout(d.ctx, callLimit)
	defer cancel()
	for _, ch := range d.all {
		r, err := d.records.Get(ctx, ch.id, "")
		if err != nil || r == nil || r.Value.Trouble == nil || !r.Value.Trouble.Passing {
			continue
		}
		if err := d.records.Hasten(ctx, ch.id); err != nil {
			ch.log.Debug().Err(err).Msg("a log channel is tried again later")
			continue
		}
		d.Wake(ctx, kind, ch.id)
	}
}

// Work is what the leader does: it delivers.
func (d *Delivery) Work() leader.Kind {
	return leader.Kind{
		Name: kind, Due: d.records.DueKey(), AtOnce: atOnce, Limit: d.Timing.Work, Reconcile: d.reconcile, Skip: d.skip,
	}
}

// skip drops the entry that waits first for a channel: the leader cannot deal with it. What is known of
// the messages there goes with it, as that may be the reason.
func (d *Delivery) skip(ctx context.Context, id string) error {
	ch := d.own(id)
	if ch == nil {
		ch = d.newChannel(id)
	}
	entries, err := ch.queue.head(ctx)
	if err != nil {
		return err
	}
	if len(entries) > 0 {
		if err := ch.queue.done(ctx, []string{entries[0].ID}, time.Now()); err != nil {
			return err
		}
		d.dropped.Add(1)
	}
	if _, _, err = d.records.Remove(ctx, id, ""); err != nil {
		return err
	}
	return d.records.Schedule(ctx, id)
}

// Post records an entry: in the outbox, and in Redis too where that answers in time and no equal
// error waits in the outbox.
// After Close another process or the next start delivers it.
func (d *Delivery) Post(e Entry) {
	along, went := e.Along, false
	if along != nil {
		e.Along = func(ctx context.Context, p redis.Pipeliner) {
			if !went { // what is repeated of an entry is not repeated of this
				went = true
				along(ctx, p)
			}
		}
	}
	if ch := d.channels[e.Category]; ch != nil && (e.Line != "" || e.Embed != nil) {
		ch.post(e)
	}
	if went || along == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), d.Timing.Record)
	defer cancel()
	_, _ = d.Redis.Pipelined(ctx, func(p redis.Pipeliner) error {
		along(ctx, p)
		return nil
	})
}

// announce tells the staff of other channels about trouble of one, once of each news.
func (d *Delivery) announce(about, news string, t *trouble, e *discordgo.MessageEmbed) {
	key := strings.Join([]string{news, about, t.Since.Format(time.RFC3339Nano)}, " ")
	for _, ch := range d.all {
		if ch.id != about {
			ch.post(Entry{Category: Lifecycle, Embed: e, DedupKey: key})
		}
	}
}

// Close delivers what can be delivered until ctx is done, and leaves the rest to other processes
// or to the next start. If this process leads, it is to lead on until Close returns. Close is
// called once.
func (d *Delivery) Close(ctx context.Context) {
	if d.stopBack != nil {
		d.stopBack()
	}
	d.hurry.Store(true)
	close(d.stopping)
	stop := context.AfterFunc(ctx, d.cancel)
	defer stop()
	d.running.Wait()
	var closing sync.WaitGroup
	for _, ch := range d.all {
		closing.Go(ch.drain)
	}
	closing.Wait()
	d.cancel()
}

// reconcile delivers what waits first for a channel, if that is due. The channel may be one to
// which no entries of this process go: those of a replica with other settings may, or did.
func (d *Delivery) reconcile(ctx context.Context, id string) (again time.Duration, err error) {
	ch := d.own(id)
	former := ch == nil
	if former {
		ch = d.newChannel(id)
	}
	ch.busy.Store(true)
	defer ch.busy.Store(false)
	r, again, err := d.records.Take(ctx, id, d.Timing.Work)
	if errors.Is(err, record.ErrUnreadable) { // what waits can be delivered without it
		_, _, err = d.records.Remove(ctx, id, "")
	}
	if r == nil && again == 0 && err == nil { // nothing was sent there lately
		if waiting, err := ch.queue.head(ctx); err != nil || len(waiting) == 0 {
			return 0, err
		}
		r = d.records.New(id, "")
		r.Life = d.Timing.CountFor // if nothing waits it is not needed
		if err = d.records.Save(ctx, r, d.Timing.Work); errors.Is(err, record.ErrConflict) {
			return 0, nil
		}
	}
	if err != nil || r == nil {
		return again, err
	}
	if err := ch.bound(ctx, former, time.UnixMilli(r.Read)); err != nil {
		return 0, err
	}
	t := &turn{channel: ch, state: &r.Value, source: &queued{ch.queue, d.records, r, d.Timing.CountFor}}
	t.state.tidy(time.Now(), d.Timing.CountFor)
	idle, err := t.take(ctx)
	switch {
	case errors.Is(err, record.ErrConflict): // it is another's by now
		return 0, nil
	case idle, err != nil:
		return 0, err
	}
	return r.Again(), nil
}
