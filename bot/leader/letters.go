package leader

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
)

// Redis keeps, in one slot of a Cluster:
//
//	{leader}:inflight hash: what each leading process works on, by a token of the process: a name in
//	                  each line. It may have what has returned since.
//	{leader}:tries    hash: how many attempts count, by name; for 30 days after the last one
//	{leader}:dead     hash: the dead letters (Letter), by name
//
// A name is the kind, and a hash of the ID: these may outlast what a customer has had forgotten.
//
// What is in flight is written before the work begins, and one write does for all that begins at a
// moment. The process takes its list back at the end of its term. If it could not, since it has
// ended, the next leader counts an attempt for each ID in the list. So nothing counts but the end of
// a process and a panic: whatever returns does not, with an error or without.
const (
	inflightKey = "{leader}:inflight"
	triesKey    = "{leader}:tries"
	deadKey     = "{leader}:dead"

	// aloneFrom is from how many counted attempts on an ID is worked alone, with nothing else of any
	// kind in flight. So its neighbours do not die with it again, and only the one at fault comes to
	// mostAttempts.
	aloneFrom = 2
	// mostAttempts is how many counted attempts make a dead letter.
	mostAttempts = 6
	// lettersFor is for how long a dead letter is kept that nobody tries again with success.
	lettersFor = 30 * 24 * time.Hour
	// mostDoubled is how often Timing.DeadPause doubles at most.
	mostDoubled = 10
)

// Letter is a dead letter: what the leader cannot deal with. Its due time is put off. It is tried
// again after Kind.DeadFor, once by another version of the program, and if somebody makes it due,
// which its owner does by any change. Then one more attempt that counts makes a dead letter of it
// again, of which nobody is told. What returns is none any more.
type Letter struct {
	Kind    string    `json:"kind"`
	ID      string    `json:"id"`
	Reason  string    `json:"reason"`
	Since   time.Time `json:"since"` // by this process's clock
	Last    time.Time `json:"last"`  // when it was tried last
	Again   int       `json:"again"` // how often it was tried since in vain
	Version string    `json:"version"`
}

// name names an ID of a kind.
func name(kind, id string) string {
	sum := sha256.Sum256([]byte(id))
	return kind + " " + base64.RawURLEncoding.EncodeToString(sum[:12])
}

// countScript counts an attempt for what is in flight in processes that have ended, and returns how
// many attempts count, by what. KEYS: what is in flight, the attempts. ARGV: the token of this
// process, which lives; for how many ms attempts are kept.
const countScript = `
local flight = redis.call('HGETALL', KEYS[1])
for i = 1, #flight, 2 do if flight[i] ~= ARGV[1] then
  for line in string.gmatch(flight[i + 1], '[^\n]+') do redis.call('HINCRBY', KEYS[2], line, 1) end
  redis.call('HDEL', KEYS[1], flight[i])
end end
redis.call('PEXPIRE', KEYS[2], ARGV[2])
return redis.call('HGETALL', KEYS[2])`

// ledger is what a term knows of attempts, by name.
type ledger struct {
	tries  map[string]int
	dead   map[string]Letter
	panics map[string]string // what the last panic was, in this term
}

// Letters returns the dead letters, the oldest first.
func (l *Leader) Letters(ctx context.Context) ([]Letter, error) {
	dead, err := l.letters(ctx)
	return slices.SortedFunc(maps.Values(dead), func(a, b Letter) int { return a.Since.Compare(b.Since) }), err
}

func (l *Leader) letters(ctx context.Context) (map[string]Letter, error) {
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	fields, err := l.Redis.HGetAll(ctx, l.Space.Key(deadKey)).Result()
	dead := make(map[string]Letter, len(fields))
	for key, text := range fields {
		var letter Letter
		if json.Unmarshal([]byte(text), &letter) == nil {
			dead[key] = letter
		}
	}
	return dead, err
}

// IsDead reports whether there is a dead letter of an ID; false if Redis does not tell.
func (l *Leader) IsDead(ctx context.Context, kind, id string) bool {
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	dead, err := l.Redis.HExists(ctx, l.Space.Key(deadKey), name(kind, id)).Result()
	return dead && err == nil
}

// Tidy forgets the dead letters of what is due no more, as it was removed, and those that are too old.
// Whoever removes what may be a dead letter calls it.
func (l *Leader) Tidy(ctx context.Context) error {
	dead, err := l.letters(ctx)
	if err != nil || len(dead) == 0 {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	var gone []string
	for key, letter := range dead {
		k := l.kind(letter.Kind)
		if k == nil { // of another version
			continue
		}
		if time.Since(letter.Since) > lettersFor {
			_ = l.Redis.ZRem(ctx, k.Due, letter.ID).Err() // or the next time
		}
		if errors.Is(l.Redis.ZScore(ctx, k.Due, letter.ID).Err(), redis.Nil) {
			gone = append(gone, key)
		}
	}
	if len(gone) == 0 {
		return nil
	}
	return l.forgetAttempts(ctx, gone...)
}

// kind returns the kind with a name; nil if there is none.
func (l *Leader) kind(name string) *Kind {
	i := slices.IndexFunc(l.kinds, func(k *Kind) bool { return k.Name == name })
	if i < 0 {
		return nil
	}
	return l.kinds[i]
}

// forgetAttempts has no attempt count, and no dead letter be, of what has the names.
func (l *Leader) forgetAttempts(ctx context.Context, keys ...string) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), callLimit)
	defer cancel()
	_, err := l.Redis.TxPipelined(ctx, func(p redis.Pipeliner) error {
		p.HDel(ctx, l.Space.Key(triesKey), keys...)
		p.HDel(ctx, l.Space.Key(deadKey), keys...)
		return nil
	})
	return err
}

