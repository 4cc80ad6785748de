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
	client, err := hostapi.New(b.hostingConfig())
	if err != nil {
		return nil, nil, err
	}
	b.service = client
	b.onClose(client.Close)
	b.monitor.ServiceHealth(client.Health)
	s := b.settings.Cache
	cache := accounts.New(accounts.Config{
		Redis: b.redis.Client, Source: client, Fresh: s.Fresh, Keep: s.Keep, Patience: listPatience, Log: b.log,
	})
	b.onClose(cache.Close)
	return client, cache, nil
}

// hostingConfig translates the settings of the hosting service.
func (b *Bot) hostingConfig() hostapi.Config {
	s := b.settings.HostAPI
	operations := make(map[hostapi.Operation]hostapi.Override, len(s.Operations))
	for name, o := range s.Operations {
		operations[hostapi.Operation(name)] = hostapi.Override{
			Disabled: !o.Enabled, Method: o.Method, Path: o.Path, UserIDIn: hostapi.Place(o.ChatUserID),
		}
	}
	return hostapi.Config{
		BaseURL: s.URL, Secret: s.Secret, AllowHTTP: s.AllowHTTP, Timeout: s.Timeout,
		UserAgent: "hostbot/" + b.version, Operations: operations,
		Observe: b.monitor.Service, OnDown: b.serviceDown, OnUp: b.serviceUp,
	}
}
