// Package logchannel delivers entries to the channels that the company's staff watch: each at least once, in the order
// of its channel. Equal errors are counted, so that a storm of them stays readable.
//
// Each channel has a stream of entries in Redis (stream.go). Post adds an entry to it before it returns. While Redis is
// away, the process keeps its entries in memory (buffer.go). The leader reconciles channels. In one turn it reads the
// first entries, sends one message or edit, and removes from the stream what Discord has taken, while it saves what the
// channel's messages show (deliver.go). Entries that were read and not removed are pending. The next turn, perhaps of
// another leader, reads these first. If they may have been sent, it looks for them in the channel.
//
// Equal errors become one message with a count. Those of the same second are counted in the process already.
//
// An entry is lost only if Redis loses it, if its process ends while Redis is away, or if it is dropped because too
// many wait. It appears twice only if Redis has lost that Discord has it, or if the process delivered it while Redis
// was away although Redis had taken it.
package logchannel

import (
	"context"
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
	"hostbot/locale"
)

// Config is what a Delivery needs.
type Config struct {
	Discord message.Discord
	Redis   redis.UniversalClient
	// Embedded says that Redis ends with the process.
	Embedded bool
	Space    keyspace.Space // in Redis
	// Channels has the channels' IDs by category; empty or missing for a category that is off.
	Channels map[Category]string
	Texts    *locale.Texts
	Buttons  Buttons
	// Wake, Leading and Term are leader.Leader's.
	Wake    func(ctx context.Context, kind string, ids ...string)
	Leading func() bool
	Term    func() uint64
	Log     zerolog.Logger // its lines have the field part: "logchannel"
	Timing  Timing
	// MaxWaiting is how many entries may wait for a channel in Redis. Beyond that the oldest are dropped.
	MaxWaiting int
}

// DefaultMaxWaiting is as many entries as a busy company has in a day: some 100 MB in Redis. More wait only if a
// channel takes nothing for longer.
const DefaultMaxWaiting = 100_000

// Timing is how the delivery uses time. DefaultTiming is for Discord; tests may
// be less patient.
type Timing struct {
	Record   time.Duration // bound on Post
	Flush    time.Duration // between two attempts to add the entries in memory to Redis
	Turn     time.Duration // between two requests to a channel
	CountFor time.Duration // for how long a message goes on counting equal errors
	// Work bounds one turn at a channel.
	Work       time.Duration
	Send       time.Duration // bound on the requests to Discord in a turn; less than Work
	Grace      time.Duration // how long Redis may be away before errors and lifecycle are delivered from memory
	RetryFirst time.Duration // pause before a failed request is repeated; it doubles
	RetryMost  time.Duration // longest pause after a failure that may be over at any time
	RetryBusy  time.Duration // longest pause that Discord may ask for
}

// DefaultTiming keeps within Discord's limit of five messages in 5 s for a channel. It ends counting before a message is
// an hour old, when Discord begins to limit edits. If the bot lacks a permission in a channel, it makes about 60 invalid
// requests in ten minutes; after 10,000 of them Discord bans
// (https://discord.com/developers/docs/topics/rate-limits#invalid-request-limit-aka-cloudflare-bans).
func DefaultTiming() Timing {
	return Timing{
		Record: 250 * time.Millisecond, Flush: time.Second, Turn: time.Second, CountFor: 50 * time.Minute,
		Work: 8 * time.Second, Send: 6 * time.Second, Grace: 10 * time.Second,
		RetryFirst: time.Second, RetryMost: 10 * time.Second, RetryBusy: 10 * time.Minute,
	}
}

const (
	// kind names the work of the leader, and is the hash tag of the keys in Redis.
	kind = "logs"
	// atOnce is how many channels are delivered to at a time.
	atOnce = 5
	// callLimit bounds one use of Redis, beside Timing.Record.
	callLimit = time.Second
	// drainCheck is how often a process that ends looks whether all is delivered.
	drainCheck = 50 * time.Millisecond
)

