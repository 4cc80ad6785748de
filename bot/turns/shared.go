package turns

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
)

// The scripts are each one round trip in which nobody else gets a word in. What
// a turn holds is different for each that is taken, so by it one knows one's own.
// The first process to ask for an interaction decides on it, though it be by a
// refusal: another's answer must not come in between. A client that hears no
// answer may send a script again, which must not make it another process.
const (
	takeScript = `
local turn, once, started = KEYS[1], KEYS[2], KEYS[3]
local mine, lease, now, window, most, life = ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5]), ARGV[6]
if not redis.call('SET', once, mine, 'NX', 'PX', life) and redis.call('GET', once) ~= mine then return {'taken', ''} end
local other = redis.call('GET', turn)
if other == mine then return {'granted', ''} end
if other then return {'busy', other} end
redis.call('ZREMRANGEBYSCORE', started, '-inf', now - window)
if redis.call('ZCARD', started) >= most then
  return {'limit', redis.call('ZRANGE', started, 0, 0, 'WITHSCORES')[2]}
end
redis.call('SET', turn, mine, 'PX', lease)
redis.call('ZADD', started, now, mine)
redis.call('PEXPIRE', started, window)
return {'granted', ''}`
	renewScript = `if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('PEXPIRE', KEYS[1], ARGV[2]) end return 0`
	endScript   = `if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0`
)

// remembered is for how long an interaction is known to have acted: as long as
// Discord lets anybody answer it.
const remembered = 15 * time.Minute

// shared is a turn among all processes.
type shared struct {
	redis redis.UniversalClient
	keys  keys
	held  string // what Redis holds of it

	stop context.CancelFunc // of the renewal
	over sync.WaitGroup
}

// keys are those of one claim. All have the customer's ID in braces, so that a
// cluster keeps them in one place.
type keys struct{ turn, once, started string }

func keysOf(c Claim) keys {
	prefix := "hostbot:turn:{" + c.CustomerID + "}:"
	sum := sha256.Sum256([]byte(c.ServerID)) // which may be long, and hold anything
	return keys{
		turn:    prefix + "bot:" + base64.RawURLEncoding.EncodeToString(sum[:16]),
		once:    prefix + "once:" + c.InteractionID,
		started: prefix + "started:" + c.UserID,
	}
}

// holder is what Redis holds of a turn.
type holder struct {
	Token  string `json:"token"`
	Action string `json:"action"`
	Since  int64  `json:"since"` // Unix milliseconds
}

// take takes the turn for a claim, or returns why it can not be had, which
// isRefusal knows. Where no answer comes, the turn may have been taken all the
// same, so it is kept and given up as if it had been: others would otherwise be
// told of an action that has ended, until the lease is over.
func take(ctx context.Context, client redis.UniversalClient, c Claim, now time.Time) (*shared, error) {
	held, _ := json.Marshal(holder{rand.Text(), c.Action, now.UnixMilli()}) // texts and a number always can be encoded
	s := &shared{redis: client, keys: keysOf(c), held: string(held)}
	answer, err := redis.NewScript(takeScript).Run(ctx, client, []string{s.keys.turn, s.keys.once, s.keys.started},
		s.held, lease.Milliseconds(), now.UnixMilli(), Window.Milliseconds(), PerWindow, remembered.Milliseconds()).StringSlice()
	if err == nil {
		err = refusal(answer)
	}
	if isRefusal(err) {
		return nil, err
	}
	s.renew()
	return s, nil
}

// refusal reads the answer of takeScript; nil means that the turn is taken.
func refusal(answer []string) error {
	if len(answer) != 2 {
		return fmt.Errorf("turns: redis answers %q", answer)
	}
	switch answer[0] {
	case "granted":
		return nil
	case "taken":
		return ErrTaken
	case "busy":
		var other holder
		if err := json.Unmarshal([]byte(answer[1]), &other); err != nil {
			return fmt.Errorf("turns: what redis holds makes no sense: %w", err)
		}
		return &BusyError{Turn{other.Action, time.UnixMilli(other.Since)}}
	case "limit":
		first, err := strconv.ParseFloat(answer[1], 64)
		if err != nil {
			return fmt.Errorf("turns: what redis holds makes no sense: %w", err)
		}
		return &LimitError{Until: time.UnixMilli(int64(first)).Add(Window)}
	default:
		return fmt.Errorf("turns: redis answers %q", answer)
	}
}

// renew keeps the turn until it is ended.
func (s *shared) renew() {
	ctx, cancel := context.WithCancel(context.Background())
	s.stop = cancel
	s.over.Go(func() {
		ticker := time.NewTicker(renewal)
		defer ticker.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
				// Where this fails, the next or the end of the lease sees to it.
				_ = s.run(renewScript, lease.Milliseconds())
			}
		}
	})
}

// end gives the turn up. Where Redis does not answer, that is done as soon as it
// does: until the lease ends it, others would be told of an action that has ended.
func (s *shared) end() {
	s.stop()
	s.over.Wait()
	if err := s.run(endScript); err != nil && !errors.Is(err, redis.ErrClosed) {
		go s.endLater()
	}
}

// endLater gives the turn up as long as there is one.
func (s *shared) endLater() {
	pause := time.NewTicker(endPause)
	defer pause.Stop()
	for over := time.After(lease); ; {
		select {
		case <-over:
			return
		case <-pause.C:
		}
		if err := s.run(endScript); err == nil || errors.Is(err, redis.ErrClosed) {
			return
		}
	}
}

func (s *shared) run(script string, args ...any) error {
	ctx, cancel := context.WithTimeout(context.Background(), visitLimit)
	defer cancel()
	return redis.NewScript(script).Run(ctx, s.redis, []string{s.keys.turn}, append([]any{s.held}, args...)...).Err()
}
