// Package bot wires the program: it makes every part from the settings, starts them, and stops them
// in reverse order.
//
// An interaction arrives at package gateway, or at endpoint if it comes over HTTP. The router of package
// interaction finds its handler in commands. Package responder sends what the handler returns, through rest.
//
// Each file wires one part: hosting.go the service's client and the cache, leading.go the work of the
// leader, watching.go the polling of accounts, sharding.go the gateway, endpoint.go the HTTP endpoint,
// registration.go the lists of commands and the look whether Discord reaches the bot, and health.go the report
// for staff and operators. connection.go logs outages for staff, reload.go reads secrets again, supervised.go
// notifies systemd, waits.go serves the playground, and stop.go stops the program.
package bot

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"hostbot/bot/actions"
	"hostbot/bot/discord/endpoint"
	"hostbot/bot/discord/gateway"
	"hostbot/bot/discord/register"
	"hostbot/bot/discord/rest"
	"hostbot/bot/discord/shards"
	"hostbot/bot/interaction"
	"hostbot/bot/leader"
	"hostbot/bot/ops/monitor"
	"hostbot/bot/responder"
	"hostbot/bot/seldom"
	"hostbot/bot/staff/incident"
	"hostbot/bot/staff/logchannel"
	"hostbot/bot/staff/stafflog"
	"hostbot/bot/staff/support"
	"hostbot/bot/store/keyspace"
	"hostbot/bot/store/redisclient"
	"hostbot/bot/watch/alerts"
	"hostbot/bot/watch/announce"
	"hostbot/bot/watch/following"
	"hostbot/bot/watch/notify"
	"hostbot/bot/watch/outages"
	"hostbot/bot/watch/panel"
	"hostbot/bot/watch/schedule"
	"hostbot/bot/watch/watcher"
	"hostbot/commands"
	"hostbot/commands/draft"
	"hostbot/configs"
	"hostbot/hostapi"
	"hostbot/locale"
)

// Bot is the program. It is made by New and run once.
type Bot struct {
	settings *configs.Settings
	version  string
	commit   string // see MeasureBuild
	started  time.Time
	log      zerolog.Logger
	english  *locale.Texts // what operators read

	monitor   *monitor.Monitor
	discord   *rest.Client
	delivery  *logchannel.Delivery
	incidents *incident.Store
	stafflog  *stafflog.Log
	redis     *redisclient.Conn
	space     keyspace.Space // the application's, in Redis
	service   *hostapi.Client
	handlers  *commands.Commands
	leader    *leader.Leader
	actions   *actions.Actions
	watcher   *watcher.Watcher
	dms       *notify.Notifier
	alerts    *alerts.Alerts
	restarts  *alerts.Restarts // of bots that crash
	schedules *schedule.Schedules
	panels    *panel.Panels
	outages   *outages.Outages
	following *following.Following
	announce  *announce.Announcements
	desk      *support.Desk
	channels  *alerts.Channels
	responder *responder.Responder
	discovery *gateway.Discovery
	shards    *shards.Shards     // nil where interactions arrive over HTTP
	endpoint  *endpoint.Endpoint // nil where they arrive over the gateway
	arrival   *register.Lookout

	reachable   chan struct{} // receives one value once Discord is known to be reachable
	mustStop    chan error    // receives one value if the program must stop by itself: why
	connections connections
	connectsAt  atomic.Int64 // when the gateway is dialled next, in Unix ns
	stopping    atomic.Bool
	// secretRefused is when the hosting service began to refuse the secret; nil while it accepts it.
	secretRefused atomic.Pointer[time.Time]
	secretKept    seldom.Line // logs that the file with the new secret cannot be used
	// accountsMissing is when the hosting service ceased to find most accounts, or several that it had
	// listed before; nil while it finds them.
	accountsMissing           atomic.Pointer[time.Time]
	accountsLost, lostCounted atomic.Int64 // how many listed accounts are not found, and when that was counted (Unix ns)
	staffQueue                stafflog.Async
	supervisor                func(state string) // see Supervise; may be nil
	afterStart                func()
	closers                   []func() // for what New opened, in the order of opening
	hurry                     int      // see Hurried
	anyPace                   bool     // see AnyPace
}

