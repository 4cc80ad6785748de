package actions

import (
	"context"
	"crypto/rand"

	"github.com/redis/go-redis/v9"

	"hostbot/bot/interaction"
)

// Begin is called before an interaction changes something other than a bot. It returns ErrDuplicate if the
// interaction has acted before, in any process. shared reports whether Redis keeps all other processes from
// acting for it as long as its token is valid. It takes a second at most.
func (a *Actions) Begin(ctx context.Context, r *interaction.Request) (shared bool, err error) {
	if a.cfg.Redis == nil {
		return false, nil
	}
	first, err := a.store.begin(context.WithoutCancel(ctx), r)
	switch {
	case err != nil: // the process decides alone
		return false, nil
	case !first:
		return false, ErrDuplicate
	}
	return true, nil
}

// HasActed reports whether an interaction has acted, in any process. It reports false if Redis does not answer.
func (a *Actions) HasActed(ctx context.Context, r *interaction.Request) bool {
	return a.cfg.Redis != nil && a.store.acted(ctx, r)
}

// begin reports whether an interaction is the first of its ID to act.
func (s store) begin(ctx context.Context, r *interaction.Request) (first bool, err error) {
	ctx, cancel := limited(ctx)
	defer cancel()
	key, own := onceKey(r.CustomerID, r.ID), rand.Text()
	var is *redis.StringCmd
	_, err = s.cfg.Redis.TxPipelined(ctx, func(p redis.Pipeliner) error { // the client may repeat it
		p.SetNX(ctx, key, own, onceLife)
		is = p.Get(ctx, key)
		return nil
	})
	return is.Val() == own, err
}

func (s store) acted(ctx context.Context, r *interaction.Request) bool {
	ctx, cancel := limited(ctx)
	defer cancel()
	n, err := s.cfg.Redis.Exists(ctx, onceKey(r.CustomerID, r.ID)).Result()
	return err == nil && n > 0
}
