// Package record keeps records in Redis, each with a time at which it is due to be worked on.
//
// Taking a due record puts off when it is due for the time that the work may take, so that nothing is lost if the
// process dies. Concurrent writers do not overwrite each other: Save is refused if the record was saved or removed
// since it was read (ErrConflict). A record that cannot be decoded (ErrUnreadable) becomes a dead letter of the leader
// and is kept for unreadableFor; others are not delayed.
package record

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"

	"hostbot/bot/store/keyspace"
)

var (
	// ErrConflict says that a record was saved or removed since it was read.
	ErrConflict = errors.New("record: it was saved or removed meanwhile")
	// ErrExists says that a record with the ID exists already.
	ErrExists = errors.New("record: there is one already")
	// ErrUnreadable says that a record cannot be decoded.
	ErrUnreadable = errors.New("record: it cannot be read")
	// ErrTooMany says that the owner has as many records as allowed.
	ErrTooMany = errors.New("record: the owner has too many")
)

const (
	// callLimit bounds one request to Redis.
	callLimit = time.Second
	// updateAttempts is how often Update tries if others save the record meanwhile.
	updateAttempts = 10
	// laterFormat is how long a record of a later format is put off.
	laterFormat = time.Minute
	// newVersion is the version of a record that was never saved.
	newVersion = "0"
	// unreadableFor is how long a record that cannot be decoded is kept.
	unreadableFor = 30 * 24 * time.Hour
)

// Kind are all records of a kind. It is safe for concurrent use.
type Kind[T any] struct {
	// Redis must heed the deadline of a command's context.
	Redis redis.UniversalClient
	Space keyspace.Space
	// Name is the hash tag of the kind's keys.
	Name string
	// Format is incremented when T changes so that earlier versions of the program cannot read it. A record of a
	// later format is left alone.
	Format int
	// Lenient reads a record that cannot be decoded as an empty one. Saving it overwrites it.
	Lenient bool
	// Life is how long a record is kept after it is saved, unless Record.Life says something else; 0 to leave its
	// expiry as it is.
	Life time.Duration
}

// Record is a record as it was last read or saved.
type Record[T any] struct {
	ID    string
	Owner string // "" if it is not known
	Value T
	Life  time.Duration // how long it is kept after it is saved, or ForEver; 0 for Kind.Life
	Count string        // a field of the kind's counts that Save increments; "" for none
	Read  int64         // when it was read, in Unix ms by Redis's clock

	version string
	due     string // its score when it was taken
	next    int64  // when it is due, in Unix ms by Redis's clock; 0 for never
}

// Again returns how long until a saved record is due, at least 1 ms; 0 if it is never due.
func (r *Record[T]) Again() time.Duration {
	if r.next == 0 {
		return 0
	}
	return max(time.Millisecond, time.Duration(r.next-r.Read)*time.Millisecond)
}

// IsNew reports whether the record was never saved.
func (r *Record[T]) IsNew() bool { return r.version == newVersion }

// ForEver as Record.Life keeps a record until it is removed.
const ForEver time.Duration = -1 * time.Millisecond

// Special values of after in Save.
const (
	Keep  time.Duration = -1 // leave the due time as it is, as the caller is still working on the record
	Never time.Duration = -2 // not due until it is saved or scheduled again
)

func (k *Kind[T]) key(name string) string { return k.Space.Key("{" + k.Name + "}:" + name) }

func (k *Kind[T]) keys(id, owner string) []string {
	return []string{k.key("record:" + id), k.key("due"), k.key("of:" + owner)}
}

// New returns a new record. If a record with the ID exists, Save returns ErrConflict.
func (k *Kind[T]) New(id, owner string) *Record[T] {
	return &Record[T]{ID: id, Owner: owner, version: newVersion}
}

// Add saves a new record that is due after the time work, in case the caller dies. most is how many records the
// owner may have; 0 for no limit. The error may be ErrExists or ErrTooMany.
func (k *Kind[T]) Add(ctx context.Context, id, owner string, value T, work time.Duration, most int) (*Record[T], error) {
	r := k.New(id, owner)
	r.Value = value
	err := k.save(ctx, r, work, most)
	if errors.Is(err, ErrConflict) {
		err = ErrExists
	}
	return r, err
}