// Option is how a test's bot differs from the one that operators run.
type Option func(*Bot)

// Hurried divides the pauses of log channels and of panels by a number.
func Hurried(times int) Option { return func(b *Bot) { b.hurry = times } }

// AnyPace lifts the limit on first messages to new recipients.
func AnyPace() Option { return func(b *Bot) { b.anyPace = true } }

// New makes a bot from valid settings. It connects to nothing.
func New(s *configs.Settings, version string, log zerolog.Logger, options ...Option) (*Bot, error) {
	b := &Bot{settings: s, version: version, started: time.Now(), log: log, reachable: make(chan struct{}, 1), mustStop: make(chan error, 1), staffQueue: stafflog.Async{Log: log}, afterStart: func() {}, hurry: 1}
	for _, option := range options {
		option(b)
	}
	b.monitor = monitor.New(version, b.Ready)
	if err := b.build(); err != nil {
		b.close()
		return nil, err
	}
	return b, nil
}

func (b *Bot) build() error {
	s := b.settings
	texts, err := locale.Load()
	if err != nil {
		return err
	}
	b.english = texts.For(locale.Default)
	if b.redis, err = redisclient.Open(s.Redis.URL, b.log); err != nil {
		return err
	}
	b.onClose(b.redis.Close)
	b.space = keyspace.Of(s.Discord.Token)
	b.redis.Watch(b.redisLost, b.redisBack)
	b.monitor.Redis(b.redis.Client.PoolStats)
	if !b.redis.Embedded {
		b.monitor.RedisMemory(b.redis.MemoryUsed)
	}

	hosting, cache, err := b.openHosting()
	if err != nil {
		return err
	}

	b.discord = rest.New(s.Discord.Token, s.Discord.APIURL)
	b.discord.Observe, b.discord.OnInvalid, b.discord.OnPause = b.monitor.DiscordRequest, b.tooManyInvalid, b.discordPauses
	b.discord.Log = b.log
	b.monitor.Discord(b.discord.Invalid)
	b.onClose(b.discord.Close)

	b.openLeader()
	b.delivery = b.newDelivery(texts)
	b.monitor.LogChannels(b.delivery.Status, b.delivery.Dropped)
	b.incidents = incident.New(b.redis.Client, b.space, b.version, b.log)
	b.stafflog = stafflog.New(b.delivery.Post, b.incidents, texts.For(s.Log.Locale))

	watching := b.openWatching(cache)
	b.actions = actions.New(actions.Config{
		Redis: b.redis.Client, Space: b.space, Log: b.log, Timing: actions.DefaultTiming(),
		Reached: b.leader.Reached, CutOff: b.cutOff, Report: func(ctx context.Context, r actions.Report) error { return b.responder.Report(ctx, r) },
	})
	b.addWork()
	b.handlers = commands.New(commands.Config{
		Accounts: cache, Hosting: hosting, Actions: b.actions, Texts: texts,
		Staff: commands.Staff{
			GuildID: s.Admin.GuildID, UserIDs: s.Admin.UserIDs, RoleIDs: s.Admin.RoleIDs,
			Kept: b.kept(cache), Forget: b.forget(cache), Incident: b.incidents.Incident, Recent: b.incidents.Recent, TestLogs: b.stafflog.Test, Health: b.health, RetryDead: b.leader.Retry,
		},
		Links: commands.Links(s.Links), Watch: watching, Support: b.support(texts),
		Forms: commands.Forms{Drafts: draft.New(b.redis.Client, b.space), Languages: s.Languages},
	})
	if err := b.openResponder(); err != nil {
		return err
	}
	b.openArrival()
	if s.Interactions.Addr == "" {
		b.openShards()
	} else {
		b.openEndpoint()
	}
	return nil
}

