package leader

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
)

// Redis keeps, in one slot of a Cluster:
//
//	{leader}:inflight hash: for each leading process the names of what is in flight, one a line, by the
//	                  process's token; and for each panic the name, by a random token
//	{leader}:dead     hash: the dead letters (Letter), by name
//
// A name is the kind and a hash of the ID, as the first key may outlast what a customer has had forgotten.
//
// A process writes its list before work begins, and removes it at the end of its term. The list of a process that
// dies stays. The number of lists of other processes that have a name is its number of counted attempts. So only
// panics and the end of a process count, and nothing that returns, with an error or without.
const (
	inflightKey = "{leader}:inflight"
	deadKey     = "{leader}:dead"

	// wakeLetters is a kind for Wake: it makes the leader read the dead letters again.
	wakeLetters = "dead"

	// aloneFrom is the number of counted attempts from which on an ID is worked on alone, with nothing else in
	// flight. So its neighbours do not die with it again, and only the ID at fault reaches mostAttempts.
	aloneFrom = 2
	// mostAttempts is how many counted attempts make a dead letter.
	mostAttempts = 6
	// lettersFor is how long a dead letter is kept, and the list of a process that has died.
	lettersFor = 30 * 24 * time.Hour
)

// Letter is a dead letter: an ID that the leader has given up for now. It is tried again after Kind.DeadFor, once by
// each other version of the program, after Retry, and when somebody makes it due, as its owner does by any change.
// One more counted attempt then makes it a dead letter again, without notifying anybody. If it returns, it is no
// dead letter any more.
type Letter struct {
	Kind    string    `json:"kind"`
	ID      string    `json:"id"`
	Reason  string    `json:"reason"`
	Since   time.Time `json:"since"`   // by this process's clock
	Last    time.Time `json:"last"`    // when it was last tried
	Version string    `json:"version"` // of the program that tried it; empty after Retry
}

// name returns the name of an ID of a kind.
func name(kind, id string) string {
	sum := sha256.Sum256([]byte(id))
	return kind + " " + base64.RawURLEncoding.EncodeToString(sum[:12])
}

// reason returns why a letter is dead.
func (t tries) reason() string {
	return cmp.Or(t.panic, fmt.Sprintf("the process ended in it, or it panicked, %d times", t.n))
}

// Letters returns the dead letters, the oldest first.
func (l *Leader) Letters(ctx context.Context) (letters []Letter, err error) {
	dead, err := l.letters(ctx)
	for _, letter := range slices.SortedFunc(maps.Values(dead), func(a, b *Letter) int { return a.Since.Compare(b.Since) }) {
		letters = append(letters, *letter)
	}
	return letters, err
}

func (l *Leader) letters(ctx context.Context) (map[string]*Letter, error) {
	fields, err := l.cfg.Redis.HGetAll(ctx, l.cfg.Space.Key(deadKey)).Result()
	dead := make(map[string]*Letter, len(fields))
	for key, text := range fields {
		var letter Letter
		if json.Unmarshal([]byte(text), &letter) == nil {
			dead[key] = &letter
		}
	}
	return dead, err
}

// IsDead reports whether an ID is a dead letter; false if Redis does not answer.
func (l *Leader) IsDead(ctx context.Context, kind, id string) bool {
	dead, err := l.cfg.Redis.HExists(ctx, l.cfg.Space.Key(deadKey), name(kind, id)).Result()
	return dead && err == nil
}

// Retry makes the leader, in whichever process, try all dead letters again.
func (l *Leader) Retry(ctx context.Context) error {
	dead, err := l.letters(ctx)
	if err != nil || len(dead) == 0 {
		return err
	}
	for _, letter := range dead {
		letter.Version = ""
	}
	if err := l.keep(ctx, dead); err != nil {
		return err
	}
	l.Wake(ctx, wakeLetters, "all")
	return nil
}

// Tidy removes the dead letters whose records were removed, and those that are too old. It is called after removing
// records that may be dead letters.
func (l *Leader) Tidy(ctx context.Context) error {
	_, err := l.tidy(ctx)
	return err
}