// Delivery records entries, and delivers them if this process leads. It is safe for concurrent
// use.
type Delivery struct {
	config   Config
	channels map[Category]*channel
	all      []*channel // each once
	closing  atomic.Bool
	dropped  atomic.Uint64
	ctx      context.Context
	cancel   context.CancelFunc
	stopping chan struct{}
	running  sync.WaitGroup
}

// New returns a delivery. The leader delivers what it records (Work).
func New(c Config) *Delivery {
	c.Log = c.Log.With().Str("part", "logchannel").Logger()
	d := &Delivery{config: c, channels: make(map[Category]*channel), stopping: make(chan struct{})}
	d.ctx, d.cancel = context.WithCancel(context.Background())
	for _, category := range slices.Sorted(maps.Keys(c.Channels)) {
		id := c.Channels[category]
		if id == "" {
			continue
		}
		ch, own := d.channel(id)
		if !own {
			d.all = append(d.all, ch)
		}
		ch.status.Categories = append(ch.status.Categories, category)
		d.channels[category] = ch
	}
	return d
}

// channel returns the channel with an ID, and whether entries of this process go there. If they do not, the entries
// there are of a replica with other settings, or from before a change of the settings.
func (d *Delivery) channel(id string) (ch *channel, own bool) {
	if i := slices.IndexFunc(d.all, func(ch *channel) bool { return ch.id == id }); i >= 0 {
		return d.all[i], true
	}
	return &channel{
		Delivery: d, id: id, log: d.config.Log.With().Str("channel", id).Logger(),
		stream: newStream(d.config, id), status: Status{Channel: id},
	}, false
}

// Start starts to add the entries in this process's memory to Redis, until Close.
func (d *Delivery) Start() {
	for _, ch := range d.all {
		d.running.Go(ch.run)
	}
}

// Work returns the leader's work: to deliver entries.
func (d *Delivery) Work() leader.Kind {
	return leader.Kind{
		Name: kind, Due: newStream(d.config, "").due, AtOnce: atOnce, Limit: d.config.Timing.Work, Reconcile: d.reconcile, Skip: d.skip,
	}
}

// reconcile takes a turn at a channel.
func (d *Delivery) reconcile(ctx context.Context, id string) (again time.Duration, err error) {
	ch, own := d.channel(id)
	return ch.turn(ctx, !own)
}

// skip drops the entry that waits first for a channel, since the leader cannot deal with it. It also drops the channel's
// state, since that may be the reason.
func (d *Delivery) skip(ctx context.Context, id string) error {
	ch, _ := d.channel(id)
	skipped, err := ch.stream.skip(ctx)
	if skipped {
		d.dropped.Add(1)
	}
	return err
}

// Dropped returns how many entries this process has dropped.
func (d *Delivery) Dropped() uint64 { return d.dropped.Load() }

// Post records an entry. It returns when the entry is in Redis or, while Redis does not answer, in this process's
// memory. An error that equals one of the past second is counted in memory first. After Close another process or the
// next start delivers the entry.
func (d *Delivery) Post(e Entry) {
	if ch := d.channels[e.Category]; ch != nil && (e.Line != "" || e.Embed != nil) {
		ch.post(e)
	}
}

// announce posts to all other channels that one of them has trouble, or has none any more. Each change is posted once.
func (d *Delivery) announce(about, news string, t *trouble, e *discordgo.MessageEmbed) {
	key := strings.Join([]string{news, about, t.Since.Format(time.RFC3339Nano)}, " ")
	for _, ch := range d.all {
		if ch.id != about {
			ch.post(Entry{Category: Lifecycle, Embed: e, DedupKey: key})
		}
	}
}

// Close delivers entries until none is left or ctx is done. It leaves the rest to other processes, or to the next start.
// A process that leads must keep leading until Close returns. Call Close once.
func (d *Delivery) Close(ctx context.Context) {
	d.closing.Store(true)
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
