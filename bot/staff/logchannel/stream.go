package logchannel

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
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
	// remembered is how many of those that it delivered itself a process knows.
	remembered = 5000
	// readAhead is how many records are looked at to plan a message.
	readAhead = 100
)

// stream is a channel's queue in Redis. The process that has the lease delivers,
// and only it changes the state.
type stream struct {
	redis redis.UniversalClient
	keys  []string
	token string
	lease time.Duration

	known known
}

// known is what this process knows of the delivery. A Redis that forgets learns it
// anew.
type known struct {
	epoch     string // empty before the first answer of Redis
	holder    string // of the lease
	seq       int64
	state     state
	delivered []string // IDs of the records that this process delivered, latest last
}

// fate is what became of records of this process, by their IDs.
type fate struct {
	delivered []string // Discord has them
	lost      []string // Redis does not know them
}

// add adds records, in this order. It may be repeated where its outcome is not
// known. It is safe for concurrent use.
func (s *stream) add(ctx context.Context, records []record) error {
	args := make([]any, 0, 2*len(records))
	for _, r := range records {
		content, err := json.Marshal(r)
		if err != nil {
			return fmt.Errorf("encode a record: %w", err)
		}
		args = append(args, r.ID, content)
	}
	return redis.NewScript(addScript).Run(ctx, s.redis, s.keys, args...).Err()
}

// take returns the head, and takes the lease or extends it; or gives it up, so
// that another process delivers at once. own are the IDs of the records that
// should be known.
func (s *stream) take(ctx context.Context, own []string, giveUp bool) (head, fate, error) {
	answer, err := s.ask(ctx, own, giveUp)
	if err == nil && len(answer) == 0 { // Redis has lost something
		var epoch string
		if epoch, err = s.write(ctx, restoreScript, s.known.holder, s.known.delivered).Text(); err == nil {
			s.known.epoch = epoch
			answer, err = s.ask(ctx, own, giveUp)
		}
	}
	if err != nil {
		return head{}, fate{}, err
	}
	if len(answer) != 8 {
		return head{}, fate{}, fmt.Errorf("take: %d values", len(answer))
	}
	s.known.epoch, _ = answer[0].(string)
	s.known.holder, _ = answer[1].(string)
	waiting, _ := answer[2].(int64)
	s.known.seq, _ = answer[4].(int64)
	content, _ := answer[5].(string)
	s.known.state = readState(content)
	h := head{held: s.known.holder == s.token, waiting: int(waiting), state: s.known.state, save: s.save}
	for pair := range slices.Chunk(stringsOf(answer[3]), 2) {
		h.records = append(h.records, readRecord(pair[0], pair[len(pair)-1]))
	}
	return h, fate{delivered: stringsOf(answer[6]), lost: stringsOf(answer[7])}, nil
}

func (s *stream) ask(ctx context.Context, own []string, giveUp bool) ([]any, error) {
	lease := s.lease
	if giveUp {
		lease = 0
	}
	args := []any{s.token, lease.Milliseconds(), readAhead, s.known.seq, s.known.epoch, rand.Text()}
	for _, id := range own {
		args = append(args, id)
	}
	return redis.NewScript(takeScript).Run(ctx, s.redis, s.keys, args...).Slice()
}

// stringsOf returns the strings of an answer.
func stringsOf(answer any) []string {
	values, _ := answer.([]any)
	list := make([]string, len(values))
	for i, value := range values {
		list[i], _ = value.(string)
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
	if s.Plan != nil && (len(s.Plan.Slots) == 0 || len(s.Plan.Covers) == 0) {
		s.Plan = nil
	}
	return s
}

// readRecord decodes a record. One that another version of the program wrote
// and this one cannot read is shown as it is.
func readRecord(streamID, content string) record {
	var r record
	if err := json.Unmarshal([]byte(content), &r); err != nil || r.ID == "" || r.Line == "" && r.Embed == nil {
		r = newRecord(Entry{Embed: &discordgo.MessageEmbed{Description: sanitize.Code(content, reasonLimit)}}, time.Now())
		r.ID = streamID
	}
	return r
}

// save sets the state, and notes that records are delivered. Where that fails,
// the next take repeats it, unless another process went on meanwhile.
func (s *stream) save(ctx context.Context, next state, done []string) error {
	s.known.seq++
	s.known.state = next
	s.known.delivered = append(s.known.delivered, done...)
	s.known.delivered = s.known.delivered[max(0, len(s.known.delivered)-remembered):]
	saved, err := s.write(ctx, saveScript, s.token, done).Bool()
	if err == nil && !saved {
		return errors.New("another process has the lease")
	}
	return err
}

// write tells Redis what this process knows, by one of two scripts.
func (s *stream) write(ctx context.Context, script, holder string, delivered []string) *redis.Cmd {
	content, _ := json.Marshal(s.known.state) // it consists of what can be encoded
	now := time.Now()
	args := []any{holder, s.known.seq, content, now.UnixMilli(), now.Add(-rememberFor).UnixMilli(), s.lease.Milliseconds(), rand.Text()}
	for _, id := range delivered {
		args = append(args, id)
	}
	return redis.NewScript(script).Run(ctx, s.redis, s.keys, args...)
}
