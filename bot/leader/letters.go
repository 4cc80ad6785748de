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
//	{leader}:inflight hash: what each process works on that leads, by a token of the process: a name in
//	                  each line. And what has panicked, by a token of each panic.
//	{leader}:dead     hash: the dead letters (Letter), by name
//
// A name is the kind, and a hash of the ID: the first key may outlast what a customer has had forgotten.
//
// A process writes its list before the work begins, as one value, which may have what has returned
// since. It removes the list at the end of its term. If it could not, since it has ended, the list
// stays. How many lists of others have a name is how many attempts count of it. So nothing counts but
// the end of a process and a panic: whatever returns does not, with an error or without.
const (
	inflightKey = "{leader}:inflight"
	deadKey     = "{leader}:dead"

	// wakeLetters is a kind for Wake: dead letters are to be tried again.
	wakeLetters = "dead"

	// aloneFrom is from how many counted attempts on an ID is worked alone, with nothing else of any
	// kind in flight. So its neighbours do not die with it again, and only the one at fault comes to
	// mostAttempts.
	aloneFrom = 2
	// mostAttempts is how many counted attempts make a dead letter.
	mostAttempts = 6
	// lettersFor is for how long a dead letter is kept that nobody tries again with success, and the
	// list of a process that has ended.
	lettersFor = 30 * 24 * time.Hour
)

// Letter is a dead letter: what the leader cannot deal with. Its due time is put off. It is tried
// again after Kind.DeadFor, once by another version of the program, by Retry, and if somebody makes
// it due, which its owner does by any change. Then one more attempt that counts makes a dead letter
// of it again, of which nobody is notified. What returns is none any more.
type Letter struct {
	Kind    string    `json:"kind"`
	ID      string    `json:"id"`
	Reason  string    `json:"reason"`
	Since   time.Time `json:"since"`   // by this process's clock
	Last    time.Time `json:"last"`    // when it was tried last
	Version string    `json:"version"` // that tried it; empty after Retry
}

// name names an ID of a kind.
func name(kind, id string) string {
	sum := sha256.Sum256([]byte(id))
	return kind + " " + base64.RawURLEncoding.EncodeToString(sum[:12])
}

// reason is why so many attempts count.
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
	fields, err := l.Redis.HGetAll(ctx, l.Space.Key(deadKey)).Result()
	dead := make(map[string]*Letter, len(fields))
	for key, text := range fields {
		var letter Letter
		if json.Unmarshal([]byte(text), &letter) == nil {
			dead[key] = &letter
		}
	}
	return dead, err
}

// IsDead reports whether there is a dead letter of an ID; false if Redis does not tell.
func (l *Leader) IsDead(ctx context.Context, kind, id string) bool {
	dead, err := l.Redis.HExists(ctx, l.Space.Key(deadKey), name(kind, id)).Result()
	return dead && err == nil
}

// Retry has the leader, wherever it runs, try all dead letters again.
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

// Tidy forgets the dead letters of what is due no more, as it was removed, and those that are too old.
// Whoever removes what may be a dead letter calls it.
func (l *Leader) Tidy(ctx context.Context) error {
	_, err := l.tidy(ctx)
	return err
}