// tidy is Tidy, and returns the dead letters that are left. It makes those due that another version tried.
func (l *Leader) tidy(ctx context.Context) (map[string]*Letter, error) {
	dead, err := l.letters(ctx)
	if err != nil || len(dead) == 0 {
		return dead, err
	}
	scores := make(map[string]*redis.FloatCmd, len(dead))
	_, _ = l.cfg.Redis.Pipelined(ctx, func(p redis.Pipeliner) error { // each command has its own error
		for key, letter := range dead {
			i := l.kind(letter.Kind)
			if i < 0 { // of another version of the program
				continue
			}
			due := l.kinds[i].Due
			switch {
			case time.Since(letter.Since) > lettersFor:
				p.ZRem(ctx, due, letter.ID)
			case letter.Version != l.cfg.Version:
				p.ZAddXX(ctx, due, redis.Z{Member: letter.ID})
			}
			scores[key] = p.ZScore(ctx, due, letter.ID)
		}
		return nil
	})
	for key, score := range scores {
		if errors.Is(score.Err(), redis.Nil) {
			delete(dead, key)
			err = errors.Join(err, l.forget(ctx, key))
		}
	}
	return dead, err
}

// keep saves dead letters.
func (l *Leader) keep(ctx context.Context, dead map[string]*Letter) error {
	fields := make(map[string]string, len(dead))
	for key, letter := range dead {
		text, err := json.Marshal(letter)
		if err != nil {
			return err
		}
		fields[key] = string(text)
	}
	return l.cfg.Redis.HSet(ctx, l.cfg.Space.Key(deadKey), fields).Err()
}

// forgetScript removes a name from the lists of other processes, and from the dead letters. KEYS: 1 inflightKey,
// 2 deadKey. ARGV: 1 this process's token, 2 the name.
const forgetScript = `
local lists = redis.call('HGETALL', KEYS[1])
for i = 1, #lists, 2 do if lists[i] ~= ARGV[1] then
  local others = {}
  for line in string.gmatch(lists[i + 1], '[^\n]+') do
    if line ~= ARGV[2] then others[#others + 1] = line end
  end
  if #others == 0 then redis.call('HDEL', KEYS[1], lists[i])
  else redis.call('HSET', KEYS[1], lists[i], table.concat(others, '\n')) end
end end
return redis.call('HDEL', KEYS[2], ARGV[2])`

// forget resets the counted attempts of a name, and removes its dead letter.
func (l *Leader) forget(ctx context.Context, key string) error {
	ctx = context.WithoutCancel(ctx)
	return redis.NewScript(forgetScript).Run(ctx, l.cfg.Redis, []string{l.cfg.Space.Key(inflightKey), l.cfg.Space.Key(deadKey)}, l.token, key).Err()
}

// count counts the attempts in the lists of other processes.
func (t *term) count(ctx context.Context) error {
	key := t.cfg.Space.Key(inflightKey)
	lists, err := t.cfg.Redis.HGetAll(ctx, key).Result()
	if err != nil {
		return err
	}
	t.tries = make(map[string]tries)
	for token, list := range lists {
		for line := range strings.Lines(list) {
			if line = strings.TrimSuffix(line, "\n"); token != t.token {
				t.tries[line] = tries{n: t.tries[line].n + 1}
			}
		}
	}
	if len(t.tries) > 0 {
		t.cfg.Redis.PExpire(ctx, key, lettersFor)
	}
	return nil
}

// list saves what is in flight in this process.
func (l *Leader) list(ctx context.Context, keys []string) error {
	l.listed = true
	return l.cfg.Redis.HSet(ctx, l.cfg.Space.Key(inflightKey), l.token, strings.Join(keys, "\n")).Err()
}

// unlist removes this process's list. After an error Run calls it again.
func (l *Leader) unlist() {
	l.listed = l.cfg.Redis.HDel(context.Background(), l.cfg.Space.Key(inflightKey), l.token).Err() != nil
}

// notePanic saves that an attempt has panicked, so that it counts after this term, too.
func (l *Leader) notePanic(key string) {
	if err := l.cfg.Redis.HSet(context.Background(), l.cfg.Space.Key(inflightKey), rand.Text(), key).Err(); err != nil {
		l.cfg.Log.Debug().Err(err).Msg("redis does not take that an attempt has panicked")
	}
}

