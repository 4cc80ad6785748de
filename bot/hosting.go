package bot

import (
	"context"
	"time"

	"github.com/rs/zerolog"

	"hostbot/hostapi"
	"hostbot/hostapi/accounts"
)

// listPatience bounds a call for an account for which nobody waits any more.
const listPatience = 30 * time.Second

// openHosting returns the hosting service's client and the cache of accounts.
func (b *Bot) openHosting() (*hostapi.Client, *accounts.Cache, error) {
	c := b.settings.HostAPI.Config()
	c.UserAgent = "hostbot/" + b.version
	c.Observe, c.OnDown, c.OnUp = b.monitor.Service, b.serviceDown, b.serviceUp
	client, err := hostapi.New(c)
	if err != nil {
		return nil, nil, err
	}
	b.service = client
	b.onClose(client.Close)
	b.monitor.ServiceHealth(client.DownSince)
	s := b.settings.Cache
	cache := accounts.New(accounts.Config{
		Redis: b.redis.Client, Source: loggedLister{client, b.log}, TTL: s.TTL, MaxStale: s.MaxStale, Patience: listPatience,
		OnGarbage: b.cacheGarbage,
	})
	b.onClose(cache.Close)
	return client, cache, nil
}

// loggedLister logs why the service did not tell of an account. Where an old one is
// shown in its place, the customer's interaction has no error to log.
type loggedLister struct {
	accounts.Lister
	log zerolog.Logger
}

// List asks for an account.
func (l loggedLister) List(ctx context.Context, userID string) (hostapi.List, error) {
	list, err := l.Lister.List(ctx, userID)
	if err != nil && hostapi.CodeOf(err) != hostapi.CodeNotFound { // which is an answer
		l.log.Info().Err(err).Str("user", userID).Msg("the hosting service did not tell of an account")
	}
	return list, err
}
