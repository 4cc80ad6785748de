package bot

import (
	"cmp"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"hostbot/bot/leader"
	"hostbot/bot/seldom"
	"hostbot/bot/staff/health"
	"hostbot/bot/staff/stafflog"
	"hostbot/bot/store/redisclient"
	"hostbot/hostapi"
	"hostbot/locale"
)

// noShard stands in for a shard until it is known how many there are.
const noShard = -1

// lossGrace is how long this replica must be without any shard before staff read of it. Discord makes each
// session reconnect several times a day.
const lossGrace = 10 * time.Second

// connections is what this replica knows of its shards.
type connections struct {
	resumes atomic.Int64

	mu       sync.Mutex
	begun    bool         // a shard has been connected
	up, lost map[int]bool // by shard
	lostAt   time.Time    // when the first of the lost shards was lost
	reason   error        // why the latest attempt failed
	attempts *seldom.Line // logs failed attempts of shards that are lost already

	without time.Time   // since when shards are lost and none is up; zero otherwise
	grace   *time.Timer // runs for lossGrace from then on
	logged  bool        // staff can read of it
}

// loss returns since when a shard is lost, and why the latest attempt to connect one failed; zeros if none is
// lost.
func (c *connections) loss() (since time.Time, reason error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.lost) == 0 {
		return time.Time{}, nil
	}
	return c.lostAt, c.reason
}

// connected is called when a shard has a new session.
func (b *Bot) connected(shard int, applicationID string) {
	b.log.Info().Int("shard", shard).Str("application", applicationID).Msg("connected to discord")
	b.serving(shard, stafflog.Connected)
}

// resumed is called when a shard's session goes on after a loss, or after another replica has handed it over.
func (b *Bot) resumed(shard int) {
	b.connections.resumes.Add(1)
	b.log.Info().Int("shard", shard).Msg("connection to discord resumed")
	b.serving(shard, stafflog.Resumed)
}

func (b *Bot) serving(shard int, how stafflog.Notice) {
	select {
	case b.reachable <- struct{}{}:
	default: // the commands are registered once
	}
	c := &b.connections
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.lost, shard)
	delete(c.lost, noShard)
	if c.up == nil {
		c.up = make(map[int]bool)
	}
	c.up[shard] = true
	if !c.begun {
		c.begun, c.logged, how = true, true, stafflog.Connected
		c.without = cmp.Or(c.without, time.Now())
	}
	b.judgeLoss(how)
}

// lost is called after every attempt that failed.
func (b *Bot) lost(shard int, reason error) {
	c := &b.connections
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.lost) == 0 {
		c.lost, c.lostAt, c.attempts = make(map[int]bool), time.Now(), new(seldom.Line)
	}
	line := b.log.Warn() // the loss of a further shard is always logged
	if len(c.lost) == 0 || c.lost[shard] {
		line = c.attempts.Begin(&b.log, zerolog.WarnLevel)
	}
	line.Err(reason).Int("shard", shard).Msg("connection to discord lost")
	delete(c.up, shard)
	c.lost[shard], c.reason = true, reason
	b.judgeLoss("")
}

// released is called when this replica no longer holds a shard. A lost shard is not its loss any more:
// another replica connects it.
func (b *Bot) released(shard int) {
	c := &b.connections
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.up, shard)
	delete(c.lost, shard)
	b.judgeLoss(stafflog.Resumed)
}

// judgeLoss is called after each change of connections, with mu held. It logs for staff how a loss ended that
// logLoss has logged.
func (b *Bot) judgeLoss(how stafflog.Notice) {
	c := &b.connections
	switch without := len(c.lost) > 0 && len(c.up) == 0; {
	case without && c.without.IsZero():
		c.without = time.Now()
		c.grace = time.AfterFunc(lossGrace, b.logLoss)
	case !without && !c.without.IsZero():
		if c.grace != nil {
			c.grace.Stop()
		}
		if c.logged && !b.stopping.Load() {
			after := time.Since(c.without)
			b.staffQueue.Go(func() { b.stafflog.Tell(how, stafflog.Facts{After: after}) })
		}
		c.without, c.logged = time.Time{}, false
	}
}

// logLoss logs for staff that this replica has been without any shard for lossGrace.
func (b *Bot) logLoss() {
	c := &b.connections
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.without.IsZero() || time.Since(c.without) < lossGrace || b.stopping.Load() {
		return
	}
	c.logged = true
	reason := c.reason
	b.staffQueue.Go(func() { b.stafflog.Tell(stafflog.Disconnected, stafflog.Facts{Reason: reason}) })
}

// tell ends a line of the process log and queues a notice of the same for staff.
func (b *Bot) tell(line *zerolog.Event, text string, n stafflog.Notice, f stafflog.Facts) {
	if f.After > 0 {
		line.Dur("after_ms", f.After)
	}
	line.Err(f.Reason).Msg(text)
	b.staffQueue.Go(func() { b.stafflog.Tell(n, f) })
}

// redisLost is called once Redis has been unusable for a while.
func (b *Bot) redisLost(reason error) {
	b.monitor.RedisUp(reason)
	line := b.log.Warn()
	if means, cure := redisclient.Explain(reason); means != "" {
		line.Str("means", means).Str("cure", cure)
	}
	b.tell(line, "redis cannot be used: the hosting service is asked for every account, and replicas do not see each other's actions",
		stafflog.RedisLost, stafflog.Facts{Reason: reason})
}

func (b *Bot) redisBack(after time.Duration) {
	b.monitor.RedisUp(nil)
	b.tell(b.log.Info(), "redis can be used again", stafflog.RedisBack, stafflog.Facts{After: after})
}