// support makes the desk, and returns what commands need of it. The leader sends answers, and starts threads that Discord
// puts off.
func (b *Bot) support(texts *locale.Bundle) commands.Support {
	admin := b.settings.Admin
	b.desk = support.New(support.Config{
		Redis: b.redis.Client, Space: b.space, Discord: b.discord, ChannelID: admin.SupportChannelID, DMs: b.dms, Log: b.log,
		Draw: func(a support.Answer) interaction.Message { return b.handlers.SupportAnswer(a) },
		Note: func(a support.Answer, sent bool) interaction.Message { return b.handlers.AnswerNote(a, sent) },
	})
	b.leader.Add(b.desk.Work())
	b.leader.Add(b.desk.Answers())
	s := commands.Support{Keep: b.incidents.Keep, Texts: texts.For(b.settings.Log.Locale), Answers: b.desk, Brand: admin.Brand}
	if admin.SupportChannelID != "" {
		s.Tell = b.desk.Tell
	}
	return s
}

// openResponder makes the responder, with the routes of all handlers.
func (b *Bot) openResponder() error {
	router := interaction.NewRouter()
	b.handlers.Route(router)
	b.responder = responder.New(responder.Config{
		Discord: b.discord, OnBack: b.discord.OnBack, Router: router, Explain: b.handlers.Explain, Interrupted: b.handlers.Interrupted, ShowsEnd: commands.ShowsEnd, Begin: b.actions.Begin,
		Staff: b.stafflog, Observe: b.monitor.Interaction, ObserveAction: b.monitor.Action, Log: b.log,
	})
	return router.Err()
}

func (b *Bot) newDelivery(texts *locale.Bundle) *logchannel.Delivery {
	channels := make(map[logchannel.Category]string)
	for category, id := range b.settings.LogChannels.ByCategory() {
		channels[logchannel.Category(category)] = *id
	}
	var buttons logchannel.Buttons
	if b.settings.Admin.GuildID != "" {
		buttons = logchannel.Buttons{Lookup: commands.LookupID, Reference: commands.ReferenceID, References: commands.ReferencesID}
	}
	timing := logchannel.DefaultTiming()
	timing.Turn, timing.Grace = timing.Turn/time.Duration(b.hurry), timing.Grace/time.Duration(b.hurry)
	return logchannel.New(logchannel.Config{
		Discord: b.discord, Redis: b.redis.Client, Embedded: b.redis.Embedded, Space: b.space, Buttons: buttons,
		Channels: channels, Texts: texts.For(b.settings.Log.Locale), Log: b.log,
		Wake: b.leader.Wake, Leading: b.leader.Leading, Term: b.leader.Term,
		Timing: timing, MaxWaiting: logchannel.DefaultMaxWaiting,
	})
}

// MeasureBuild adds the commit that the program was built from to the metrics and the log. It is called before
// Run.
func (b *Bot) MeasureBuild(commit string) {
	b.commit = commit
	b.monitor.Commit(commit)
}

// MeasureLog adds the number of dropped lines of the process log to the metrics.
func (b *Bot) MeasureLog(dropped func() uint64) { b.monitor.Log(dropped) }

// AfterStart has Run call f once the commands are registered. It is called before Run.
func (b *Bot) AfterStart(f func()) { b.afterStart = f }

// Ready reports whether interactions are being served.
func (b *Bot) Ready() bool { return !b.stopping.Load() && b.receiving() }

// Standby reports whether other replicas hold all shards, and this one is ready to take one over.
func (b *Bot) Standby() bool { return b.shards != nil && b.shards.Standby() && !b.stopping.Load() }

