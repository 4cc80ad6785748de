// Package record keeps records in Redis of what is wanted and of what was done about it, each
// with a time at which it is due to be looked at.
//
// Whoever takes a record that is due works on it for a time. It is due again when that is
// over, so that the death of a process loses nothing. Two who work on one record do not
// overwrite each other: the one who has read an earlier version, or a record that is no more,
// is refused (ErrConflict). A record that cannot be read is set aside and delays no other.
package record

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"hostbot/bot/store/keyspace"
)

var (
	// ErrConflict says that a record was saved by another, or removed, since it was read.
	ErrConflict = errors.New("record: it was saved or removed meanwhile")
	// ErrExists says that there is a record with an ID already.
	ErrExists = errors.New("record: there is one already")
	// ErrTooMany says that the owner has as many records as allowed.
	ErrTooMany = errors.New("record: the owner has too many")
)

const (
	// callLimit bounds one use of Redis.
	callLimit = time.Second
	// asideFor is for how long a record is kept that cannot be read.
	asideFor = 30 * 24 * time.Hour
	// laterFormat is the pause after which a record is looked at again that a later version of
	// the program has written.
	laterFormat = time.Minute
)

// Kind are all records of a kind. It is safe for concurrent use.
type Kind[T any] struct {
	// Redis must heed the deadline of a command's context.
	Redis redis.UniversalClient
	Space keyspace.Space
	// Name is the hash tag of the kind's keys.
	Name string
	// Format is counted up when T changes so that earlier versions of the program cannot read
	// it. A record of a later format is left alone.
	Format int
	// Aside is told of each record that could not be read and was set aside. It may be nil.
	Aside func(id string, reason error)
}

// Record is a record as it was read or saved.
type Record[T any] struct {
	ID    string
	Owner string // "" if it is not known
	Value T
	Read  int64 // when it was read, in Unix ms by Redis's clock

	version string
	due     string // its score since it was taken
}

// Keep is given in the place of a time by who goes on with a record: when it is due stays as
// it is.
const Keep time.Duration = -1

func (k *Kind[T]) key(name string) string { return k.Space.Key("{" + k.Name + "}:" + name) }

func (k *Kind[T]) keys(id, owner string) []string {
	return []string{k.key("record:" + id), k.key("due"), k.key("of:" + owner)}
}

// Add adds a record on which the caller works for a time; if the caller dies, it is due then.
// The owner may have so many of the kind. The error may be ErrExists or ErrTooMany.
func (k *Kind[T]) Add(ctx context.Context, id, owner string, value T, work time.Duration, most int) (*Record[T], error) {
	r := &Record[T]{ID: id, Owner: owner, Value: value, version: "0"}
	err := k.save(ctx, r, work, most)
	if errors.Is(err, ErrConflict) {
		err = ErrExists
	}
	return r, err
}

// Save saves a record that was read. It is due again after a time, or earlier if somebody has
// hastened it since it was taken. The error may be ErrConflict.
func (k *Kind[T]) Save(ctx context.Context, r *Record[T], after time.Duration) error {
	return k.save(ctx, r, after, 0)
}

func (k *Kind[T]) save(ctx context.Context, r *Record[T], after time.Duration, most int) error {
	data, err := json.Marshal(r.Value)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	ms := after.Milliseconds()
	if after == Keep {
		ms = -1
	}
	answer, err := redis.NewScript(saveScript).Run(ctx, k.Redis, k.keys(r.ID, r.Owner), r.ID, r.version, k.Format, data, r.due, ms, most).StringSlice()
	if err != nil {
		return fmt.Errorf("save a record of %s: %w", k.Name, err)
	}
	switch {
	case len(answer) != 3:
		return ErrConflict
	case answer[0] == "":
		return ErrTooMany
	}
	r.version, r.due = answer[0], answer[2]
	r.Read, err = strconv.ParseInt(answer[1], 10, 64)
	return err
}

// Take returns records that are due, so many at most. They are due again after the time that
// the caller works on them.
func (k *Kind[T]) Take(ctx context.Context, most int, work time.Duration) ([]*Record[T], error) {
	limited, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	answer, err := redis.NewScript(takeScript).Run(limited, k.Redis, []string{k.key("due")}, most, work.Milliseconds(), k.key("record:")).StringSlice()
	if err != nil || len(answer) < 2 {
		return nil, err
	}
	now, err := strconv.ParseInt(answer[0], 10, 64)
	if err != nil {
		return nil, err
	}
	var taken []*Record[T]
	for due := answer[1]; len(answer) >= 7; answer = answer[5:] {
		r := &Record[T]{ID: answer[2], Owner: answer[6], Read: now, version: answer[3], due: due}
		if k.decode(ctx, r, answer[4], answer[5]) {
			taken = append(taken, r)
		}
	}
	return taken, nil
}

