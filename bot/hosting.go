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
		Redis: b.redis.Client, Prefix: b.space.Key(""), Source: &loggedSource{Source: client, log: b.log, away: away, onUnread: b.accountUnread}, TTL: s.TTL, MaxStale: s.MaxStale, Patience: callPatience,
		StatusMap: c.StatusMap,
		KeepFor:   func() time.Duration { return keptPolls * b.watcher.Interval() }, // a panel says then that it is out of date
		BesideKey: actions.Key, OnGarbage: b.cacheGarbage, OnLookup: b.monitor.CacheLookup,
		Away: away, OnDoubt: b.accountDoubted,
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
	// away reports whether the service is taken to be away, and onUnread is told what of an account could not be read.
	away     func() bool
	onUnread func(userID, what string)

	mu     sync.Mutex
	unread map[string]string // the kind of what onUnread was told last, by user ID
}

// maxUnread is of how many accounts it is remembered, at some 100 bytes each.
const maxUnread = 10_000

// List asks for an account.
func (l *loggedSource) List(ctx context.Context, userID string) (hostapi.List, error) {
	list, err := l.Source.List(ctx, userID)
	l.note(userID, err)
	what := strings.Join(list.Unread, ", ")
	e, ok := errors.AsType[*hostapi.Error](err)
	switch {
	case ok && e.Code == hostapi.CodeMalformed && !l.away(): // otherwise staff know that, and it is of no account
		l.tell(userID, string(e.Code), e.Detail) // whose words may be others each time
	case what != "":
		l.tell(userID, what, what)
	}
	return list, err
}

// Get asks for one server of an account.
func (l *loggedSource) Get(ctx context.Context, userID, serverID string) (hostapi.Server, error) {
	server, err := l.Source.Get(ctx, userID, serverID)
	l.note(userID, err)
	return server, err
}

// tell tells once for each kind what of an account could not be read. An account is asked for every minute.
func (l *loggedSource) tell(userID, kind, what string) {
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
	case "", hostapi.CodeNotFound, hostapi.CodeNotOffered: // which is an answer
	default:
		l.noted.Begin(&l.log, zerolog.InfoLevel).Err(err).Str("user", userID).Msg("the hosting service did not tell of an account")
	}
}