// Run serves until ctx is done, lets what is running finish, and returns nil. If Discord refuses the bot
// for good, it returns why. If Discord refuses a shard because there are too few, it lets what is running
// finish and returns why.
func (b *Bot) Run(ctx context.Context) error {
	stopHTTP, err := b.listen()
	if err != nil {
		b.close()
		return err
	}
	receive, err := b.receiver()
	if err != nil {
		stopHTTP()
		b.close()
		return err
	}
	b.delivery.Start()
	b.announceStart()

	working, stopWork := context.WithCancel(ctx)
	defer stopWork()
	var work sync.WaitGroup
	work.Go(func() { b.registerCommands(working) })
	work.Go(func() { b.watcher.Run(working) })
	work.Go(func() { b.outages.Run(working) })
	work.Go(func() { b.tellSupervisor(working) })
	// The leader stays in office until the last log entries are delivered.
	stopLeading := b.lead(context.WithoutCancel(ctx))
	// While the program stops, interactions that still arrive are served or refused, and the records of
	// running actions are renewed.
	connected, disconnect := context.WithCancel(context.WithoutCancel(ctx))
	defer disconnect()
	work.Go(func() { b.actions.Run(connected) })
	disconnected := make(chan error, 1)
	go func() {
		defer close(disconnected)
		disconnected <- receive(connected)
	}()

	stop := b.untilStopped(ctx, disconnected)
	stopWork()
	runStages(stop.by,
		stage{limit: time.Until(stop.serve), do: func(ctx context.Context) { <-ctx.Done() }},
		stage{limit: stop.limit, over: lastWords, kept: endKept, do: b.responder.Drain},
		stage{limit: refusalDrain, kept: endKept, do: func(ctx context.Context) {
			disconnect()
			b.responder.Close(ctx)
		}},
		stage{limit: stopLimit, kept: flushLimit + time.Second, do: func(context.Context) {
			for range disconnected { // until it is
			}
			work.Wait()
		}},
		stage{limit: flushLimit, kept: time.Second, do: b.flush},
		stage{limit: stopLimit, do: func(context.Context) {
			stopLeading()
			stopHTTP()
			b.close()
		}},
	)
	return stop.err
}

func (b *Bot) announceStart() {
	b.log.Info().Str("version", b.version).Str("commit", b.commit).Msg("hostbot starts")
	b.stafflog.Started(b.version)
	if b.redis.Embedded {
		b.stafflog.RedisEmbedded()
	}
}

// untilStopped waits until the process is to stop, hands over its shards, and logs why it stops.
func (b *Bot) untilStopped(ctx context.Context, disconnected <-chan error) stop {
	s, reason, refused := stop{limit: drainLimit}, "told to stop", false
	select {
	case s.err = <-disconnected:
		refused = true
	case <-ctx.Done():
	case s.err = <-b.mustStop:
	}
	s.serve, s.by = b.servesUntil(), time.Now().Add(stopLimit)
	if s.err != nil {
		reason = s.err.Error()
	}
	if refused {
		s.serve, s.limit = time.Now(), refusedLimit
	} else {
		b.handOver()
	}
	if !s.serve.After(time.Now()) {
		b.responder.Stop()
	}
	// While Redis is away, logging takes until the request to it fails.
	runStages(s.by, stage{limit: announceLimit, do: func(context.Context) { b.announceStop(reason) }})
	return s
}

// listen starts the operators' pages and Go's profiles, each if it has an address.
func (b *Bot) listen() (stop func(), err error) {
	pages := b.monitor.Handler(monitor.Pages{
		Ready: b.Ready, Standby: b.Standby, Why: b.whyUnready, Health: func(ctx context.Context) string { return b.health(ctx).Lines(b.english) },
	})
	stopPages, err := b.listenAt(b.settings.HTTP.Addr, pages, "health and metrics are served")
	if err != nil {
		return nil, fmt.Errorf("HTTP_ADDR: %w: set it to an address of this machine with a free port, such as 127.0.0.1:9190; 9090 is Prometheus's own port, too", err)
	}
	stopProfiles, err := b.listenAt(b.settings.HTTP.PprofAddr, monitor.Profiles(), "profiles are served")
	if err != nil {
		stopPages()
		return nil, fmt.Errorf("HTTP_PPROF_ADDR: %w", err)
	}
	return func() { stopPages(); stopProfiles() }, nil
}

func (b *Bot) listenAt(addr string, pages http.Handler, said string) (stop func(), err error) {
	if addr == "" {
		return func() {}, nil
	}
	bound, shutdown, err := monitor.Listen(addr, pages)
	if err != nil {
		return nil, err
	}
	b.log.Info().Str("address", bound).Msg(said)
	return func() { within(time.Second, shutdown) }, nil
}

func (b *Bot) onClose(f func()) { b.closers = append(b.closers, f) }

// close closes what New opened, the latest first. Staff's entries are written before each step, as Redis takes
// them and is closed last.
func (b *Bot) close() {
	for i := len(b.closers) - 1; i >= 0; i-- {
		b.staffQueue.Wait(context.Background())
		b.closers[i]()
	}
	b.closers = nil
	b.staffQueue.Wait(context.Background())
}
