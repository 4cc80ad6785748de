// Package logchannel sees to it that what happened is in the channels that the
// company's staff watch: nothing is missing, nothing is told twice, and a storm
// of errors stays readable.
//
// Post records an entry in a Redis stream, one for each channel, before it
// returns. Of all processes that share the Redis, one at a time delivers to a
// channel: it gathers what came in a moment, notes what it is about to send, sends
// it, and forgets it only once Discord has taken it. Whoever comes after a process
// that was killed finds that note and sends the same again, which Discord knows by
// its nonce. Equal errors become one message that counts.
//
// While the Redis is away, entries wait in memory, and are delivered from there
// where it stays away. An entry whose recording was cut off in the middle is then
// told again when the Redis comes back with it; nothing else is.
package logchannel

import (
	"context"
	"crypto/rand"
	"slices"
	"sync"
	"time"

	"github.com/bwmarrin/discordgo"
	"github.com/redis/go-redis/v9"
	"github.com/rs/zerolog"

	"hostbot/bot/rest"
	"hostbot/locale"
)

// Discord is where messages go. Errors are *rest.Error.
type Discord interface {
	CreateMessage(ctx context.Context, channelID, nonce string, embeds []*discordgo.MessageEmbed) (id string, err error)
	EditMessage(ctx context.Context, channelID, messageID string, embeds []*discordgo.MessageEmbed) error
	LatestMessages(ctx context.Context, channelID string, limit int) ([]rest.Posted, error)
}

// Channels are the IDs of the channels of each category; empty where nobody
// watches.
type Channels struct {
	Actions, Errors, Lifecycle string
}

// Config is what a Delivery needs.
type Config struct {
	Discord Discord
	Redis   redis.UniversalClient
	// Volatile says that what the Redis holds ends with the process.
	Volatile bool
	Channels Channels
	Texts    *locale.Texts
	Log      zerolog.Logger // its lines have the field part: "logchannel"
	Timing   Timing
	// MaxWaiting is how many entries may wait for a channel before the oldest
	// errors among them are replaced by a summary.
	MaxWaiting int
}

// DefaultMaxWaiting is an hour's worth of a busy company's entries, and some
// megabytes in Redis.
const DefaultMaxWaiting = 5000

// Timing is how the delivery uses time. DefaultTiming is for Discord; tests may
// be less patient.
type Timing struct {
	Record     time.Duration // bound on Post
	Turn       time.Duration // between two requests to a channel; what comes meanwhile is gathered
	EditPause  time.Duration // between two edits of a message that counts
	CountFor   time.Duration // age up to which a message counts
	Lease      time.Duration // until another process delivers in the place of one that was killed
	Send       time.Duration // bound on one request to Discord; less than Lease
	TrustNonce time.Duration // for how long Discord surely knows a nonce
	Grace      time.Duration // how long the Redis may be away before entries are delivered from memory
	RetryFirst time.Duration // pause before a failed request is repeated; it grows
	RetryMost  time.Duration // longest pause where Discord may be back any time
	RetryFail  time.Duration // longest pause where somebody has to mend something
}

// DefaultTiming keeps within Discord's five messages in 5 s for a channel, and
// under the hour after which edits of a message are limited.
func DefaultTiming() Timing {
	return Timing{
		Record: 250 * time.Millisecond, Turn: time.Second, EditPause: 4 * time.Second, CountFor: 50 * time.Minute,
		Lease: 15 * time.Second, Send: 8 * time.Second, TrustNonce: time.Minute, Grace: 10 * time.Second,
		RetryFirst: time.Second, RetryMost: 30 * time.Second, RetryFail: 5 * time.Minute,
	}
}

// Delivery records entries and delivers them. It is safe for concurrent use.
type Delivery struct {
	timing   Timing
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
	if c.Volatile {
		c.Log.Warn().Msg("log channel entries live in memory only: what is not delivered when the process ends is lost")
	}
	d := &Delivery{timing: c.Timing, channels: make(map[Category]*channel), stopping: make(chan struct{})}
	d.ctx, d.cancel = context.WithCancel(context.Background())
	token := rand.Text()
	for _, kind := range []struct {
		category Category
		id       string
	}{{Actions, c.Channels.Actions}, {Errors, c.Channels.Errors}, {Lifecycle, c.Channels.Lifecycle}} {
		if kind.id == "" {
			continue
		}
		i := slices.IndexFunc(d.all, func(ch *channel) bool { return ch.id == kind.id })
		if i < 0 {
			i = len(d.all)
			d.all = append(d.all, newChannel(kind.id, token, c))
		}
		d.all[i].categories = append(d.all[i].categories, kind.category)
		d.channels[kind.category] = d.all[i]
	}
	for _, ch := range d.all {
		ch.announce = func(e *discordgo.MessageEmbed) { d.announce(ch, e) }
	}
	return d
}

// Start delivers what is waiting, also from an earlier start, until Close.
func (d *Delivery) Start() {
	for _, ch := range d.all {
		d.running.Go(func() { ch.run(d.ctx, d.stopping) })
	}
}

// Post records an entry, in memory where Redis does not answer in time. After
// Close it is recorded in Redis alone, for whoever delivers next.
func (d *Delivery) Post(e Entry) {
	ch := d.channels[e.Category]
	if ch == nil || e.Embed == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), d.timing.Record)
	defer cancel()
	ch.post(ctx, newRecord(e, time.Now()))
}

// announce tells of a channel in the others.
func (d *Delivery) announce(about *channel, e *discordgo.MessageEmbed) {
	for _, ch := range d.all {
		if ch == about {
			continue
		}
		ctx, cancel := context.WithTimeout(d.ctx, d.timing.Record)
		ch.post(ctx, newRecord(Entry{Category: Lifecycle, Embed: e}, time.Now()))
		cancel()
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
		list[i] = ch.figures.status(ch)
	}
	return list
}
