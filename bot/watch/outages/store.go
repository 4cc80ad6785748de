package outages

import (
	"context"
	"encoding/json"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"
)

// What Redis keeps is a hash: of each bot that stopped lately what is known, and when the outage
// began (Unix ms). It is kept while entries are kept up to date.
const (
	key        = "{watch}:outage"
	beganField = "began"

	// callLimit bounds one use of Redis.
	callLimit = time.Second
)

// load reads what another process may have written, once in a term. What cannot be read counts for
// nothing.
func (o *Outages) load(ctx context.Context) error {
	if o.term == o.Term() {
		return nil
	}
	began, bots, err := o.read(ctx)
	if err == nil {
		o.term, o.began, o.bots, o.changed = o.Term(), began, bots, make(map[string]bool)
	}
	return err
}

// read returns what Redis keeps.
func (o *Outages) read(ctx context.Context) (began time.Time, bots map[string]bot, err error) {
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	fields, err := o.Redis.HGetAll(ctx, o.Space.Key(key)).Result()
	if err != nil {
		return time.Time{}, nil, err
	}
	bots = make(map[string]bot)
	if ms, err := strconv.ParseInt(fields[beganField], 10, 64); err == nil && ms > 0 {
		began = time.UnixMilli(ms)
	}
	for name, text := range fields {
		var b bot
		if name != beganField && json.Unmarshal([]byte(text), &b) == nil {
			bots[name] = b
		}
	}
	return began, bots, nil
}

// Current returns the outage that is kept up to date now, by whichever process leads; one of no
// bots if there is none.
func (o *Outages) Current(ctx context.Context) (Outage, error) {
	began, bots, err := o.read(ctx)
	if err != nil || began.IsZero() || time.Since(began) >= keptFor {
		return Outage{}, err
	}
	seen := Outages{Config: o.Config, began: began, bots: bots}
	return seen.outage(o.Interval()), nil
}

// save writes what has changed. After an error it is written with the next change.
func (o *Outages) save(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	_, err := o.Redis.TxPipelined(ctx, func(p redis.Pipeliner) error {
		key := o.Space.Key(key)
		p.HSet(ctx, key, beganField, max(0, o.began.UnixMilli()))
		for name := range o.changed {
			if b, ok := o.bots[name]; ok {
				text, _ := json.Marshal(b) // texts and times of this century always can be encoded
				p.HSet(ctx, key, name, text)
			} else {
				p.HDel(ctx, key, name)
			}
		}
		p.PExpire(ctx, key, keptFor)
		return nil
	})
	if err == nil {
		clear(o.changed)
	}
	return err
}
