package logchannel

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"
	"github.com/redis/go-redis/v9"

	"hostbot/bot/safetext"
)

// What is kept of a channel. The names have one hash tag, so that a Cluster has
// them in one place.
//
//	hostbot:log:{channel}            stream of the records that wait
//	hostbot:log:{channel}:recorded   sorted set: records of the past day, by time
//	hostbot:log:{channel}:lease      token of the deliverer, with a TTL
//	hostbot:log:{channel}:plan       request under way
//	hostbot:log:{channel}:state      what is known between two plans
const keyPrefix = "hostbot:log:{"

const (
	// rememberFor is how long it is known that something was recorded, about
	// 100 bytes each. What is added again later than that is told twice.
	rememberFor = 24 * time.Hour
	// readAhead is how many records are looked at to plan a message.
	readAhead = 100
)

// errNotHolder says that another process delivers by now.
var errNotHolder = errors.New("the lease is another's")

// head is what is first in a queue.
type head struct {
	held    bool // by this process; without it there is no plan, and nothing may be sent
	waiting int
	oldest  time.Time // of what waits; zero where nothing does
	state   state
	plan    *plan
	records []record
}

// stream is a channel's queue in Redis. Of all processes that share it the one
// with the lease delivers, and what it writes counts only as long as it has that.
type stream struct {
	redis   redis.UniversalClient
	scripts scripts
	token   string
	lease   time.Duration

	records, recorded, holder, plan, state string // keys
}

func newStream(client redis.UniversalClient, channelID, token string, lease time.Duration) *stream {
	key := keyPrefix + channelID + "}"
	return &stream{
		redis: client, scripts: newScripts(), token: token, lease: lease,
		records: key, recorded: key + ":recorded", holder: key + ":lease", plan: key + ":plan", state: key + ":state",
	}
}

// add records, in this order. It may be repeated where its outcome is not known.
func (s *stream) add(ctx context.Context, records ...record) error {
	args := []any{time.Now().UnixMilli(), rememberFor.Milliseconds()}
	for _, r := range records {
		content, err := json.Marshal(r)
		if err != nil {
			return fmt.Errorf("encode a record: %w", err)
		}
		args = append(args, r.ID, content)
	}
	return s.scripts.add.Run(ctx, s.redis, []string{s.records, s.recorded}, args...).Err()
}

// take returns the head, and takes the lease or makes it last; or gives it up, so
// that another process delivers at once.
func (s *stream) take(ctx context.Context, giveUp bool) (head, error) {
	lease := s.lease
	if giveUp {
		lease = 0
	}
	answer, err := s.scripts.take.Run(ctx, s.redis, []string{s.holder, s.records, s.plan, s.state},
		s.token, lease.Milliseconds(), readAhead).Slice()
	if err != nil {
		return head{}, err
	}
	if len(answer) != 5 {
		return head{}, fmt.Errorf("take: %d values", len(answer))
	}
	var h head
	h.held = answer[0] == int64(1)
	waiting, _ := answer[1].(int64)
	h.waiting = int(waiting)
	messages, _ := answer[2].([]any)
	for _, message := range messages {
		if r, ok := readMessage(message); ok {
			h.records = append(h.records, r)
		}
	}
	if len(h.records) > 0 {
		h.oldest = h.records[0].Tally.Since
	}
	h.state = decode[state](answer[3])
	if p := decode[plan](answer[4]); p.Nonce != "" {
		h.plan = &p
	}
	return h, nil
}

// decode reads JSON that may be absent. What another version of the program
// wrote, and this one can not read, is as good as absent.
func decode[T any](value any) T {
	var out, none T
	text, _ := value.(string)
	if json.Unmarshal([]byte(text), &out) != nil {
		return none
	}
	return out
}

// readMessage returns the record in a message as a script returns it: a
// position, and names with values.
func readMessage(message any) (record, bool) {
	pair, _ := message.([]any)
	if len(pair) != 2 {
		return record{}, false
	}
	position, _ := pair[0].(string)
	fields, _ := pair[1].([]any)
	if len(fields) != 2 {
		return record{}, false
	}
	content, _ := fields[1].(string)
	return readRecord(position, content), true
}

// readRecord decodes a record. One that another version of the program wrote
// and this one can not read is shown as it is.
func readRecord(position, content string) record {
	var r record
	if err := json.Unmarshal([]byte(content), &r); err != nil || r.Embed == nil {
		at := timeOf(position)
		r = record{Embed: &discordgo.MessageEmbed{Description: safetext.Code(content, reasonLimit)}, Tally: tally{Count: 1, Since: at, Last: at}}
	}
	r.position = position
	return r
}

// timeOf returns when a message with this ID was added.
func timeOf(position string) time.Time {
	ms, _, _ := strings.Cut(position, "-")
	n, _ := strconv.ParseInt(ms, 10, 64)
	return time.UnixMilli(n)
}

// after returns records that follow a position, which may be empty.
func (s *stream) after(ctx context.Context, position string, count int64) ([]record, error) {
	start := "-"
	if position != "" {
		start = "(" + position
	}
	messages, err := s.redis.XRangeN(ctx, s.records, start, "+", count).Result()
	if err != nil {
		return nil, err
	}
	records := make([]record, len(messages))
	for i, m := range messages {
		content, _ := m.Values["record"].(string)
		records[i] = readRecord(m.ID, content)
	}
	return records, nil
}

// keep notes what is about to be sent.
func (s *stream) keep(ctx context.Context, p *plan) error {
	content, err := json.Marshal(p)
	if err != nil {
		return fmt.Errorf("encode a plan: %w", err)
	}
	return s.fenced(ctx, s.scripts.keep, []string{s.holder, s.plan}, s.token, content)
}

// commit notes the state, forgets the records at these positions, and the plan
// where that is done.
func (s *stream) commit(ctx context.Context, next state, positions []string, done bool) error {
	content, err := json.Marshal(next)
	if err != nil {
		return fmt.Errorf("encode a state: %w", err)
	}
	args := []any{s.token, content, done, time.Now().Add(-rememberFor).UnixMilli()}
	for _, position := range positions {
		args = append(args, position)
	}
	return s.fenced(ctx, s.scripts.commit, []string{s.holder, s.records, s.plan, s.state, s.recorded}, args...)
}

func (s *stream) fenced(ctx context.Context, script *redis.Script, keys []string, args ...any) error {
	held, err := script.Run(ctx, s.redis, keys, args...).Bool()
	if err == nil && !held {
		return errNotHolder
	}
	return err
}
