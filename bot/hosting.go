package bot

import (
	"context"
	"time"

	"github.com/rs/zerolog"

	"hostbot/bot/actions"
	"hostbot/bot/seldom"
	"hostbot/hostapi"
	"hostbot/hostapi/accounts"
)

// callPatience bounds a call for an account, whoever still waits for it.
const callPatience = 30 * time.Second

// slowCall is from when on a call to the hosting service is one to look into.
const slowCall = time.Second

// keptPolls is for how many polls an account is kept at least.
const keptPolls = 3

// openHosting returns the hosting service's client and the cache of accounts.
func (b *Bot) openHosting() (*hostapi.Client, *accounts.Cache, error) {
	c := b.settings.HostAPI.Config()
	c.UserAgent = "hostbot/" + b.version
	c.Observe, c.OnDown, c.OnUp = b.serviceCalled, b.serviceDown, b.serviceUp
	client, err := hostapi.New(c)
	if err != nil {
		return nil, nil, err
	}
	b.service = client
	b.onClose(client.Close)
	b.monitor.ServiceHealth(client.DownSince)
	s := b.settings.Cache
	cache := accounts.New(accounts.Config{
		Redis: b.redis.Client, Prefix: b.space.Key(""), Source: &loggedSource{Source: client, log: b.log}, TTL: s.TTL, MaxStale: s.MaxStale, Patience: callPatience,
		KeepFor:   func() time.Duration { return keptPolls * b.watcher.Interval() }, // a panel says then that it is out of date
		BesideKey: actions.Key, OnGarbage: b.cacheGarbage, OnLookup: b.monitor.CacheLookup,
	})
	b.onClose(cache.Close)
	return client, cache, nil
}

// traceService shows a call to the hosting service that failed or was slow to who looks for a
// mistake.
func (b *Bot) traceService(c hostapi.Call) {
	line := b.log.Debug()
	if !line.Enabled() || c.Code == "" && c.Duration < slowCall {
		return
	}
	line.Str("operation", string(c.Op)).Str("code", string(c.Code)).Str("reason", c.Reason).Int("attempts", c.Attempts).
		Dur("took_ms", c.Duration).Msg("a call to the hosting service failed or was slow")
}

// loggedSource logs why the service did not tell of an account. Where an old one is
// shown in its place, the customer's interaction has no error to log.
type loggedSource struct {
	accounts.Source
	log   zerolog.Logger
	noted seldom.Line
}

// List asks for an account.
func (l *loggedSource) List(ctx context.Context, userID string) (hostapi.List, error) {
	list, err := l.Source.List(ctx, userID)
	l.note(userID, err)
	return list, err
}

// Get asks for one server of an account.
func (l *loggedSource) Get(ctx context.Context, userID, serverID string) (hostapi.Server, error) {
	server, err := l.Source.Get(ctx, userID, serverID)
	l.note(userID, err)
	return server, err
}

func (l *loggedSource) note(userID string, err error) {
	switch hostapi.CodeOf(err) {
	case "", hostapi.CodeNotFound, hostapi.CodeNotOffered: // which is an answer
	default:
		l.noted.Begin(&l.log, zerolog.InfoLevel).Err(err).Str("user", userID).Msg("the hosting service did not tell of an account")
	}
}
