package bot

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"hostbot/bot/leader"
	"hostbot/bot/seldom"
	"hostbot/bot/staff/health"
	"hostbot/bot/store/redisclient"
	"hostbot/hostapi"
)

// noShard stands for the connection before it is known which shards there are.
const noShard = -1

// connections is what staff know of the connections to Discord. They read a line when
// the first is there, one when the first is lost, and one when none is lost any more:
// not one for each shard.
type connections struct {
	resumes atomic.Int64

	mu     sync.Mutex
	told   bool // that one is there
	lost   map[int]bool
	lostAt time.Time // the first of them
	reason error     // why the latest attempt failed
	anew   bool      // a session has ended meanwhile, with what was sent to it
	given  bool      // one of them is another replica's meanwhile

	attempts *seldom.Line // that a connection is lost, or cannot be made again

	unnoted map[int]time.Time // when shards were lost of which Redis could not be told
}

// noted is told whether Redis knows that a shard is lost.
func (c *connections) noted(shard int, at time.Time, known bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if known {
		delete(c.unnoted, shard)
		return
	}
	if c.unnoted == nil {
		c.unnoted = make(map[int]time.Time)
	}
	if _, before := c.unnoted[shard]; !before {
		c.unnoted[shard] = at
	}
}

// takeUnnoted returns when a shard was lost if Redis could not be told, once.
func (c *connections) takeUnnoted(shard int) (at time.Time, unnoted bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	at, unnoted = c.unnoted[shard]
	delete(c.unnoted, shard)
	return at, unnoted
}

// loss returns since when a connection is lost, and why the latest attempt to make one failed; zeros if
// none is lost.
func (c *connections) loss() (since time.Time, reason error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.lost) == 0 {
		return time.Time{}, nil
	}
	return c.lostAt, c.reason
}

// connected is told of a new session.
func (b *Bot) connected(shard int, applicationID string) {
	b.log.Info().Int("shard", shard).Str("application", applicationID).Msg("connected to discord")
	b.serving(shard, true)
}

// resumed is told that a session goes on, which was lost or another replica's.
func (b *Bot) resumed(shard int) {
	b.connections.resumes.Add(1)
	b.log.Info().Int("shard", shard).Msg("connection to discord resumed")
	b.serving(shard, false)
}

func (b *Bot) serving(shard int, anew bool) {
	select {
	case b.reachable <- struct{}{}:
	default: // the commands are registered once
	}
	c := &b.connections
	c.mu.Lock()
	defer c.mu.Unlock()
	was, after := c.lost[shard] || c.lost[noShard], time.Since(c.lostAt)
	delete(c.lost, shard)
	delete(c.lost, noShard)
	b.staffQueue.Go(func() { c.takeUnnoted(shard) })
	c.anew = c.anew || anew
	told, begun, given := c.told, c.anew && (was || anew), c.given
	c.told = true
	switch {
	case was && len(c.lost) > 0:
		b.staffQueue.Go(func() { b.noteFound(shard) })
	case !told, was:
		b.staffQueue.Go(func() {
			if _, _, others := b.noteFound(shard); told && given && others > 0 {
				return // who has the last of them tells
			}
			b.tellServing(!told || begun, after)
		})
	default: // the shard may have been another replica's, which has lost it
		b.staffQueue.Go(func() {
			if after, was, others := b.noteFound(shard); was && others == 0 {
				b.tellServing(anew, after)
			}
		})
	}
}

// tellServing tells staff that Discord delivers interactions, in a new session or in one that was lost.
func (b *Bot) tellServing(anew bool, after time.Duration) {
	if anew {
		b.stafflog.Connected()
	} else {
		b.stafflog.Resumed(after)
	}
}

