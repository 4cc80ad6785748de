package main

import (
	"maps"
	"slices"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/rs/zerolog"

	"hostbot/bot"
	"hostbot/bot/staff/logchannel"
	"hostbot/bot/testing/discordtest"
	"hostbot/bot/testing/faultproxy"
	"hostbot/cmd/playground/timeline"
	"hostbot/configs"
	"hostbot/hostapi/hostapitest"
	"hostbot/locale"
)

// heartbeat is what the gateway asks for. It is much shorter than Discord's, so
// that a gateway that has gone silent is noticed while one looks on.
const heartbeat = 4 * time.Second

// timing is how the playground uses time. Tests may be less patient.
type timing struct {
	Cache   time.Duration // for which the bot shows an account as it is: a second at least
	Watch   time.Duration // between the bot's looks at accounts with alerts or a panel
	Restart time.Duration // that the hosting service takes to restart a bot
	Pause   time.Duration // for which the hosting service asks in its mode 429, in whole seconds
}

// usualTiming has the bot look at accounts more often than usual, so that what happens at the hosting
// service is seen while one looks on.
func usualTiming() timing {
	return timing{Cache: 5 * time.Second, Watch: 5 * time.Second, Restart: 4 * time.Second, Pause: 5 * time.Second}
}

// parts are what the bot depends on.
type parts struct {
	discord  *discordtest.Server
	service  *hostapitest.Service
	redis    *miniredis.Miniredis
	relay    *faultproxy.Relay // before Redis
	activity *timeline.Recorder
	texts    *locale.Bundle // the bot's
	timing   timing
	staff    *discordtest.Role
	players  *discordtest.Role               // which everybody may mention
	logs     map[string]*discordtest.Channel // that staff read, by category
	support  *discordtest.Channel            // in which customers' failures get a thread
	closers  []func()                        // of what was started, in that order
}

// startParts starts what the bot depends on. changed is called whenever something
// happened that can be seen.
func startParts(timing timing, changed func()) (*parts, error) {
	p := &parts{activity: timeline.New(changed), timing: timing}
	if err := p.start(); err != nil {
		p.close()
		return nil, err
	}
	p.discord.Observe(func(e discordtest.Event) {
		p.activity.Discord(e)
		changed()
	})
	p.staff, p.players = p.discord.AddRole("Staff"), p.discord.AddRole("Players")
	p.players.Mentionable = true
	p.logs = p.addLogChannels()
	p.support = p.discord.AddChannel("support")
	return p, nil
}

// addLogChannels makes a channel for each category of log entries.
func (p *parts) addLogChannels() map[string]*discordtest.Channel {
	channels := make(map[string]*discordtest.Channel)
	for _, category := range slices.Sorted(maps.Keys(new(configs.LogChannels).ByCategory())) {
		name := "bot-" + category
		if category == string(logchannel.Actions) { // which is what staff read first
			name = "bot-log"
		}
		channels[category] = p.discord.AddChannel(name)
	}
	return channels
}

func (p *parts) start() (err error) {
	if p.texts, err = locale.Load(); err != nil {
		return err
	}
	if p.discord, err = discordtest.Start(discordtest.Config{HeartbeatInterval: heartbeat}); err != nil {
		return err
	}
	p.closers = append(p.closers, func() { _ = p.discord.Close() }) // it ends all the same
	if p.service, err = hostapitest.Start(hostapitest.Options{AllowViolations: true, Restart: p.timing.Restart, Observe: p.activity.ServiceRequest}); err != nil {
		return err
	}
	p.closers = append(p.closers, p.service.Close)
	p.redis = miniredis.NewMiniRedis()
	p.redis.ClockTTL(true)
	if err := p.redis.Start(); err != nil {
		return err
	}
	p.closers = append(p.closers, p.redis.Close)
	if p.relay, err = faultproxy.Start(p.redis.Addr(), p.activity.RedisConnection); err == nil {
		p.closers = append(p.closers, p.relay.Close)
	}
	return err
}

// close ends what was started.
func (p *parts) close() {
	for _, end := range slices.Backward(p.closers) {
		end()
	}
}

// newBot makes the bot as cmd/hostbot does, from settings.
func newBot(p *parts, log zerolog.Logger) (*bot.Bot, error) {
	settings, err := configs.Load("", []string{
		"DISCORD_TOKEN=" + p.discord.Token(),
		"DISCORD_API_URL=" + p.discord.URL(),
		"HOSTAPI_URL=" + p.service.URL(),
		"HOSTAPI_SECRET=" + p.service.Secret(),
		"REDIS_URL=redis://" + p.relay.Addr(),
		"CACHE_TTL=" + p.timing.Cache.String(),
		"ADMIN_GUILD_ID=" + p.discord.GuildID(),
		"ADMIN_ROLE_IDS=" + p.staff.ID,
		"SUPPORT_CHANNEL_ID=" + p.support.ID,
		"PANEL_URL=https://example.com/panel", "PANEL_BOT_URL=https://example.com/panel/{id}", "STATUS_URL=https://example.com/status", "SIGNUP_URL=https://example.com/signup",
		"UPGRADE_URL=https://example.com/upgrade", "SUPPORT_URL=https://example.com/support",
		"HTTP_ADDR=off",
	})
	if err != nil {
		return nil, err
	}
	settings.Watch.Interval = configs.Interval(p.timing.Watch)
	for category, channel := range settings.LogChannels.ByCategory() {
		*channel = p.logs[category].ID
	}
	return bot.New(settings, "playground", log)
}
