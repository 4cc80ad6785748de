package logchannel

import (
	"context"
	"slices"
	"sync"

	"github.com/bwmarrin/discordgo"
	"github.com/rs/zerolog"
)

// maxGathered is how many kinds of errors are gathered at once.
const maxGathered = 500

// channel records the entries for a channel, and delivers them.
type channel struct {
	id         string
	categories []Category
	log        zerolog.Logger
	stream     *stream
	memory     *memory
	figures    figures
	deliverer  deliverer
	// announce tells the staff of other channels about this one.
	announce func(*discordgo.MessageEmbed)

	mu sync.Mutex
	// gathered holds, by their fold, errors that came since the last turn and
	// equal one that was recorded. Nil stands for none.
	gathered map[string]*record
	closed   bool // nothing is gathered any more
}

func newChannel(id, token string, c Config) *channel {
	ch := &channel{
		id: id, log: c.Log.With().Str("channel", id).Logger(), memory: &memory{}, gathered: make(map[string]*record),
		stream: newStream(c.Redis, id, token, c.Timing.Lease),
	}
	ch.deliverer = newDeliverer(ch, c)
	return ch
}

// run delivers until stopping is closed, and then what is left until ctx is done.
func (ch *channel) run(ctx context.Context, stopping <-chan struct{}) {
	ch.deliverer.run(ctx, stopping)
	ch.mu.Lock()
	ch.closed = true
	ch.mu.Unlock()
	ch.deliverer.drain(ctx)
}

// post records what has not to be gathered.
func (ch *channel) post(ctx context.Context, r record) {
	if !ch.gather(r) {
		ch.record(ctx, r)
	}
}

// gather keeps an error that equals one which was recorded a moment ago, so that
// a storm of them costs a few requests to Redis. Actions are never gathered.
func (ch *channel) gather(r record) bool {
	if r.Fold == "" {
		return false
	}
	ch.mu.Lock()
	defer ch.mu.Unlock()
	equal, known := ch.gathered[r.Fold]
	switch {
	case ch.closed, !known && len(ch.gathered) >= maxGathered:
		return false
	case !known:
		ch.gathered[r.Fold] = nil
		return false
	case equal == nil:
		ch.gathered[r.Fold] = &r
	default:
		equal.Tally.add(r.Tally)
	}
	return true
}

// flush records what was gathered.
func (ch *channel) flush(ctx context.Context) {
	var records []record
	ch.mu.Lock()
	for fold, r := range ch.gathered {
		if r == nil { // it is over with these
			delete(ch.gathered, fold)
			continue
		}
		records = append(records, *r)
		ch.gathered[fold] = nil
	}
	ch.mu.Unlock()
	slices.SortFunc(records, func(a, b record) int { return a.Tally.Since.Compare(b.Tally.Since) })
	for _, r := range records {
		ch.record(ctx, r)
	}
}

// record puts a record in the stream or, where it can not be reached or records
// before it are not there yet, in memory.
func (ch *channel) record(ctx context.Context, r record) {
	if ch.memory.follow(r) {
		return
	}
	err := ch.stream.add(ctx, r)
	if err != nil && ch.memory.begin(r) {
		ch.log.Warn().Err(err).Msg("redis is away: log channel entries are kept in memory only")
	}
}

// restore moves what is in memory to the stream, and tells whether the stream is
// in use again.
func (ch *channel) restore(ctx context.Context) bool {
	moved := 0
	for !ch.memory.end() {
		records := ch.memory.first(readAhead)
		if ch.stream.add(ctx, records...) != nil {
			return false
		}
		ch.memory.drop(len(records))
		moved += len(records)
	}
	ch.log.Info().Int("entries", moved).Msg("redis is back: log channel entries are kept there again")
	return true
}