// Save saves a record. If it was taken, it is due again after the time given, unless it was hastened since.
// Otherwise it is due no later than that. The error may be ErrConflict.
func (k *Kind[T]) Save(ctx context.Context, r *Record[T], after time.Duration) error {
	return k.save(ctx, r, after, 0)
}

// Update reads a record, calls change with its value, and saves it, as Save does. It returns the record; nil if
// there is none, or if change returns false and so nothing is saved. change should write only fields that its caller
// owns. If the record is saved by others meanwhile, change is called again; after updateAttempts times the error is
// ErrConflict.
func (k *Kind[T]) Update(ctx context.Context, id, owner string, after time.Duration, change func(*T) bool) (*Record[T], error) {
	return k.Upsert(ctx, id, owner, after, func(r *Record[T]) bool { return !r.IsNew() && change(&r.Value) })
}

// Upsert is Update, except that it makes a record if there is none (Record.IsNew). change may also set Life and Count.
func (k *Kind[T]) Upsert(ctx context.Context, id, owner string, after time.Duration, change func(*Record[T]) bool) (*Record[T], error) {
	for range updateAttempts {
		r, err := k.Get(ctx, id, owner)
		if err != nil {
			return nil, err
		}
		if r == nil {
			r = k.New(id, owner)
		}
		if !change(r) {
			return nil, nil
		}
		if err = k.Save(ctx, r, after); err == nil {
			return r, nil
		}
		if !errors.Is(err, ErrConflict) {
			return nil, err
		}
	}
	return nil, ErrConflict
}

func (k *Kind[T]) save(ctx context.Context, r *Record[T], after time.Duration, most int) error {
	data, err := json.Marshal(r.Value)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	ms := after.Milliseconds()
	if after < 0 {
		ms = int64(after)
	}
	keys := append(k.keys(r.ID, r.Owner), k.key("counts"))
	answer, err := redis.NewScript(saveScript).Run(ctx, k.Redis, keys, r.ID, r.version, k.Format, data, r.due, ms, most, cmp.Or(r.Life, k.Life).Milliseconds(), r.Count).StringSlice()
	if err != nil {
		return fmt.Errorf("save a record of %s: %w", k.Name, err)
	}
	switch {
	case len(answer) != 4:
		return ErrConflict
	case answer[0] == "":
		return ErrTooMany
	}
	r.version, r.due, r.Count = answer[0], answer[2], ""
	if r.next, err = strconv.ParseInt(answer[3], 10, 64); err != nil {
		return err
	}
	r.Read, err = strconv.ParseInt(answer[1], 10, 64)
	return err
}

// DueKey returns the key of the sorted set of IDs, by when they are due (Unix ms by Redis's clock).
func (k *Kind[T]) DueKey() string { return k.key("due") }

// Take returns a record if it is due, and makes it due again after the time work. If it is not due, r is nil and
// again is how long until it is; 0 for never. The error may be ErrUnreadable.
func (k *Kind[T]) Take(ctx context.Context, id string, work time.Duration) (r *Record[T], again time.Duration, err error) {
	limited, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	answer, err := redis.NewScript(takeScript).Run(limited, k.Redis, []string{k.key("record:" + id), k.key("due")}, id, work.Milliseconds()).StringSlice()
	if err != nil || len(answer) < 2 {
		return nil, 0, err
	}
	now, err := strconv.ParseInt(answer[0], 10, 64)
	if err != nil {
		return nil, 0, err
	}
	if len(answer) < 6 {
		due, err := strconv.ParseInt(answer[1], 10, 64)
		return nil, time.Duration(due-now) * time.Millisecond, err
	}
	r = &Record[T]{ID: id, Owner: answer[5], Read: now, version: answer[2], due: answer[1]}
	switch err = k.decode(r, answer[3], answer[4]); {
	case errors.Is(err, errLater):
		later := redis.Z{Score: float64(now + laterFormat.Milliseconds()), Member: id}
		return nil, 0, k.Redis.ZAddXX(limited, k.key("due"), later).Err()
	case err != nil:
		_ = k.Redis.PExpire(limited, k.key("record:"+id), unreadableFor).Err() // or the next Take does it
		return nil, 0, err
	}
	return r, 0, nil
}