// lost is told of every attempt that failed; staff read of the first.
func (b *Bot) lost(shard int, reason error) {
	c := &b.connections
	c.mu.Lock()
	defer c.mu.Unlock()
	now, first := time.Now(), len(c.lost) == 0
	if first {
		c.lost, c.lostAt, c.anew, c.given = make(map[int]bool), now, false, false
		c.attempts = new(seldom.Line)
		b.staffQueue.Go(func() { b.stafflog.Disconnected(reason) })
	}
	var line *zerolog.Event
	if first || c.lost[shard] {
		line = c.attempts.Begin(&b.log, zerolog.WarnLevel)
	} else { // that a further shard is lost is always written
		line = b.log.Warn()
	}
	line.Err(reason).Int("shard", shard).Msg("connection to discord lost")
	c.lost[shard], c.reason = true, reason
	b.staffQueue.Go(func() { b.noteLoss(shard, now) })
}

// released is told that a shard is another replica's by now. Staff read that it is back from that one,
// or from this one where that one cannot know of it.
func (b *Bot) released(shard int) {
	c := &b.connections
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.lost[shard] {
		return
	}
	c.given = true
	delete(c.lost, shard)
	b.staffQueue.Go(func() { b.tellGiven(shard) })
}

// redisLost is told when Redis could not be used for a while.
func (b *Bot) redisLost(reason error) {
	b.monitor.RedisUp(reason)
	line := b.log.Warn().Err(reason)
	if means, cure := redisclient.Explain(reason); means != "" {
		line.Str("means", means).Str("cure", cure)
	}
	line.Msg("redis cannot be used: the hosting service is asked for every account, and replicas do not see each other's actions")
	b.staffQueue.Go(func() { b.stafflog.RedisLost(reason) })
}

// redisBack is told when Redis can be used again.
func (b *Bot) redisBack(after time.Duration) {
	b.monitor.RedisUp(nil)
	b.log.Info().Dur("after_ms", after).Msg("redis can be used again")
	b.staffQueue.Go(func() { b.stafflog.RedisBack(after) })
}

// serviceDown is told when the hosting service is taken to be away.
func (b *Bot) serviceDown(reason error) {
	b.log.Warn().Err(reason).Msg("the hosting service is away: it is left alone, and tried until it is back")
	b.staffQueue.Go(func() { b.stafflog.ServiceDown(reason) })
}

// serviceUp is told when the hosting service is back.
func (b *Bot) serviceUp(after time.Duration) {
	b.log.Info().Dur("after_ms", after).Msg("the hosting service is back")
	b.staffQueue.Go(func() { b.stafflog.ServiceUp(after) })
}

// serviceCalled is told of each call to the hosting service.
func (b *Bot) serviceCalled(c hostapi.Call) {
	b.monitor.Service(c)
	b.traceService(c)
	b.judgeReads()
	b.judgeSecret(c)
}

// judgeSecret tells staff of the first call whose secret is refused, and of the first that is accepted
// after that.
func (b *Bot) judgeSecret(c hostapi.Call) {
	if c.Attempts == 0 || c.Code != "" && c.Code != hostapi.CodeUnauthorized {
		return // which says nothing of the secret
	}
	now := time.Now()
	switch {
	case c.Code == hostapi.CodeUnauthorized && b.secretRefused.CompareAndSwap(nil, &now):
		b.log.Error().Msg("the hosting service refuses the secret: nobody is served until HOSTAPI_SECRET is right")
		b.staffQueue.Go(b.stafflog.SecretRefused)
	case c.Code == "":
		if since := b.secretRefused.Swap(nil); since != nil {
			after := now.Sub(*since)
			b.log.Info().Dur("after_ms", after).Msg("the hosting service accepts the secret again")
			b.staffQueue.Go(func() { b.stafflog.SecretAccepted(after) })
		}
	}
}

// accountDoubted is told how many accounts that were listed before the service does not find, and why of one
// of which that has just begun. While the service is away, that is no news.
func (b *Bot) accountDoubted(lost int, begun error) {
	before := b.accountsLost.Swap(int64(lost))
	now := time.Now()
	b.lostCounted.Store(now.UnixNano())
	// While there are fewer and fewer, they come back after an outage, of which staff know.
	if lost >= hostapi.Several && int64(lost) >= before && b.service.DownSince().IsZero() && b.accountsMissing.CompareAndSwap(nil, &now) {
		b.log.Error().Int("not_found", lost).Msg("the hosting service does not find accounts that it has listed: customers see them as they were")
		b.staffQueue.Go(func() { b.stafflog.AccountsLost(lost) })
	}
	if begun != nil && b.service.DownSince().IsZero() {
		b.log.Warn().Err(begun).Int("accounts", lost).Msg("the hosting service does not find an account that it has listed: it is shown as it was")
		b.staffQueue.Go(func() { b.stafflog.AccountLost(begun) })
	}
	b.judgeReads()
}

