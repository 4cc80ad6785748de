// Package logchannel brings entries to the channels that the company's staff
// watch: no entry is missing, none is there twice, and a storm of errors stays
// readable.
//
// Post keeps an entry in the process's outbox and records it in a Redis stream,
// one for each channel, before it returns. Of all processes that share the Redis,
// one at a time has the lease of a channel and delivers. It plans a message for
// the entries that came in a moment, writes the plan to Redis, sends the message,
// and removes the entries once Discord has it. If the process is killed, the next
// holder of the lease finds the plan and sends the same message again, which
// Discord knows by its nonce. Equal errors become one message that counts.
//
// The outbox keeps each entry until Discord has it. A Redis that lost entries, the
// lease, the plan or what was delivered gets them back from the processes that know
// them. While Redis is away for long, each process delivers what Redis never had
// from its outbox. An entry whose recording was cut off in the middle may then be
// told twice.
package logchannel

import (
	"context"
	"crypto/rand"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/bwmarrin/discordgo"
	"github.com/redis/go-redis/v9"
	"github.com/rs/zerolog"

	"hostbot/bot/discord/rest"
	"hostbot/bot/store/keyspace"
	"hostbot/locale"
)

// Config is what a Delivery needs.
type Config struct {
	Discord *rest.Client
	Redis   redis.UniversalClient
	Space   keyspace.Space // in Redis
	// Channels are the IDs of the channels by category; empty or missing where nobody
	// watches.
	Channels map[Category]string
	Texts    *locale.Texts
	Buttons  Buttons
	Log      zerolog.Logger // its lines have the field part: "logchannel"
	Timing   Timing
	// MaxWaiting is how many entries may wait for a channel before each process counts
	// further equal errors itself, until fewer wait. Of those that Redis has, the
	// process keeps the latest ones as well, twice as many.
	MaxWaiting int
}

// DefaultMaxWaiting is an hour's worth of a busy company's entries, and some
// megabytes in Redis.
const DefaultMaxWaiting = 5000

// Timing is how the delivery uses time. DefaultTiming is for Discord; tests may
// be less patient.
type Timing struct {
	Record     time.Duration // bound on Post
	Turn       time.Duration // between two requests to a channel
	CountFor   time.Duration // age up to which a message counts
	Lease      time.Duration // until another process delivers in the place of one that was killed
	Send       time.Duration // bound on one request to Discord; less than Lease
	TrustNonce time.Duration // for how long Discord surely knows a nonce
	Grace      time.Duration // how long Redis may be away before entries are delivered from the outbox
	RetryFirst time.Duration // pause before a failed request is repeated; it grows
	RetryMost  time.Duration // longest pause where Discord may be back any time
	RetryFail  time.Duration // longest pause where somebody has to mend something
}

// DefaultTiming keeps within Discord's five messages in 5 s for a channel, and
// under the hour after which edits of a message are limited.
func DefaultTiming() Timing {
	return Timing{
		Record: 250 * time.Millisecond, Turn: time.Second, CountFor: 50 * time.Minute,
		Lease: 9 * time.Second, Send: 6 * time.Second, TrustNonce: time.Minute, Grace: 10 * time.Second,
		RetryFirst: time.Second, RetryMost: 30 * time.Second, RetryFail: 5 * time.Minute,
	}
}

// Delivery records entries and delivers them. It is safe for concurrent use.
type Delivery struct {
	channels map[Category]*channel
	all      []*channel // each once
	ctx      context.Context
	cancel   context.CancelFunc
	stopping chan struct{}
	running  sync.WaitGroup
}

// New returns a delivery that records; it delivers from Start on.
func New(c Config) *Delivery {
	c.Log = c.Log.With().Str("part", "logchannel").Logger()
	d := &Delivery{channels: make(map[Category]*channel), stopping: make(chan struct{})}
	d.ctx, d.cancel = context.WithCancel(context.Background())
	token := rand.Text()
	for _, category := range slices.Sorted(maps.Keys(c.Channels)) {
		id := c.Channels[category]
		if id == "" {
			continue
		}
		i := slices.IndexFunc(d.all, func(ch *channel) bool { return ch.id == id })
		if i < 0 {
			i = len(d.all)
			d.all = append(d.all, newChannel(id, token, c))
		}
		d.all[i].updateStatus(func(s *Status) { s.Categories = append(s.Categories, category) })
		d.channels[category] = d.all[i]
	}
	for _, about := range d.all {
		about.announce = func(e *discordgo.MessageEmbed) {
			for _, ch := range d.all {
				if ch != about {
					ch.post(Entry{Category: Lifecycle, Embed: e})
				}
			}
		}
	}
	return d
}

// Start delivers what is waiting, also from an earlier start, until Close.
func (d *Delivery) Start() {
	for _, ch := range d.all {
		d.running.Go(func() { ch.run(d.ctx, d.stopping) })
	}
}

// Post records an entry, in the outbox alone where Redis does not answer in time.
// After Close another process or the next start delivers it.
func (d *Delivery) Post(e Entry) {
	if ch := d.channels[e.Category]; ch != nil && (e.Line != "" || e.Embed != nil) {
		ch.post(e)
	}
}

// Close delivers what can be delivered until ctx is done, and leaves the rest to
// other processes or to the next start. It is called once.
func (d *Delivery) Close(ctx context.Context) {
	close(d.stopping)
	stop := context.AfterFunc(ctx, d.cancel)
	defer stop()
	d.running.Wait()
	d.cancel()
}

// Status returns how each channel fares.
func (d *Delivery) Status() []Status {
	list := make([]Status, len(d.all))
	for i, ch := range d.all {
		list[i] = *ch.status.Load()
	}
	return list
}