// tidy is Tidy, and returns the dead letters that are left. Those that another version tried are due.
func (l *Leader) tidy(ctx context.Context) (map[string]*Letter, error) {
	dead, err := l.letters(ctx)
	if err != nil || len(dead) == 0 {
		return dead, err
	}
	scores := make(map[string]*redis.FloatCmd, len(dead))
	_, _ = l.Redis.Pipelined(ctx, func(p redis.Pipeliner) error { // each command has its own error
		for key, letter := range dead {
			i := l.kind(letter.Kind)
			if i < 0 { // of another version
				continue
			}
			due := l.kinds[i].Due
			switch {
			case time.Since(letter.Since) > lettersFor:
				p.ZRem(ctx, due, letter.ID)
			case letter.Version != l.Version:
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

// keep keeps dead letters.
func (l *Leader) keep(ctx context.Context, dead map[string]*Letter) error {
	fields := make(map[string]string, len(dead))
	for key, letter := range dead {
		text, err := json.Marshal(letter)
		if err != nil {
			return err
		}
		fields[key] = string(text)
	}
	return l.Redis.HSet(ctx, l.Space.Key(deadKey), fields).Err()
}

// forgetScript has no attempt count of a name, and no dead letter have it. KEYS: what is in flight,
// the dead letters. ARGV: the token of this process, whose list stays; the name.
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

// forget has no attempt count of what has a name, which is no dead letter any more.
func (l *Leader) forget(ctx context.Context, key string) error {
	ctx = context.WithoutCancel(ctx)
	return redis.NewScript(forgetScript).Run(ctx, l.Redis, []string{l.Space.Key(inflightKey), l.Space.Key(deadKey)}, l.token, key).Err()
}

// count counts the attempts on what other processes have not removed from what is in flight.
func (t *term) count(ctx context.Context) error {
	key := t.Space.Key(inflightKey)
	lists, err := t.Redis.HGetAll(ctx, key).Result()
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
		t.Redis.PExpire(ctx, key, lettersFor)
	}
	return nil
}

// list writes what is in flight in this process.
func (l *Leader) list(ctx context.Context, keys []string) error {
	l.listed = true
	return l.Redis.HSet(ctx, l.Space.Key(inflightKey), l.token, strings.Join(keys, "\n")).Err()
}

// unlist removes the list of what is in flight in this process. After an error Run calls it again.
func (l *Leader) unlist() {
	l.listed = l.Redis.HDel(context.Background(), l.Space.Key(inflightKey), l.token).Err() != nil
}

// notePanic has an attempt count that has panicked. If Redis does not take that, it counts in this term.
func (l *Leader) notePanic(key string) {
	if err := l.Redis.HSet(context.Background(), l.Space.Key(inflightKey), rand.Text(), key).Err(); err != nil {
		l.Log.Debug().Err(err).Msg("redis does not take that an attempt has panicked")
	}
}

// pauseOf returns for how long a dead letter is not tried again yet, although it is due: at least for as
// long as it was one when it was tried last, so that the pauses double.
func (t *term) pauseOf(w work) time.Duration {
	if w.letter == nil || w.letter.Version != t.Version {
		return 0
	}
	pause := max(t.Timing.DeadPause, w.letter.Last.Sub(w.letter.Since))
	return min(pause, t.deadFor(w)) - time.Since(w.letter.Last)
}

// deadFor returns after which time a dead letter is tried again by itself.
func (t *term) deadFor(w work) time.Duration {
	return cmp.Or(t.kinds[w.kind].DeadFor, t.Timing.DeadFor)
}

// putOff has work be due after a time.
func (t *term) putOff(ctx context.Context, w *work, wait time.Duration) error {
	ctx = context.WithoutCancel(ctx)
	now, err := t.Redis.Time(ctx).Result()
	if err != nil {
		return err
	}
	return t.Redis.ZAddXX(ctx, t.kinds[w.kind].Due, redis.Z{Score: float64(now.Add(wait).UnixMilli()), Member: w.id}).Err()
}

// bury makes a dead letter of work. If its kind can, it skips what is at fault instead, and goes on at
// once. Staff are notified of it, unless it was a dead letter before.
func (t *term) bury(ctx context.Context, w *work, reason string) (again time.Duration, err error) {
	ctx = context.WithoutCancel(ctx)
	k, now := t.kinds[w.kind], time.Now()
	letter := &Letter{Kind: k.Name, ID: w.id, Reason: reason, Since: now, Last: now, Version: t.Version}
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
		t.Log.Error().Str("kind", k.Name).Str("id", w.id).Str("reason", reason).Msg("the leader cannot deal with something: it is a dead letter")
		if t.OnDead != nil {
			t.OnDead(*letter)
		}
	}
	w.tries, w.letter = tries{}, letter
	if k.Skip != nil {
		w.letter = nil
	}
	return again, nil
}

// LateAfter is for how long something is due that is late.
const LateAfter = time.Minute

// Queue says how much there is to do of a kind.
type Queue struct {
	Kind string
	// Due is how many IDs are due and not worked on, and Late how many of them are for LateAfter.
	// Dead letters, of which there are Dead, are not among them.
	Due, Late, Dead int
}

// Queues returns how much there is to do of each kind, and the dead letters, the oldest first.
func (l *Leader) Queues(ctx context.Context) ([]Queue, []Letter, error) {
	dead, err := l.Letters(ctx)
	if err != nil {
		return nil, nil, err
	}
	now, err := l.Redis.Time(ctx).Result()
	if err != nil {
		return nil, dead, err
	}
	queues, counts := make([]Queue, len(l.kinds)), make([][2]*redis.IntCmd, len(l.kinds))
	_, err = l.Redis.Pipelined(ctx, func(p redis.Pipeliner) error {
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