// serviceDown is called when the breaker opens.
func (b *Bot) serviceDown(reason error) {
	b.tell(b.log.Warn(), "the hosting service is away: it is left alone, and tried until it is back", stafflog.ServiceDown, stafflog.Facts{Reason: reason})
}

// serviceUp is called when the breaker closes.
func (b *Bot) serviceUp(after time.Duration) {
	b.tell(b.log.Info(), "the hosting service is back", stafflog.ServiceUp, stafflog.Facts{After: after})
}

// serviceCalled is called after each call to the hosting service.
func (b *Bot) serviceCalled(c hostapi.Call) {
	b.monitor.Service(c)
	b.traceService(c)
	b.judgeReads()
	b.judgeSecret(c)
}

// judgeSecret notifies staff when the service begins to refuse the secret, and when it accepts one again.
func (b *Bot) judgeSecret(c hostapi.Call) {
	if c.Attempts == 0 || c.Code != "" && c.Code != hostapi.CodeUnauthorized {
		return // says nothing about the secret
	}
	now := time.Now()
	switch {
	case c.Code == hostapi.CodeUnauthorized && b.secretRefused.CompareAndSwap(nil, &now):
		b.tell(b.log.Error(), "the hosting service refuses the secret: nobody is served until HOSTAPI_SECRET is right", stafflog.SecretRefused, stafflog.Facts{})
	case c.Code == "":
		if since := b.secretRefused.Swap(nil); since != nil {
			b.tell(b.log.Info(), "the hosting service accepts the secret again", stafflog.SecretAccepted, stafflog.Facts{After: now.Sub(*since)})
		}
	}
}

// accountDoubted is called with how many accounts the service does not find that it had listed, and, if one has
// just joined them, with the service's answer about it. While the service is away, staff are not notified.
func (b *Bot) accountDoubted(lost int, begun error) {
	before := b.accountsLost.Swap(int64(lost))
	now := time.Now()
	b.lostCounted.Store(now.UnixNano())
	// A number that falls is the end of an outage that staff know of.
	if lost >= hostapi.Several && int64(lost) >= before && b.service.DownSince().IsZero() && b.accountsMissing.CompareAndSwap(nil, &now) {
		b.tell(b.log.Error().Int("not_found", lost), "the hosting service does not find accounts that it has listed: customers see them as they were",
			stafflog.AccountsLost, stafflog.Facts{Args: locale.Args{"Failed": lost}})
	}
	if begun != nil && b.service.DownSince().IsZero() {
		b.tell(b.log.Warn().Int("accounts", lost), "the hosting service does not find an account that it has listed: it is shown as it was",
			stafflog.AccountLost, stafflog.Facts{Reason: begun})
	}
	b.judgeReads()
}

// lostAccounts returns how many accounts the service does not find that it had listed.
func (b *Bot) lostAccounts() int {
	if time.Since(time.Unix(0, b.lostCounted.Load())) > hostapi.Blip { // nobody has asked for them since
		return 0
	}
	return int(b.accountsLost.Load())
}

// fewReads is how many reads it takes to judge the service by the accounts that it does not find, as some
// customers have none.
const fewReads = 20

// judgeReads notifies staff when the hosting service ceases to find half of the accounts that it is asked for,
// and when it finds three quarters again. Something else may be answering in its place.
func (b *Bot) judgeReads() {
	reads, missing := b.monitor.AccountReads()
	lost := b.lostAccounts()
	now := time.Now()
	switch {
	case !b.service.DownSince().IsZero(): // staff know that it is away, and why
	case reads >= fewReads && 2*missing > reads && b.accountsMissing.CompareAndSwap(nil, &now):
		b.tell(b.log.Error().Int("reads", reads).Int("not_found", missing), "the hosting service does not find most accounts: customers read that they have none",
			stafflog.AccountsMissing, stafflog.Facts{Args: locale.Args{"Failed": missing, "Calls": reads}})
	case reads > 0 && 4*missing <= reads && lost < hostapi.Several:
		if since := b.accountsMissing.Swap(nil); since != nil {
			b.tell(b.log.Info(), "the hosting service finds accounts again", stafflog.AccountsFound, stafflog.Facts{After: now.Sub(*since)})
		}
	}
}

// missingAccounts returns how many accounts the service does not find, and since when; zeros while it finds
// most. Of is 0 if it had listed them before.
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

// tooManyInvalid is called when Discord may soon ban this machine's address (rest.Client.OnInvalid).
func (b *Bot) tooManyInvalid(invalid int) {
	b.tell(b.log.Error().Int("requests", invalid), "discord refused so many requests that it may ban this address: requests that may wait are held back",
		stafflog.InvalidRequests, stafflog.Facts{})
}

// discordPauses is called when Discord asks all requests to wait.
func (b *Bot) discordPauses(wait time.Duration) {
	b.log.Warn().Dur("wait_ms", wait).Msg("discord asks all requests to wait: only interactions are answered")
}

// deadLetter is called with each record that the leader gives up.
func (b *Bot) deadLetter(l leader.Letter) {
	b.staffQueue.Go(func() { b.stafflog.DeadLetter(l) })
}

// accountUnread is called with what cannot be read of the service's answer about an account.
func (b *Bot) accountUnread(userID, what string) {
	b.log.Warn().Str("user", userID).Str("what", what).Msg("what the hosting service said of an account cannot be read, or not all of it")
	b.staffQueue.Go(func() { b.stafflog.AccountUnread(userID, what) })
}

// cacheGarbage is called when a key of the cache holds something other than an account.
func (b *Bot) cacheGarbage(reason error) {
	b.tell(b.log.Warn(), "what is cached of an account makes no sense: the hosting service is asked", stafflog.CacheGarbage, stafflog.Facts{Reason: reason})
}