// count counts what is in flight in processes that have ended, and returns what is known of attempts.
// Dead letters of another version are due now.
func (l *Leader) count(ctx context.Context) (*ledger, error) {
	dead, err := l.letters(ctx)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	keys := []string{l.Space.Key(inflightKey), l.Space.Key(triesKey)}
	counted, err := redis.NewScript(countScript).Run(ctx, l.Redis, keys, l.token, lettersFor.Milliseconds()).StringSlice()
	if err != nil {
		return nil, err
	}
	known := &ledger{tries: make(map[string]int), dead: dead, panics: make(map[string]string)}
	for i := 0; i+1 < len(counted); i += 2 {
		known.tries[counted[i]], _ = strconv.Atoi(counted[i+1])
	}
	for _, letter := range dead {
		if k := l.kind(letter.Kind); k != nil && letter.Version != l.Version {
			_ = l.Redis.ZAddXX(ctx, k.Due, redis.Z{Member: letter.ID}).Err() // or once it is due
		}
	}
	return known, nil
}

// list writes what is in flight in this process.
func (l *Leader) list(ctx context.Context, keys []string) error {
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	return l.Redis.HSet(ctx, l.Space.Key(inflightKey), l.token, strings.Join(keys, "\n")).Err()
}

// giveBack takes the list of what is in flight in this process back. What has returned does not
// count, also if another leader has counted it meanwhile. After an error Run calls it again.
func (l *Leader) giveBack() {
	ctx, cancel := context.WithTimeout(context.Background(), callLimit)
	defer cancel()
	_, err := l.Redis.TxPipelined(ctx, func(p redis.Pipeliner) error {
		p.HDel(ctx, l.Space.Key(inflightKey), l.token)
		if len(l.owed) > 0 {
			p.HDel(ctx, l.Space.Key(triesKey), l.owed...)
		}
		return nil
	})
	if err == nil {
		l.owes, l.owed = false, nil
	}
}

// panicked counts an attempt that has panicked. Where Redis does not take that, this term counts it.
func (l *Leader) panicked(key string) {
	ctx, cancel := context.WithTimeout(context.Background(), callLimit)
	defer cancel()
	_, err := l.Redis.TxPipelined(ctx, func(p redis.Pipeliner) error {
		p.HIncrBy(ctx, l.Space.Key(triesKey), key, 1)
		p.PExpire(ctx, l.Space.Key(triesKey), lettersFor)
		return nil
	})
	if err != nil {
		l.Log.Debug().Err(err).Msg("redis does not take that an attempt has panicked")
	}
}

// putOff has an ID be due after a time.
func (l *Leader) putOff(ctx context.Context, k *Kind, id string, wait time.Duration) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), callLimit)
	defer cancel()
	now, err := l.Redis.Time(ctx).Result()
	if err != nil {
		return err
	}
	return l.Redis.ZAddXX(ctx, k.Due, redis.Z{Score: float64(now.Add(wait).UnixMilli()), Member: id}).Err()
}

// skip has a kind skip what is at fault, and tells of that as of a dead letter, which it is not.
func (l *Leader) skip(ctx context.Context, k *Kind, w work, reason string) error {
	limited, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	err := k.Skip(limited, w.id)
	if err == nil {
		err = l.forgetAttempts(ctx, w.key)
	}
	if err == nil {
		now := time.Now()
		l.tell(Letter{Kind: k.Name, ID: w.id, Reason: reason, Since: now, Last: now, Version: l.Version})
	}
	return err
}

// tell tells of a dead letter.
func (l *Leader) tell(letter Letter) {
	l.Log.Error().Str("kind", letter.Kind).Str("id", letter.ID).Str("reason", letter.Reason).Msg("the leader cannot deal with something: it is a dead letter")
	if l.OnDead != nil {
		l.OnDead(letter)
	}
}

// deadFor returns after which time a dead letter is tried again by itself.
func (l *Leader) deadFor(k *Kind) time.Duration { return cmp.Or(k.DeadFor, l.Timing.DeadFor) }

// bury makes a dead letter of something, and tells of it unless it was one.
func (l *Leader) bury(ctx context.Context, k *Kind, w work, reason string) (*Letter, error) {
	now := time.Now()
	letter := &Letter{Kind: k.Name, ID: w.id, Reason: reason, Since: now, Last: now, Version: l.Version}
	if w.letter != nil {
		letter.Since, letter.Again = w.letter.Since, w.letter.Again+1
	}
	text, err := json.Marshal(letter)
	if err != nil {
		return nil, err
	}
	limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), callLimit)
	defer cancel()
	_, err = l.Redis.TxPipelined(limited, func(p redis.Pipeliner) error {
		p.HSet(limited, l.Space.Key(deadKey), w.key, text)
		if w.tries >= mostAttempts {
			p.HSet(limited, l.Space.Key(triesKey), w.key, mostAttempts-1)
		}
		return nil
	})
	if err == nil {
		err = l.putOff(ctx, k, w.id, l.deadFor(k))
	}
	if err != nil {
		return nil, err
	}
	if w.letter == nil {
		l.tell(*letter)
	}
	return letter, nil
}
