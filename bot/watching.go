package bot

import (
	"context"
	"errors"
	"time"

	"hostbot/bot/discord/rest"
	"hostbot/bot/interaction"
	"hostbot/bot/watch/alerts"
	"hostbot/bot/watch/announce"
	"hostbot/bot/watch/following"
	"hostbot/bot/watch/history"
	"hostbot/bot/watch/notify"
	"hostbot/bot/watch/outages"
	"hostbot/bot/watch/panel"
	"hostbot/bot/watch/schedule"
	"hostbot/bot/watch/watcher"
	"hostbot/commands"
	"hostbot/hostapi/accounts"
)

// openWatching makes the watcher and its observers, and returns what commands need of them.
func (b *Bot) openWatching(cache *accounts.Cache) commands.Watch {
	timing := watcher.DefaultTiming()
	timing.Refresh = min(timing.Refresh, time.Duration(b.settings.Watch.Interval)) // less only in tests
	b.watcher = watcher.New(watcher.Config{
		Redis: b.redis.Client, Space: b.space, Accounts: cache, Interval: time.Duration(b.settings.Watch.Interval), Rate: b.settings.Watch.Rate,
		DownSince: b.service.DownSince, OnSlow: b.watchSlow, OnLimits: b.pollsLimited, Wake: b.leader.Wake,
		Log: b.log, Timing: timing,
	})
	pace := notify.DefaultTiming()
	if b.anyPace {
		pace.Window = time.Millisecond
	}
	b.dms = notify.New(notify.Config{
		Redis: b.redis.Client, Space: b.space, Discord: b.discord.For(rest.ForAlerts), Wake: b.leader.Wake, Log: b.log, Timing: pace,
		OnPause:  func(p notify.Pause, refusal error) { b.staffQueue.Go(func() { b.stafflog.MessagesPaused(p, refusal) }) },
		OnBudget: func() { b.staffQueue.Go(b.stafflog.FollowersBudget) },
	})
	b.outages = outages.New(outages.Config{
		Redis: b.redis.Client, Space: b.space, Interval: b.watcher.Interval,
		Leading: b.leader.Leading, Term: b.leader.Term, Tell: b.stafflog.Outage,
		Began: func(ctx context.Context, customerIDs []string) error {
			return errors.Join(b.alerts.Redraw(ctx, customerIDs), b.channels.Redraw(ctx))
		},
	})
	alerting := alerts.Config{
		Redis: b.redis.Client, Space: b.space, DMs: b.dms, Watching: b.watcher, Notify: alerts.DefaultNotify, Log: b.log,
		Draw: func(a alerts.Alert) interaction.Message { return b.handlers.Alert(a) }, Held: b.outages.Held,
	}
	b.openRestarts()
	own := alerting
	own.Restarts = b.restarts
	b.alerts = alerts.New(own)
	b.watcher.Observe(b.alerts.Observe)
	b.watcher.Observe(b.outages.Observe)
	b.openPanels(cache)
	b.announce = announce.New(announce.Config{
		DMs: b.dms, Discord: b.discord.For(rest.ForPanels), Notices: b.outages, Alerts: b.alerts, Panels: b.panels, Following: b.following,
		Interval: b.watcher.Interval, Draw: func(m announce.Message) interaction.Message { return b.handlers.Announcement(m) },
	})
	b.watcher.Observe(b.announce.Observe)
	b.channels = alerts.NewChannels(alerting, b.panels, func(a alerts.Alert, p panel.Panel, said alerts.Channel) interaction.Message {
		return b.handlers.ChannelAlert(a, p, said)
	})
	b.watcher.Observe(b.channels.Observe)
	b.monitor.Watching(b.watcher.Status, b.alertStatus)
	return commands.Watch{
		Alerts: b.alerts, Restarts: b.restarts, Schedules: b.schedules, AutoRestart: bool(b.settings.Watch.AutoRestart), NoteAction: b.watcher.NoteAction, History: history.New(b.redis.Client, b.space, b.watcher.Interval),
		Panels: b.panels, Channels: b.channels, Following: b.following, Known: cache.Known, Interval: b.watcher.Interval,
		Refused: b.dms.Refused, Zone: b.dms.Zone, KeepZone: b.dms.SetZone, Outage: b.outages.Current, Notices: b.outages,
		Unwatched: func(ctx context.Context, userID string) bool {
			return b.leader.IsDead(ctx, b.watcher.Work().Name, userID)
		},
	}
}

