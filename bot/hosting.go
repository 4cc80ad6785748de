package bot

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"hostbot/bot/actions"
	"hostbot/bot/seldom"
	"hostbot/bot/staff/support"
	"hostbot/hostapi"
	"hostbot/hostapi/accounts"
)

// slowCall is how long a call to the hosting service takes to be logged as slow.
const slowCall = time.Second

// keptPolls is how many poll intervals an account is cached for, at least.
const keptPolls = 3

// openHosting returns the hosting service's client and the cache of accounts.
func (b *Bot) openHosting() (*hostapi.Client, *accounts.Cache, error) {
	c := b.settings.HostAPI.Config()
	c.UserAgent = "hostbot/" + b.version
	c.Observe, c.OnDown, c.OnUp = b.serviceCalled, b.serviceDown, b.serviceUp
	c.OnRefused = b.renewServiceSecret
	client, err := hostapi.New(c)
	if err != nil {
		return nil, nil, err
	}
	b.service = client
	b.onClose(client.Close)
	b.monitor.ServiceHealth(client.DownSince)
	s := b.settings.Cache
	away := func() bool { return !client.DownSince().IsZero() }
	cache := accounts.New(accounts.Config{
		Redis: b.redis.Client, Prefix: b.space.Key(""), Source: &loggedSource{Source: client, log: b.log, away: away, onUnread: b.accountUnread}, TTL: s.TTL, MaxStale: s.MaxStale,
		Patience:   c.Timeout, // for all attempts of a call: a customer waits no longer for what is known
		StatusMap:  c.StatusMap,
		KeepFor:    func() time.Duration { return keptPolls * b.watcher.Interval() }, // a panel says then that it is out of date
		BesideKeys: func(userID string) []string { return []string{actions.Key(userID), support.UnreadKey(b.space, userID)} },
		OnGarbage:  b.cacheGarbage, OnLookup: b.monitor.CacheLookup,
		Away: away, OnDoubt: b.accountDoubted,
	})
	b.onClose(cache.Close)
	return client, cache, nil
}

// traceService logs a call to the hosting service that failed or was slow, at the level debug.
func (b *Bot) traceService(c hostapi.Call) {
	line := b.log.Debug()
	if !line.Enabled() || c.Code == "" && c.Duration < slowCall {
		return
	}
	line.Str("operation", string(c.Op)).Str("code", string(c.Code)).Str("reason", c.Reason).Int("attempts", c.Attempts).
		Dur("took_ms", c.Duration).Msg("a call to the hosting service failed or was slow")
}

// loggedSource logs why an account could not be read. If the customer is shown a cached one instead, the
// interaction has no error to log.
type loggedSource struct {
	accounts.Source
	log   zerolog.Logger
	noted seldom.Line
	// away reports whether the breaker is open. onUnread is called with what of an account could not be read.
	away     func() bool
	onUnread func(userID, what string)

	mu     sync.Mutex
	unread map[string]string // the kind with which onUnread was called last, by user ID
}

// maxUnread bounds unread, at some 100 bytes an account.
const maxUnread = 10_000

// List asks for an account.
func (l *loggedSource) List(ctx context.Context, userID string) (hostapi.List, error) {
	list, err := l.Source.List(ctx, userID)
	l.note(userID, err)
	what := strings.Join(list.Unread, ", ")
	e, ok := errors.AsType[*hostapi.Error](err)
	switch {
	case ok && e.Code == hostapi.CodeMalformed && !l.away(): // while it is away, that is not about the account
		l.notify(userID, string(e.Code), e.Detail) // by code, as the detail may differ each time
	case what != "":
		l.notify(userID, what, what)
	}
	return list, err
}

// Get asks for one server of an account.
func (l *loggedSource) Get(ctx context.Context, userID, serverID string) (hostapi.Server, error) {
	server, err := l.Source.Get(ctx, userID, serverID)
	l.note(userID, err)
	return server, err
}

// notify calls onUnread unless an account's last call was of the same kind: an account is read every minute.
func (l *loggedSource) notify(userID, kind, what string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.unread[userID] == kind {
		return
	}
	if l.unread == nil || len(l.unread) >= maxUnread {
		l.unread = make(map[string]string)
	}
	l.unread[userID] = kind
	l.onUnread(userID, what)
}

func (l *loggedSource) note(userID string, err error) {
	switch hostapi.CodeOf(err) {
	case "", hostapi.CodeNotFound, hostapi.CodeNotOffered: // these are answers
	default:
		l.noted.Begin(&l.log, zerolog.InfoLevel).Err(err).Str("user", userID).Msg("the hosting service did not tell of an account")
	}
}
