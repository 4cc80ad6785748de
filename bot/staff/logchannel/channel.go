package logchannel

import (
	"context"
	"slices"
	"sync/atomic"
	"time"

	"github.com/bwmarrin/discordgo"
	"github.com/cenkalti/backoff/v5"
	"github.com/rs/zerolog"
)

// channel records the entries for a channel and delivers them.
type channel struct {
	Config
	id     string
	log    zerolog.Logger
	outbox *outbox
	stream *stream
	status atomic.Pointer[Status]
	// announce tells the staff of other channels about this one.
	announce func(*discordgo.MessageEmbed)

	// Used by run alone.
	retryAt time.Time // nothing is sent before
	pauses  *backoff.ExponentialBackOff
	last    verdict // on the latest request
	single  bool    // Discord refused several embeds at once
}

func newChannel(id, token string, c Config) *channel {
	pauses := backoff.NewExponentialBackOff()
	pauses.InitialInterval, pauses.MaxInterval = c.Timing.RetryFirst, c.Timing.RetryFail
	ch := &channel{
		Config: c, id: id, log: c.Log.With().Str("channel", id).Logger(), pauses: pauses,
		outbox: &outbox{limit: 2 * c.MaxWaiting}, stream: &stream{redis: c.Redis, keys: keysOf(c.Space, id), token: token, lease: c.Timing.Lease},
	}
	ch.status.Store(&Status{Channel: id})
	return ch
}

// post keeps an entry in the outbox, and adds it to the stream unless the next
// turn will.
func (ch *channel) post(e Entry) {
	r := newRecord(e, time.Now())
	if ch.outbox.post(r) {
		ctx, cancel := context.WithTimeout(context.Background(), ch.Timing.Record)
		defer cancel()
		_ = ch.add(ctx, []record{r}) // the next turn tries again
	}
}

// add adds records to the stream, and notes where that fails.
func (ch *channel) add(ctx context.Context, records []record) error {
	for some := range slices.Chunk(records, readAhead) {
		if err := ch.stream.add(ctx, some); err != nil {
			ch.redisAway(err)
			return err
		}
		ch.outbox.added(some)
	}
	return nil
}

func (ch *channel) redisAway(err error) {
	if ch.outbox.failed() {
		ch.log.Warn().Err(err).Msg("redis is away: log channel entries are kept in memory only")
	}
}