// openRestarts makes what restarts bots by the clock and, unless AUTO_RESTART is off, those that crash. The latter observes polls
// before alerts do, so that these know of which bots a message waits.
func (b *Bot) openRestarts() {
	b.restarts = alerts.NewRestarts(alerts.RestartsConfig{
		Redis: b.redis.Client, Space: b.space, Watching: b.watcher, Log: b.log, Wake: b.leader.Wake, Now: time.Now,
		Pause: alerts.DefaultRestartPause / time.Duration(b.hurry), Steady: func() time.Duration { return 2 * b.watcher.Interval() },
		Included:    func(fall time.Time) bool { return b.outages.Current().Includes(fall) },
		ServiceDown: func() bool { return !b.service.DownSince().IsZero() },
		Restart: func(ctx context.Context, id, customerID, serverID string) (made bool, err error) {
			return b.begin(ctx, id, customerID, serverID, "", b.handlers.RestartAutomatically)
		},
		Count: b.monitor.AutoRestart,
	})
	if b.settings.Watch.AutoRestart {
		b.watcher.Observe(b.restarts.Observe)
	}
	b.schedules = schedule.New(schedule.Config{
		Redis: b.redis.Client, Space: b.space, Rate: float64(b.settings.Watch.Rate), Log: b.log, Now: time.Now,
		Restart: func(ctx context.Context, id, customerID, serverID string) (made bool, err error) {
			return b.begin(ctx, id, customerID, serverID, interaction.Schedule, b.handlers.RestartOnSchedule)
		},
		Count: b.monitor.ScheduledRestart,
	})
}

// begin begins the restart of a bot by the program itself, and has its account polled when that has ended.
func (b *Bot) begin(ctx context.Context, id, customerID, serverID, name string, begin interaction.Handler) (made bool, err error) {
	r := &interaction.Request{
		ID: id, Message: id, Kind: interaction.Program, Name: name, Route: string(interaction.Program), UserID: customerID, CustomerID: customerID,
		Params: map[string]string{"server": serverID}, Reference: interaction.ReferenceOf(id), ReceivedAt: time.Now(),
	}
	if b.actions.HasActed(ctx, r) { // a leader that died has made the attempt
		return true, nil
	}
	return b.responder.Perform(r, begin, func() {
		_ = b.watcher.Hasten(context.WithoutCancel(ctx), customerID) // or the next poll comes at its time
	})
}

// kept returns a function that summarises what forget would remove. It reads all in parallel: a Redis that stalls then
// costs the time of one read.
func (b *Bot) kept(cache *accounts.Cache) func(context.Context, string) (commands.Kept, error) {
	states := history.New(b.redis.Client, b.space, b.watcher.Interval)
	return func(ctx context.Context, userID string) (kept commands.Kept, err error) {
		var reads interaction.Beside
		reads.Go(func() (err error) { kept.Cached, err = cache.Has(ctx, userID); return err })
		reads.Go(func() (err error) { kept.Alerts, err = b.alerts.Settings(ctx, userID); return err })
		reads.Go(func() error {
			autoRestarts, err := b.restarts.Of(ctx, userID)
			kept.Restarts = len(autoRestarts)
			return err
		})
		reads.Go(func() (err error) { kept.Scheduled, err = b.schedules.Of(ctx, userID); return err })
		reads.Go(func() error {
			dm, _, err := b.dms.Contact(ctx, userID)
			kept.DM = dm != ""
			return err
		})
		reads.Go(func() error {
			own, err := b.panels.Of(ctx, userID)
			kept.Panels = len(own)
			for _, p := range own {
				n, failure := b.following.Followers(ctx, p.ID)
				kept.Followers, err = kept.Followers+n, errors.Join(err, failure)
			}
			return err
		})
		reads.Go(counted(ctx, &kept.Follows, userID, b.following.Of))
		reads.Go(counted(ctx, &kept.Answers, userID, b.desk.Records.Of))
		reads.Go(counted(ctx, &kept.Events, userID, b.incidents.Recent))
		reads.Go(func() (err error) { kept.Since, err = states.Since(ctx, userID); return err })
		err = reads.Wait()
		return kept, err
	}
}

// counted returns a function that counts what there is of a customer.
func counted[T any](ctx context.Context, into *int, userID string, of func(ctx context.Context, userID string) ([]T, error)) func() error {
	return func() error {
		all, err := of(ctx, userID)
		*into = len(all)
		return err
	}
}

// forgetPatience is how long forget waits for actions on a customer's bots.
const forgetPatience = 2 * time.Minute

