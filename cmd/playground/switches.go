package main

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"

	"hostbot/bot/testing/discordtest"
	"hostbot/bot/testing/faultproxy"
	"hostbot/bot/watch/alerts"
	"hostbot/hostapi/hostapitest"
	"hostbot/locale"
)

// mode is a way in which a part of the system can be.
type mode struct {
	Name  string     `json:"name"`
	Label string     `json:"label"`
	About string     `json:"about"`
	Reads whatIsRead `json:"reads"`
	// Once tells that it is no state, but something that happens.
	Once bool   `json:"once"`
	set  func() // makes it so; the part is normal before
}

// whatIsRead is what a customer reads of the bot in a mode.
type whatIsRead struct {
	Quote  string `json:"quote"`  // the bot's words in the customer's language, or Discord's own
	Locale string `json:"locale"` // of the quote
	Else   string `json:"else"`   // what is to be said besides
}

// switchable is a part of the system with the ways in which it can be.
type switchable struct {
	Name  string `json:"name"`
	Label string `json:"label"`
	Mode  string `json:"mode"`  // at the moment
	State string `json:"state"` // what is known of it besides
	Modes []mode `json:"modes"`
	// Waits is in how many milliseconds the bot tries again, where it waits although nothing is broken
	// any more; Hesitates says that it takes the part for broken until it has tried.
	Waits     int64  `json:"waits"`
	Hesitates bool   `json:"hesitates"`
	reset     func() // makes the part normal
}

// switches lists the parts, for who reads a language. The lock is held.
func (b *breaking) switches(language string) []switchable {
	q := quoter{b.parts.texts.For(language), language}
	waits := b.waits()
	list := []switchable{
		b.service(q).after(waits.Service), b.redis(q), b.discord().after(waits.Discord), b.gateway().after(waits.Gateway), b.directMessages(q),
	}
	list[0].Hesitates = waits.ServiceDown
	for i := range list {
		list[i].Mode = normal
		if mode, ok := b.modes[list[i].Name]; ok {
			list[i].Mode = mode
		}
	}
	return list
}

// after says until when the bot waits.
func (s switchable) after(until time.Time) switchable {
	s.Waits = max(0, time.Until(until).Milliseconds())
	return s
}

// quoter quotes what the bot says, in a language.
type quoter struct {
	texts  *locale.Texts
	locale string
}

// text quotes one of the bot's texts.
func (q quoter) text(key, otherwise string) whatIsRead {
	return whatIsRead{Quote: q.texts.Format(key, locale.Args{"When": q.texts.Text("time.soon"), "N": alerts.MostRestarts, "Duration": q.texts.Duration(alerts.RestartWindow)}), Locale: q.locale, Else: otherwise}
}

// silence quotes what Discord says where an application gave no answer.
func silence() whatIsRead {
	return whatIsRead{Quote: "The application did not respond", Locale: locale.Default, Else: "What was asked for was not done."}
}

func (b *breaking) service(q quoter) switchable {
	pause := int(b.parts.timing.Pause.Seconds())
	const known = "Bots that were seen lately are shown, and how old that is."
	fail := func(f hostapitest.Fault) func() { return func() { b.parts.service.Fail("", f, 0) } }
	refuse := func(status int, header http.Header) func() {
		return fail(hostapitest.Fault{Status: status, Header: header, Body: fmt.Sprintf(`{"error":"%s"}`, http.StatusText(status))})
	}
	return switchable{
		Name: "service", Label: "Hosting service", State: fmt.Sprintf("requests: %d", b.parts.service.Count("")),
		reset: func() {
			b.parts.service.ClearFaults()
			b.parts.service.CrashAgain(false)
		},
		Modes: []mode{
			{Name: normal, Label: "Works", About: "answers as it should"},
			{Name: "slow", Label: "Slow", About: "takes 5 s longer for everything", Reads: whatIsRead{Else: "The usual answer, up to 5 s later; bots that were seen lately at once, and how old that is."}, set: fail(hostapitest.Fault{Delay: 5 * time.Second})},
			{Name: "hanging", Label: "Hangs", About: "accepts requests and never answers", Reads: q.text("error.slow", "After 10 s. "+known+" Of an action, that it is not confirmed: it may have been done."), set: fail(hostapitest.Fault{Hang: true})},
			{Name: "500", Label: "500", About: "says that it failed", Reads: q.text("error.broken", known), set: refuse(http.StatusInternalServerError, nil)},
			{Name: "404", Label: "A gateway’s 404", About: "a gateway answers in its place, which does not find it", Reads: q.text("error.away", known+" Only somebody whose account was never seen reads that none is linked."), set: fail(gatewaysNotFound())},
			{Name: "401", Label: "401", About: "does not accept the shared secret", Reads: q.text("error.unauthorized", known), set: refuse(http.StatusUnauthorized, nil)},
			{Name: "429", Label: "429", About: fmt.Sprintf("asks for a pause of %d s", pause), Reads: q.text("error.rate_limited", known), set: refuse(http.StatusTooManyRequests, http.Header{"Retry-After": {strconv.Itoa(pause)}})},
			{Name: "malformed", Label: "Malformed", About: "breaks its answers off in the middle", Reads: q.text("error.malformed", known), set: fail(hostapitest.Fault{Malformed: true})},
			{Name: "challenge", Label: "Challenge page", About: "is behind a firewall that answers with a page for browsers", Reads: q.text("error.away", known), set: fail(hostapitest.ChallengePage())},
			{Name: "odd", Label: "Odd record", About: "sends numbers and texts of the last bot in other forms", Reads: whatIsRead{Else: "The usual, with what cannot be read as unknown. Staff are told once."}, set: fail(hostapitest.OddRecord())},
			{Name: "loop", Label: "Crash loop", About: "works, but each bot that is started crashes again at once", Reads: q.text("auto_restart.stays_down", "On the card and in an alert, of a bot that crashes and is restarted automatically."), set: func() { b.parts.service.CrashAgain(true) }},
			{Name: "down", Label: "Down", About: "breaks connections off", Reads: q.text("error.away", known), set: fail(hostapitest.Fault{Reset: true})},
			{Name: "maintenance", Label: "Announce maintenance", About: "has Sam, of the company’s staff, fill in /admin notice: all bots, for two minutes, announced by direct message where alerts are on", Reads: q.text("notice.held", "On lists, cards, panels and alerts, below what Sam has typed."), Once: true, set: b.announce},
			{Name: "clock", Label: "Scheduled restarts", About: "has their time come now, for all bots that have them on their card, below More…", Reads: whatIsRead{Else: "What runs is restarted within seconds. Staff read whose schedule did it."}, Once: true, set: b.elapse},
		},
	}
}