// Work takes a record if it is due, and saves what work does to it, due again after the time that work returns: unless
// others have saved it meanwhile. It returns how long until it is due; 0 if it is due by what others saved, or never.
func (k *Kind[T]) Work(ctx context.Context, id string, limit time.Duration, work func(*Record[T]) time.Duration) (again time.Duration, err error) {
	r, again, err := k.Take(ctx, id, limit)
	if r == nil {
		return again, err
	}
	err = k.Save(context.WithoutCancel(ctx), r, work(r))
	if errors.Is(err, ErrConflict) {
		return 0, nil
	}
	return r.Again(), err
}

// errLater says that a record has a later format.
var errLater = errors.New("record: its format is a later one")

// decode decodes a record. The error is errLater or ErrUnreadable.
func (k *Kind[T]) decode(r *Record[T], format, data string) error {
	written, err := strconv.Atoi(format)
	_, noVersion := strconv.ParseInt(r.version, 10, 64) // without one it cannot be saved
	switch {
	case err != nil || noVersion != nil || data == "null":
		err = errors.New("it is no record")
	case written > k.Format:
		return errLater
	default:
		err = json.Unmarshal([]byte(data), &r.Value)
	}
	if err != nil {
		return fmt.Errorf("%w: %s of %s: %w", ErrUnreadable, r.ID, k.Name, err)
	}
	return nil
}

// Hasten makes those of some records due now that have a due time.
func (k *Kind[T]) Hasten(ctx context.Context, ids ...string) error {
	return k.due(ctx, redis.ZAddArgs{XX: true}, 0, ids)
}

// Schedule makes records due now.
func (k *Kind[T]) Schedule(ctx context.Context, ids ...string) error {
	return k.ScheduleAfter(ctx, 0, ids...)
}

// ScheduleAfter makes records due no later than after a time.
func (k *Kind[T]) ScheduleAfter(ctx context.Context, after time.Duration, ids ...string) error {
	score := float64(0)
	if after > 0 {
		score = float64(time.Now().Add(after).UnixMilli())
	}
	return k.due(ctx, redis.ZAddArgs{LT: true}, score, ids) // Take drops an ID without a record
}

func (k *Kind[T]) due(ctx context.Context, which redis.ZAddArgs, score float64, ids []string) error {
	if len(ids) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	for _, id := range ids {
		which.Members = append(which.Members, redis.Z{Score: score, Member: id})
	}
	return k.Redis.ZAddArgs(ctx, k.key("due"), which).Err()
}

// Waiting returns how many records have a due time.
func (k *Kind[T]) Waiting(ctx context.Context) (int, error) {
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	n, err := k.Redis.ZCard(ctx, k.key("due")).Result()
	return int(n), err
}

// Remove removes a record, even if somebody is working on it, and returns its last state; nil if there was none.
// left is how many records the owner has now.
func (k *Kind[T]) Remove(ctx context.Context, id, owner string) (last *Record[T], left int, err error) {
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	var was *redis.StringCmd
	var others *redis.IntCmd
	_, err = k.Redis.TxPipelined(ctx, func(p redis.Pipeliner) error {
		was = p.HGet(ctx, k.key("record:"+id), "r")
		p.Del(ctx, k.key("record:"+id))
		p.ZRem(ctx, k.key("due"), id)
		p.SRem(ctx, k.key("of:"+owner), id)
		others = p.SCard(ctx, k.key("of:"+owner))
		return nil
	})
	if err != nil && !errors.Is(err, redis.Nil) {
		return nil, 0, fmt.Errorf("remove a record of %s: %w", k.Name, err)
	}
	last, left = &Record[T]{ID: id, Owner: owner}, int(others.Val())
	if json.Unmarshal([]byte(was.Val()), &last.Value) != nil {
		return nil, left, nil
	}
	return last, left, nil
}

