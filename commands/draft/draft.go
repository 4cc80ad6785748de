// Package draft keeps what somebody typed into a form until the form has served its
// purpose, so that a mistake costs no typing. Where Redis does not answer, nothing is
// kept.
package draft

import (
	"context"
	"encoding/json"
	"time"

	"github.com/redis/go-redis/v9"

	"hostbot/bot/store/keyspace"
)

const (
	// kept is for how long a draft can be gone on with.
	kept = 15 * time.Minute
	// visitLimit bounds one use of Redis: a form has to be opened within three seconds.
	visitLimit = 250 * time.Millisecond
)

// Drafts keeps one draft of each form for each user. It is safe for concurrent use.
type Drafts struct {
	redis redis.UniversalClient
	space keyspace.Space
}

// New returns the drafts in a space of a Redis.
func New(client redis.UniversalClient, space keyspace.Space) *Drafts { return &Drafts{client, space} }

func (d *Drafts) key(userID, form string) string {
	return d.space.Key("draft:{" + userID + "}:" + form)
}

// Keep keeps the fields of a form in the place of earlier ones.
func (d *Drafts) Keep(ctx context.Context, userID, form string, fields map[string]string) {
	ctx, cancel := context.WithTimeout(ctx, visitLimit)
	defer cancel()
	if data, err := json.Marshal(fields); err == nil {
		d.redis.Set(ctx, d.key(userID, form), data, kept)
	}
}

// Fields returns the fields of a form, or nil where none are known.
func (d *Drafts) Fields(ctx context.Context, userID, form string) map[string]string {
	ctx, cancel := context.WithTimeout(ctx, visitLimit)
	defer cancel()
	var fields map[string]string
	if data, err := d.redis.Get(ctx, d.key(userID, form)).Bytes(); err != nil || json.Unmarshal(data, &fields) != nil {
		return nil
	}
	return fields
}

// Forget drops the fields of a form. Those that Redis cannot be told to drop expire.
func (d *Drafts) Forget(ctx context.Context, userID, form string) {
	ctx, cancel := context.WithTimeout(ctx, visitLimit)
	defer cancel()
	d.redis.Del(ctx, d.key(userID, form))
}