// decode reads what Redis has of a record. It sets aside what cannot be read.
func (k *Kind[T]) decode(ctx context.Context, r *Record[T], format, data string) bool {
	written, err := strconv.Atoi(format)
	if err != nil {
		err = errors.New("it is no record")
	} else if written > k.Format {
		ctx, cancel := context.WithTimeout(ctx, callLimit)
		defer cancel()
		_ = k.Redis.ZAddXX(ctx, k.key("due"), redis.Z{Score: float64(r.Read + laterFormat.Milliseconds()), Member: r.ID}).Err()
		return false
	}
	if err == nil {
		err = json.Unmarshal([]byte(data), &r.Value)
	}
	if err != nil {
		k.setAside(ctx, r.ID, err)
	}
	return err == nil
}

func (k *Kind[T]) setAside(ctx context.Context, id string, reason error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), callLimit)
	defer cancel()
	_, err := k.Redis.TxPipelined(ctx, func(p redis.Pipeliner) error {
		p.Rename(ctx, k.key("record:"+id), k.key("aside:"+id))
		p.PExpire(ctx, k.key("aside:"+id), asideFor)
		p.ZRem(ctx, k.key("due"), id)
		return nil
	})
	if err == nil && k.Aside != nil { // otherwise it is still there
		k.Aside(id, fmt.Errorf("record %s of %s: %w", id, k.Name, reason))
	}
}

// Hasten has records be due now, those that there are.
func (k *Kind[T]) Hasten(ctx context.Context, ids ...string) error {
	if len(ids) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	members := make([]redis.Z, len(ids))
	for i, id := range ids {
		members[i].Member = id // its score is 0, which is over
	}
	return k.Redis.ZAddXX(ctx, k.key("due"), members...).Err()
}

// Remove removes a record, whoever works on it, and returns it as it was last; nil if it was
// removed before. left is how many the owner has now.
func (k *Kind[T]) Remove(ctx context.Context, id, owner string) (last *Record[T], left int, err error) {
	limited, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	answer, err := redis.NewScript(removeScript).Run(limited, k.Redis, k.keys(id, owner), id).StringSlice()
	if err != nil || len(answer) != 2 {
		return nil, 0, errors.Join(fmt.Errorf("redis does not tell what was removed of %s", k.Name), err)
	}
	left, err = strconv.Atoi(answer[0])
	r := &Record[T]{ID: id, Owner: owner}
	if json.Unmarshal([]byte(answer[1]), &r.Value) != nil {
		return nil, left, err
	}
	return r, left, err
}

// Of returns an owner's records.
func (k *Kind[T]) Of(ctx context.Context, owner string) ([]*Record[T], error) {
	limited, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	ids, err := k.Redis.SMembers(limited, k.key("of:"+owner)).Result()
	if err != nil || len(ids) == 0 {
		return nil, err
	}
	found := make([]*redis.SliceCmd, len(ids))
	_, err = k.Redis.Pipelined(limited, func(p redis.Pipeliner) error {
		for i, id := range ids {
			found[i] = p.HMGet(limited, k.key("record:"+id), "v", "f", "r")
		}
		return nil
	})
	if err != nil && !isWrongType(err) {
		return nil, err
	}
	var own []*Record[T]
	for i, id := range ids {
		fields, err := found[i].Result()
		r := &Record[T]{ID: id, Owner: owner}
		switch {
		case isWrongType(err):
			k.setAside(ctx, id, err)
		case err != nil:
			return nil, err
		case len(fields) == 3 && fields[0] == nil && fields[2] == nil: // it was set aside
			_ = k.Redis.SRem(limited, k.key("of:"+owner), id).Err()
		case len(fields) == 3:
			r.version, _ = fields[0].(string)
			format, _ := fields[1].(string)
			data, _ := fields[2].(string)
			if k.decode(ctx, r, format, data) {
				own = append(own, r)
			}
		}
	}
	return own, nil
}

// isWrongType reports whether Redis has something else than a hash.
func isWrongType(err error) bool { return err != nil && strings.HasPrefix(err.Error(), "WRONGTYPE") }
