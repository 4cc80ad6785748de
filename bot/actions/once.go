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
	ctx, cancel := limited(context.WithoutCancel(ctx))
	defer cancel()
	key, own := onceKey(r.CustomerID, r.ID), rand.Text()
	var is *redis.StringCmd
	_, err = a.cfg.Redis.TxPipelined(ctx, func(p redis.Pipeliner) error { // the client may repeat it
		p.SetNX(ctx, key, own, onceLife)
		is = p.Get(ctx, key)
		return nil
	})
	switch {
	case err != nil: // the process decides alone
		return false, nil
	case is.Val() != own:
		return false, ErrDuplicate
	}
	return true, nil
}

// HasActed reports whether an interaction has acted, in any process. It reports false if Redis does not answer.
func (a *Actions) HasActed(ctx context.Context, r *interaction.Request) bool {
	if a.cfg.Redis == nil {
		return false
	}
	acted, _ := a.exists(ctx, onceKey(r.CustomerID, r.ID))
	return acted
}
