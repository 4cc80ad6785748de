package logchannel

import (
	"context"
	"time"

	"github.com/bwmarrin/discordgo"
	"github.com/rs/zerolog"
)

// channel records the entries for a channel.
type channel struct {
	Config
	id      string
	log     zerolog.Logger
	outbox  *outbox
	stream  *stream
	figures figures
	// announce tells the staff of other channels about this one.
	announce func(*discordgo.MessageEmbed)
}

func newChannel(id, token string, c Config) *channel {
	return &channel{
		Config: c, id: id, log: c.Log.With().Str("channel", id).Logger(), outbox: &outbox{limit: 2 * c.MaxWaiting},
		stream: newStream(c.Redis, id, token, c.Timing.Lease), figures: figures{status: Status{Channel: id}},
	}
}

// post keeps an entry in the outbox, and adds it to the stream unless the next
// flush will.
func (ch *channel) post(e Entry) {
	r := newRecord(e, time.Now())
	if ch.outbox.post(r) {
		ctx, cancel := context.WithTimeout(context.Background(), ch.Timing.Record)
		defer cancel()
		ch.add(ctx, r)
	}
}

// flush adds to the stream what it does not have, and tells whether it has
// everything but what is being delivered from the outbox.
func (ch *channel) flush(ctx context.Context) bool {
	asked := !ch.outbox.busy() // without anything to add, the next take asks
	for {
		records := ch.outbox.unrecorded(readAhead)
		if len(records) == 0 {
			break
		}
		if !ch.add(ctx, records...) {
			return false
		}
		asked = true
	}
	if asked && ch.outbox.recovered() {
		ch.log.Info().Msg("redis is back: log channel entries are kept there again")
	}
	return true
}

func (ch *channel) add(ctx context.Context, records ...record) bool {
	err := ch.stream.add(ctx, records...)
	if err == nil {
		ch.outbox.added(records)
	} else if ch.outbox.failed() {
		ch.log.Warn().Err(err).Msg("redis is away: log channel entries are kept in memory only")
	}
	return err == nil
}