// forget returns a function that removes all that is kept of a customer, and notifies the customer if Discord
// permits. It first waits until no action runs on the customer's bots: a running one would cache the account
// again, and log what it did.
func (b *Bot) forget(cache *accounts.Cache) func(context.Context, string, func(string) interaction.Message) (commands.Forgotten, error) {
	read := b.kept(cache)
	return func(ctx context.Context, userID string, goodbye func(locale string) interaction.Message) (forgotten commands.Forgotten, err error) {
		limited, cancel := context.WithTimeout(ctx, forgetPatience)
		defer cancel()
		if err := b.actions.AwaitIdle(limited, userID); err != nil {
			return forgotten, err
		}
		kept, notKept := read(ctx, userID)
		dm, locale, notDM := b.dms.Contact(ctx, userID)
		if err := errors.Join(notKept, notDM); err != nil { // what is to be removed is not known
			return forgotten, err
		}
		removal, err := b.panels.Forget(ctx, userID)
		for _, forget := range []func(context.Context, string) (known bool, err error){
			cache.Forget, b.alerts.Forget, b.restarts.Forget, b.schedules.Forget, b.following.Forget, b.announce.Forget, b.desk.Forget,
			b.dms.Forget, // after alerts, following and answers, as all need it
			b.incidents.Forget,
		} {
			known, failed := forget(ctx, userID)
			removal.Known, err = removal.Known || known, errors.Join(err, failed)
		}
		forgotten = commands.Forgotten{Removal: removal, Kept: kept}
		if err = errors.Join(err, b.leader.Tidy(ctx)); err != nil || dm == "" {
			return forgotten, err
		}
		// If two members of staff press at once, Discord posts one message: the nonce is the same.
		_, notTold := b.discord.For(rest.ForAlerts).CreateMessage(ctx, dm, "bye"+userID, goodbye(locale))
		if notTold != nil {
			b.log.Info().Err(notTold).Str("user", userID).Msg("a customer cannot be told that what was kept of them is removed")
		}
		forgotten.Told = notTold == nil
		return forgotten, nil
	}
}

// alertStatus returns how alerts fare, and those in channels. It fails while Redis is away.
func (b *Bot) alertStatus() (sent, posted notify.Status, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), redisLimit)
	defer cancel()
	if sent, err = b.alerts.Status(ctx); err == nil {
		posted, err = b.channels.Status(ctx)
	}
	if err != nil {
		b.log.Debug().Err(err).Msg("redis does not tell how alerts fare")
	}
	return sent, posted, err
}

// watchSlow is called when WATCH_RATE is too low to poll every account once in WATCH_INTERVAL.
func (b *Bot) watchSlow(s watcher.Status) {
	b.log.Warn().Int("accounts", s.Accounts).Dur("interval_ms", s.Interval).Msg("WATCH_RATE is too low for WATCH_INTERVAL: the interval grows")
	b.staffQueue.Go(func() { b.stafflog.WatchSlow(s) })
}

// pollsLimited is called when the hosting service begins or ceases to limit polls, or limits others.
func (b *Bot) pollsLimited(before, now watcher.Limits) {
	if now.Since.IsZero() {
		b.log.Info().Time("since", before.Since).Msg("the hosting service limits polls no more")
	} else {
		b.log.Warn().Int("accounts", now.Accounts).Bool("all", now.All).Msg("the hosting service limits polls (429): these accounts wait, and if it is all, polls are fewer")
	}
	b.staffQueue.Go(func() { b.stafflog.PollsLimited(before, now) })
}

// openPanels makes what keeps panels true, and what tells of them those who follow them.
func (b *Bot) openPanels(cache *accounts.Cache) {
	timing := panel.DefaultTiming()
	interval := time.Duration(b.settings.Watch.Interval)
	timing.Between = min(timing.Between, 3*interval) / time.Duration(b.hurry) // less only in tests
	timing.Check = min(timing.Check, 2*interval)                              // so that it says in time that what it shows is old
	b.panels = panel.New(panel.Config{
		Redis: b.redis.Client, Space: b.space, Discord: b.discord.For(rest.ForPanels), Watching: b.watcher, Log: b.log, Timing: timing,
		Draw: func(ctx context.Context, p panel.Panel) (interaction.Message, error) {
			return b.handlers.DrawPanel(ctx, p)
		},
		Bare: func(p panel.Panel) interaction.Message { return b.handlers.BarePanel(p) },
		Ended: func(ctx context.Context, id string) error {
			return errors.Join(b.following.End(ctx, id), b.channels.End(ctx, id))
		},
		Wake: b.leader.Wake,
	})
	b.watcher.Observe(b.panels.Observe)
	b.following = following.New(following.Config{
		Redis: b.redis.Client, Space: b.space, DMs: b.dms, Panels: b.panels, Known: cache.Known,
		History: history.New(b.redis.Client, b.space, b.watcher.Interval),
		Draw:    func(n following.News) interaction.Message { return b.handlers.FollowerNews(n) },
		Held:    b.outages.Held,
	})
	b.watcher.Observe(b.following.Observe)
}
