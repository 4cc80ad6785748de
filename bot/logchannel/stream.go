package logchannel

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/bwmarrin/discordgo"
	"github.com/redis/go-redis/v9"

	"hostbot/bot/sanitize"
)

const (
	// rememberFor is how long Redis knows that a record was delivered, at about
	// 100 bytes each. A record that is added again after that is told twice.
	rememberFor = 24 * time.Hour
	// readAhead is how many records are looked at to plan a message.
	readAhead = 100
	// pageSize is how many records are read at once where all are looked at.
	pageSize = 500
)

// errNotHolder says that another process delivers by now.
var errNotHolder = errors.New("another process has the lease")

// head is the beginning of a queue.
type head struct {
	held    bool // by this process; otherwise nothing may be sent
	waiting int
	state   state
	records []record
	// delivered and lost are the IDs of this process's records that Discord has,
	// and of those that the queue does not know.
	delivered, lost []string
}

// stream is a channel's queue in Redis. The process that has the lease delivers,
// and only it changes the state.
type stream struct {
	redis   redis.UniversalClient
	scripts scripts
	keys    []string
	token   string
	lease   time.Duration

	known known
}

// known is the delivery as this process knows it. A Redis that forgets learns it
// anew: who delivers, the request under way, and which records it covered.
type known struct {
	holder string // of the lease
	seq    int64  // -1 before the first answer of Redis
	state  state
	done   []covered // with this state, where Redis did not confirm it
}

func newStream(client redis.UniversalClient, channelID, token string, lease time.Duration) *stream {
	return &stream{redis: client, scripts: newScripts(), keys: keysOf(channelID), token: token, lease: lease, known: known{seq: -1}}
}

// add records, in this order. It may be repeated where its outcome is not known.
// It is safe for concurrent use.
func (s *stream) add(ctx context.Context, records ...record) error {
	args := make([]any, 0, 2*len(records))
	for _, r := range records {
		content, err := json.Marshal(r)
		if err != nil {
			return fmt.Errorf("encode a record: %w", err)
		}
		args = append(args, r.ID, content)
	}
	return s.scripts.add.Run(ctx, s.redis, s.keys, args...).Err()
}

// take returns the head, and takes the lease or extends it; or gives it up, so
// that another process delivers at once. own are the IDs of the records that
// should be known.
func (s *stream) take(ctx context.Context, own []string, giveUp bool) (head, error) {
	answer, err := s.ask(ctx, own, giveUp)
	if err == nil && len(answer) == 0 { // Redis has forgotten
		if _, err = s.write(ctx, s.scripts.restore, s.known.holder); err == nil {
			answer, err = s.ask(ctx, own, giveUp)
		}
	}
	if err != nil {
		return head{}, err
	}
	if len(answer) != 7 {
		return head{}, fmt.Errorf("take: %d values", len(answer))
	}
	holder, _ := answer[0].(string)
	waiting, _ := answer[1].(int64)
	seq, _ := answer[3].(int64)
	content, _ := answer[4].(string)
	h := head{held: holder == s.token, waiting: int(waiting), delivered: texts(answer[5]), lost: texts(answer[6])}
	for pair := range slices.Chunk(texts(answer[2]), 2) {
		h.records = append(h.records, readRecord(pair[0], pair[len(pair)-1]))
	}
	h.state = readState(content)
	s.known = known{holder: holder, seq: seq, state: h.state}
	return h, nil
}

func (s *stream) ask(ctx context.Context, own []string, giveUp bool) ([]any, error) {
	lease := s.lease
	if giveUp {
		lease = 0
	}
	args := []any{s.token, lease.Milliseconds(), readAhead, s.known.seq}
	for _, id := range own {
		args = append(args, id)
	}
	return s.scripts.take.Run(ctx, s.redis, s.keys, args...).Slice()
}

// texts returns the strings of an answer.
func texts(answer any) []string {
	values, _ := answer.([]any)
	list := make([]string, 0, len(values))
	for _, value := range values {
		text, _ := value.(string)
		list = append(list, text)
	}
	return list
}

// readState decodes a state. One that another version of the program wrote and
// this one cannot read is as good as none.
func readState(content string) state {
	var s state
	if json.Unmarshal([]byte(content), &s) != nil {
		return state{}
	}
	if s.Plan != nil && !complete(s.Plan.Slots) {
		s.Plan = nil
	}
	s.Counters = slices.DeleteFunc(s.Counters, func(c counter) bool { return !complete(c.Slots) })
	return s
}

// complete tells whether there is something to show in each slot.
func complete(slots []slot) bool {
	return len(slots) > 0 && !slices.ContainsFunc(slots, func(s slot) bool { return s.Embed == nil })
}

// readRecord decodes a record. One that another version of the program wrote
// and this one cannot read is shown as it is.
func readRecord(streamID, content string) record {
	var r record
	if err := json.Unmarshal([]byte(content), &r); err != nil || r.Embed == nil || r.ID == "" {
		r = newRecord(Entry{Embed: &discordgo.MessageEmbed{Description: sanitize.Code(content, reasonLimit)}}, time.Now())
		r.ID = streamID
	}
	r.streamID = streamID
	return r
}

// all returns the records that wait. What comes after an error is not there.
func (s *stream) all(ctx context.Context) iter.Seq2[record, error] {
	return func(yield func(record, error) bool) {
		for start := "-"; ; {
			messages, err := s.redis.XRangeN(ctx, s.keys[1], start, "+", pageSize).Result()
			if err != nil {
				yield(record{}, err)
				return
			}
			for _, m := range messages {
				content, _ := m.Values["record"].(string)
				if !yield(readRecord(m.ID, content), nil) {
					return
				}
				start = "(" + m.ID
			}
			if len(messages) < pageSize {
				return
			}
		}
	}
}

// save sets the state, and notes that records are delivered. Where that fails,
// the next take repeats it, unless another process went on meanwhile.
func (s *stream) save(ctx context.Context, next state, done []covered) error {
	s.known = known{holder: s.known.holder, seq: s.known.seq + 1, state: next, done: done}
	saved, err := s.write(ctx, s.scripts.save, s.token)
	if err == nil && !saved {
		return errNotHolder
	}
	if err == nil {
		s.known.done = nil
	}
	return err
}

// write tells Redis what this process knows, where the script allows it.
func (s *stream) write(ctx context.Context, script *redis.Script, holder string) (written bool, err error) {
	content, err := json.Marshal(s.known.state)
	if err != nil {
		return false, fmt.Errorf("encode a state: %w", err)
	}
	now := time.Now()
	args := []any{holder, s.known.seq, content, now.UnixMilli(), now.Add(-rememberFor).UnixMilli(), s.lease.Milliseconds()}
	for _, c := range s.known.done {
		args = append(args, c.ID, c.StreamID)
	}
	return script.Run(ctx, s.redis, s.keys, args...).Bool()
}