// pauseOf returns how long a dead letter still waits although it is due. At the last try it had been dead for a
// time; it waits for as long again, so that the pauses double.
func (t *term) pauseOf(w work) time.Duration {
	if w.letter == nil || w.letter.Version != t.cfg.Version {
		return 0
	}
	pause := max(t.cfg.Timing.DeadPause, w.letter.Last.Sub(w.letter.Since))
	return min(pause, t.deadFor(w)) - time.Since(w.letter.Last)
}

// deadFor returns how long until a dead letter is tried again by itself.
func (t *term) deadFor(w work) time.Duration {
	return cmp.Or(t.kinds[w.kind].DeadFor, t.cfg.Timing.DeadFor)
}

// putOff moves the due time of work.
func (t *term) putOff(ctx context.Context, w *work, wait time.Duration) error {
	ctx = context.WithoutCancel(ctx)
	now, err := t.cfg.Redis.Time(ctx).Result()
	if err != nil {
		return err
	}
	return t.cfg.Redis.ZAddXX(ctx, t.kinds[w.kind].Due, redis.Z{Score: float64(now.Add(wait).UnixMilli()), Member: w.id}).Err()
}

// bury makes a dead letter of work, or calls Kind.Skip instead; then the ID is due again at once. It calls OnDead
// unless work was a dead letter before.
func (t *term) bury(ctx context.Context, w *work, reason string) (again time.Duration, err error) {
	ctx = context.WithoutCancel(ctx)
	k, now := t.kinds[w.kind], time.Now()
	letter := &Letter{Kind: k.Name, ID: w.id, Reason: reason, Since: now, Last: now, Version: t.cfg.Version}
	if w.letter != nil {
		letter.Since = w.letter.Since
	}
	if err := t.forget(ctx, w.key); err != nil {
		return 0, err
	}
	if k.Skip != nil {
		again, err = time.Nanosecond, k.Skip(ctx, w.id)
	} else if err = t.keep(ctx, map[string]*Letter{w.key: letter}); err == nil {
		err = t.putOff(ctx, w, t.deadFor(*w))
	}
	if err != nil {
		return 0, err
	}
	if w.letter == nil {
		t.cfg.Log.Error().Str("kind", k.Name).Str("id", w.id).Str("reason", reason).Msg("the leader cannot deal with something: it is a dead letter")
		if t.cfg.OnDead != nil {
			t.cfg.OnDead(*letter)
		}
	}
	w.tries, w.letter = tries{}, letter
	if k.Skip != nil {
		w.letter = nil
	}
	return again, nil
}

// LateAfter is how long an ID must have been due to count as late.
const LateAfter = time.Minute

// Queue is the backlog of a kind.
type Queue struct {
	Kind string
	// Due is how many IDs are due, Late how many of these are late, and Dead how many IDs are dead letters. Dead
	// letters are not among the others.
	Due, Late, Dead int
}

// Queues returns the backlog of each kind, and the dead letters, the oldest first.
func (l *Leader) Queues(ctx context.Context) ([]Queue, []Letter, error) {
	dead, err := l.Letters(ctx)
	if err != nil {
		return nil, nil, err
	}
	now, err := l.cfg.Redis.Time(ctx).Result()
	if err != nil {
		return nil, dead, err
	}
	queues, counts := make([]Queue, len(l.kinds)), make([][2]*redis.IntCmd, len(l.kinds))
	_, err = l.cfg.Redis.Pipelined(ctx, func(p redis.Pipeliner) error {
		for i, k := range l.kinds {
			for j, at := range []time.Time{now, now.Add(-LateAfter)} {
				counts[i][j] = p.ZCount(ctx, k.Due, "-inf", fmt.Sprint(at.UnixMilli()))
			}
		}
		return nil
	})
	for i, k := range l.kinds {
		queues[i] = Queue{Kind: k.Name, Due: int(counts[i][0].Val()), Late: int(counts[i][1].Val())}
		for _, letter := range dead {
			if letter.Kind == k.Name {
				queues[i].Dead++
			}
		}
	}
	return queues, dead, err
}
