package outages

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"
)

const (
	// key holds the outage in JSON for as long as it is kept up to date. The leader writes it.
	key = "{watch}:outage:now"

	// callLimit bounds one use of Redis.
	callLimit = time.Second
)

// Run writes the record where this process leads, when an outage begins and when its figures have changed for up
// to 5 s, and tells of it. Elsewhere it reads the record every 5 s, and everywhere the notices. It ends with ctx.
func (o *Outages) Run(ctx context.Context) {
	ticker := time.NewTicker(syncPause)
	defer ticker.Stop()
	_ = o.readNotices(ctx)
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		case <-o.begun:
		}
		_ = o.Sync(ctx) // after an error, with the next tick
	}
}

// Sync does at once what Run does every 5 s.
func (o *Outages) Sync(ctx context.Context) error {
	return errors.Join(o.readNotices(ctx), o.sync(ctx))
}

// sync is Sync of the outage.
func (o *Outages) sync(ctx context.Context) error {
	if !o.config.Leading() {
		outage, err := o.read(ctx)
		o.mu.Lock()
		defer o.mu.Unlock()
		if err == nil && !o.config.Leading() { // nor does it since
			o.term, o.outage = 0, outage
		}
		return err
	}
	o.mu.Lock()
	err := o.takeOver(ctx)
	outage, unsaved, untold, early := o.seen(), o.unsaved, o.untold, o.early
	if err == nil {
		o.unsaved, o.untold, o.early = false, false, nil
	}
	o.mu.Unlock()
	if err != nil || outage.isOver(time.Now()) {
		return err
	}
	if untold {
		o.config.Tell(outage)
	}
	var unread, failed error
	if len(early) > 0 {
		unread = o.config.Began(ctx, early)
	}
	if unsaved {
		failed = o.save(ctx, outage)
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if unread != nil {
		o.early = append(o.early, early...)
	}
	o.unsaved = o.unsaved || failed != nil
	return errors.Join(unread, failed)
}

// takeOver takes what a former leader has counted, once in a term.
func (o *Outages) takeOver(ctx context.Context) error {
	term := o.config.Term()
	if o.term == term {
		return nil
	}
	outage, err := o.read(ctx)
	if err != nil {
		return err
	}
	o.term, o.recent, o.early, o.unsaved = term, nil, nil, false
	o.untold = outage.Bots > 0 // perhaps
	o.start(outage)
	return nil
}

// read returns what Redis has. What cannot be decoded counts for nothing, as the next outage takes its place.
func (o *Outages) read(ctx context.Context) (outage Outage, err error) {
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	text, err := o.config.Redis.Get(ctx, o.config.Space.Key(key)).Bytes()
	if err != nil && !errors.Is(err, redis.Nil) {
		return Outage{}, err
	}
	if json.Unmarshal(text, &outage) != nil { // or there is none
		outage = Outage{}
	}
	if outage.Plans == nil {
		outage.Plans = make(map[string]int)
	}
	return outage, nil
}

func (o *Outages) save(ctx context.Context, outage Outage) error {
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	text, _ := json.Marshal(outage) // times of this century can be encoded
	return o.config.Redis.Set(ctx, o.config.Space.Key(key), text, time.Until(outage.First)+keptFor).Err()
}
