package bot

import (
	"time"

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
		Redis: b.redis.Client, Source: client, TTL: s.TTL, MaxStale: s.MaxStale, Patience: listPatience,
		OnGarbage: b.cacheGarbage, OnLookup: b.monitor.CacheLookup,
	})
	b.onClose(cache.Close)
	return client, cache, nil
}