// Drop removes a record that was read. The error may be ErrConflict.
func (k *Kind[T]) Drop(ctx context.Context, r *Record[T]) error {
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	dropped, err := redis.NewScript(dropScript).Run(ctx, k.Redis, k.keys(r.ID, r.Owner), r.ID, r.version).Bool()
	switch {
	case err != nil:
		return fmt.Errorf("remove a record of %s: %w", k.Name, err)
	case !dropped:
		return ErrConflict
	}
	return nil
}

// Get returns a record; nil if there is none, or one of a later format.
func (k *Kind[T]) Get(ctx context.Context, id, owner string) (*Record[T], error) {
	limited, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	r, err := k.read(k.Redis.HMGet(limited, k.key("record:"+id), "v", "f", "r"), id, owner)
	switch {
	case errors.Is(err, errLater):
		return nil, nil
	case k.Lenient && errors.Is(err, ErrUnreadable):
		*r = Record[T]{ID: id, Owner: owner, version: r.version}
		return r, nil
	case errors.Is(err, ErrUnreadable): // not wrapped: the caller may be working on another record
		err = errors.New(err.Error())
	}
	return r, err
}

// Value returns the value of a record; a zero one if there is none, or one of a later format.
func (k *Kind[T]) Value(ctx context.Context, id, owner string) (value T, err error) {
	r, err := k.Get(ctx, id, owner)
	if err != nil || r == nil {
		return value, err
	}
	return r.Value, nil
}

// read decodes the fields of a record; nil if there is none. With errLater or ErrUnreadable it returns a record
// without a value.
func (k *Kind[T]) read(found *redis.SliceCmd, id, owner string) (*Record[T], error) {
	fields, err := found.Result()
	if err != nil || len(fields) != 3 || fields[0] == nil && fields[2] == nil {
		return nil, err
	}
	r := &Record[T]{ID: id, Owner: owner}
	r.version, _ = fields[0].(string)
	format, _ := fields[1].(string)
	data, _ := fields[2].(string)
	return r, k.decode(r, format, data)
}

// Of returns an owner's records, without those that cannot be read.
func (k *Kind[T]) Of(ctx context.Context, owner string) ([]*Record[T], error) {
	own, _, err := k.of(ctx, owner)
	return own, err
}

// RemoveAll removes the owner's records, also those that cannot be decoded, and returns how many of the others there were.
func (k *Kind[T]) RemoveAll(ctx context.Context, owner string) (known int, err error) {
	own, err := k.Of(ctx, owner)
	for _, r := range own {
		_, _, failure := k.Remove(ctx, r.ID, owner)
		err = errors.Join(err, failure)
	}
	return len(own), errors.Join(err, k.RemoveUnreadable(ctx, owner))
}

// RemoveUnreadable removes the owner's records that cannot be decoded, and that Of does not return.
func (k *Kind[T]) RemoveUnreadable(ctx context.Context, owner string) error {
	_, unreadable, err := k.of(ctx, owner)
	for _, id := range unreadable {
		_, _, failure := k.Remove(ctx, id, owner)
		err = errors.Join(err, failure)
	}
	return err
}

func (k *Kind[T]) of(ctx context.Context, owner string) (own []*Record[T], unreadable []string, err error) {
	limited, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	ids, err := k.Redis.SMembers(limited, k.key("of:"+owner)).Result()
	if err != nil || len(ids) == 0 {
		return nil, nil, err
	}
	found := make([]*redis.SliceCmd, len(ids))
	_, err = k.Redis.Pipelined(limited, func(p redis.Pipeliner) error {
		for i, id := range ids {
			found[i] = p.HMGet(limited, k.key("record:"+id), "v", "f", "r")
		}
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	for i, id := range ids {
		r, err := k.read(found[i], id, owner)
		switch {
		case errors.Is(err, errLater):
		case errors.Is(err, ErrUnreadable):
			unreadable = append(unreadable, id)
		case err != nil:
			return nil, nil, err
		case r != nil:
			own = append(own, r)
		default: // it has expired
			_ = k.Redis.SRem(limited, k.key("of:"+owner), id).Err()
		}
	}
	return own, unreadable, nil
}