// gatewaysNotFound is the first of what gateways answer that do not find the service.
func gatewaysNotFound() hostapitest.Fault { return hostapitest.Gateways()[0].Fault }

func (b *breaking) redis(q quoter) switchable {
	return switchable{
		Name: "redis", Label: "Redis", State: "keeps what it holds while it is down",
		reset: func() { b.parts.relay.Set(faultproxy.Open) },
		Modes: []mode{
			{Name: normal, Label: "Works", About: "answers as it should"},
			{Name: "down", Label: "Down", About: "breaks connections off", Reads: q.text("alerts.unreadable", "At alerts, panels and history. Bots are shown and restarted as ever."), set: func() { b.parts.relay.Set(faultproxy.Resetting) }},
		},
	}
}

func (b *breaking) discord() switchable {
	inject := func(f discordtest.Fault) func() { return func() { b.endDiscord = b.parts.discord.Inject(f) } }
	return switchable{
		Name: "discord", Label: "Discord’s REST API", State: b.rules(),
		reset: func() {
			if b.endDiscord != nil {
				b.endDiscord()
				b.endDiscord = nil
			}
		},
		Modes: []mode{
			{Name: normal, Label: "Works", About: "answers as it should"},
			{Name: "429", Label: "429", About: "asks for a pause of 2 s, again and again", Reads: silence(), set: inject(discordtest.RateLimited("", "", 2*time.Second, false))},
			{Name: "5xx", Label: "5xx", About: "says that it failed", Reads: silence(), set: inject(discordtest.Fault{
				Status: http.StatusBadGateway, Header: http.Header{"Content-Type": {"application/json"}}, Body: `{"message": "502: Bad Gateway", "code": 0}`,
			})},
			{Name: "slow", Label: "Slow", About: "takes 4 s for every call, which is too long for a first response", Reads: silence(), set: inject(discordtest.Fault{Delay: 4 * time.Second})},
		},
	}
}

// directMessages are those that people take from the bot.
func (b *breaking) directMessages(q quoter) switchable {
	closes := func(closed bool) {
		for _, someone := range b.people {
			someone.CloseDMs(closed)
		}
	}
	return switchable{
		Name: "dms", Label: "Direct messages", State: "of everybody here",
		reset: func() { closes(false) },
		Modes: []mode{
			{Name: normal, Label: "Open", About: "everybody takes them"},
			{Name: "closed", Label: "Closed", About: "nobody takes any from the bot", Reads: q.text("alerts.closed", "Somebody whom support has answered reads that above the list of bots."), set: func() { closes(true) }},
		},
	}
}

// rules tells which of Discord's rules the bot broke by itself: what a switch here
// kept it from doing is none.
func (b *breaking) rules() string {
	broken := slices.DeleteFunc(b.parts.discord.Failures(), func(f discordtest.Failure) bool { return f.Hindered })
	text := fmt.Sprintf("rules that the bot broke: %d", len(broken))
	if len(broken) > 0 {
		text += ", the latest: " + broken[len(broken)-1].String()
	}
	return text
}

func (b *breaking) gateway() switchable {
	unseen := whatIsRead{Else: "Nothing of it: what came meanwhile is answered after it."}
	discord := b.parts.discord
	stats := discord.Gateway()
	return switchable{
		Name: "gateway", Label: "Discord’s gateway",
		State: fmt.Sprintf("connections: %d · sessions begun: %d, resumed: %d · heartbeats: %d", stats.Open, stats.Identifies, stats.Resumes, stats.Heartbeats),
		reset: func() {
			discord.Silence(false)
			discord.RefuseConnections(false)
		},
		Modes: []mode{
			{Name: normal, Label: "Works", About: "sends what happens"},
			{Name: "silent", Label: "Silent", About: "says nothing more, over a connection that stays open", Reads: silence(), set: func() { discord.Silence(true) }},
			{Name: "down", Label: "Down", About: "breaks the connection off and accepts no other", Reads: silence(), set: func() {
				discord.RefuseConnections(true)
				discord.Drop()
			}},
			{Name: "drop", Label: "Drop", About: "breaks the connection off once; the bot resumes its session", Reads: unseen, Once: true, set: discord.Drop},
			{Name: "reconnect", Label: "Ask to resume", About: "asks the bot to connect again, as Discord does several times a day", Reads: unseen, Once: true, set: discord.AskReconnect},
			{Name: "invalidate", Label: "End the session", About: "the bot has to begin a new one", Reads: whatIsRead{Else: "Nothing of it, unless a command came in the second between."}, Once: true, set: func() { discord.InvalidateSession(false) }},
		},
	}
}