// lostAccounts returns how many accounts that were listed before the service does not find.
func (b *Bot) lostAccounts() int {
	if time.Since(time.Unix(0, b.lostCounted.Load())) > hostapi.Blip { // nobody has asked for them since
		return 0
	}
	return int(b.accountsLost.Load())
}

// fewReads is of how many accounts the service must have told before it is judged by those that it does not
// find: some customers have none.
const fewReads = 20

// judgeReads tells staff if the hosting service does not find more than half of the accounts that it is asked
// for, as something does that is not the service, and when it finds three quarters of them again.
func (b *Bot) judgeReads() {
	reads, missing := b.monitor.AccountReads()
	lost := b.lostAccounts()
	now := time.Now()
	switch {
	case !b.service.DownSince().IsZero(): // staff know that it is away, and why
	case reads >= fewReads && 2*missing > reads && b.accountsMissing.CompareAndSwap(nil, &now):
		b.log.Error().Int("reads", reads).Int("not_found", missing).Msg("the hosting service does not find most accounts: customers read that they have none")
		b.staffQueue.Go(func() { b.stafflog.AccountsMissing(reads, missing) })
	case reads > 0 && 4*missing <= reads && lost < hostapi.Several:
		if since := b.accountsMissing.Swap(nil); since != nil {
			after := now.Sub(*since)
			b.log.Info().Dur("after_ms", after).Msg("the hosting service finds accounts again")
			b.staffQueue.Go(func() { b.stafflog.AccountsFound(after) })
		}
	}
}

// missingAccounts returns how many accounts the service does not find of how many, or has lost, and since when;
// zeros while it finds most.
func (b *Bot) missingAccounts() health.Missing {
	since := b.accountsMissing.Load()
	if since == nil {
		return health.Missing{}
	}
	if lost := b.lostAccounts(); lost >= hostapi.Several {
		return health.Missing{Accounts: lost, Since: *since}
	}
	reads, missing := b.monitor.AccountReads()
	return health.Missing{Accounts: missing, Of: reads, Since: *since}
}

// tooManyInvalid is told that Discord refused so many requests that it may ban this
// machine's address.
func (b *Bot) tooManyInvalid(invalid int) {
	b.log.Error().Int("requests", invalid).Msg("discord refused so many requests that it may ban this address: requests that may wait are held back")
	b.staffQueue.Go(func() { b.stafflog.TooManyInvalid() })
}

// discordPauses is told that Discord asked all requests to wait.
func (b *Bot) discordPauses(wait time.Duration) {
	b.log.Warn().Dur("wait_ms", wait).Msg("discord asks all requests to wait: only interactions are answered")
}

// embeddedRedisFull is told that the Redis in the process had to drop keys.
func (b *Bot) embeddedRedisFull(reason error) {
	b.staffQueue.Go(func() { b.stafflog.EmbeddedRedisFull(reason) })
}

// deadLetter is told of what the leader cannot deal with.
func (b *Bot) deadLetter(l leader.Letter) {
	b.staffQueue.Go(func() { b.stafflog.DeadLetter(l) })
}

// accountUnread is told what of an account the hosting service sent in a form that cannot be read.
func (b *Bot) accountUnread(userID, what string) {
	b.log.Warn().Str("user", userID).Str("what", what).Msg("what the hosting service said of an account cannot be read, or not all of it")
	b.staffQueue.Go(func() { b.stafflog.AccountUnread(userID, what) })
}

// cacheGarbage is told that a key of the cache held something else than an account.
func (b *Bot) cacheGarbage(reason error) {
	b.log.Warn().Err(reason).Msg("what is cached of an account makes no sense: the hosting service is asked")
	b.staffQueue.Go(func() { b.stafflog.CacheGarbage(reason) })
}
