// Package draft keeps what somebody typed into a form until the form has served its
// purpose, so that a mistake costs no typing: in Redis or, where Redis does not answer,
// in the process.
package draft

import (
	"context"
	"encoding/json"
	"maps"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
)

const (
	// kept is for how long a draft can be gone on with.
	kept = 15 * time.Minute
	// visitLimit bounds one use of Redis: a form has to be opened within three seconds.
	visitLimit = 250 * time.Millisecond
	keyPrefix  = "hostbot:draft:"
	// maxHeld is how many drafts the process holds itself, of some 10 kB at most.
	maxHeld = 200
)

// Drafts keeps one draft of each form for each user. It is safe for concurrent use.
type Drafts struct {
	redis redis.UniversalClient

	mu   sync.Mutex
	held map[string]held // that Redis did not take
}

type held struct {
	fields map[string]string
	until  time.Time
}

// New returns drafts. Without a Redis (nil) they are in the process.
func New(client redis.UniversalClient) *Drafts {
	return &Drafts{redis: client, held: make(map[string]held)}
}

func key(userID, form string) string { return keyPrefix + "{" + userID + "}:" + form }

// Keep keeps the fields of a form in the place of earlier ones.
func (d *Drafts) Keep(ctx context.Context, userID, form string, fields map[string]string) {
	data, err := json.Marshal(fields)
	if err == nil && d.visit(ctx, func(ctx context.Context) error { return d.redis.Set(ctx, key(userID, form), data, kept).Err() }) {
		d.drop(key(userID, form))
		return
	}
	d.hold(key(userID, form), fields)
}

// Fields returns the fields of a form, or nil where none are known.
func (d *Drafts) Fields(ctx context.Context, userID, form string) map[string]string {
	d.mu.Lock()
	own, ok := d.held[key(userID, form)]
	d.mu.Unlock()
	if ok && time.Now().Before(own.until) {
		return maps.Clone(own.fields)
	}
	var fields map[string]string
	d.visit(ctx, func(ctx context.Context) error {
		data, err := d.redis.Get(ctx, key(userID, form)).Bytes()
		if err != nil {
			return err
		}
		return json.Unmarshal(data, &fields)
	})
	return fields
}

// Forget drops the fields of a form. Those that Redis cannot be told to drop expire.
func (d *Drafts) Forget(ctx context.Context, userID, form string) {
	d.drop(key(userID, form))
	d.visit(ctx, func(ctx context.Context) error { return d.redis.Del(ctx, key(userID, form)).Err() })
}

// visit uses Redis, if there is one, and tells whether that went well.
func (d *Drafts) visit(ctx context.Context, use func(context.Context) error) bool {
	if d.redis == nil {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, visitLimit)
	defer cancel()
	return use(ctx) == nil
}

func (d *Drafts) drop(key string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.held, key)
}

// hold keeps a draft in the process. Where there are too many, the oldest goes.
func (d *Drafts) hold(key string, fields map[string]string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.held, key)
	if len(d.held) >= maxHeld {
		oldest := ""
		for k, other := range d.held {
			if oldest == "" || other.until.Before(d.held[oldest].until) {
				oldest = k
			}
		}
		delete(d.held, oldest)
	}
	d.held[key] = held{maps.Clone(fields), time.Now().Add(kept)}
}
