package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"

	"hostbot/bot/testing/discordtest"
	"hostbot/bot/testing/faultproxy"
	"hostbot/hostapi/hostapitest"
)

// breaking is what is broken at the moment, and the switches for it.
type breaking struct {
	parts   *parts
	changed func()

	mu         sync.Mutex
	modes      map[string]string // by part; normal where there is none
	endDiscord func()            // ends the fault that Discord has; nil: none
}

// normal is the mode in which nothing is broken.
const normal = "normal"

func newBreaking(parts *parts, changed func()) *breaking {
	return &breaking{parts: parts, changed: changed, modes: make(map[string]string)}
}

// mode is a way in which a part of the system can be.
type mode struct {
	Name  string `json:"name"`
	Label string `json:"label"`
	About string `json:"about"`
	// Once tells that it is no state, but something that happens.
	Once bool   `json:"once"`
	set  func() // makes it so; the part is normal before
}

// switchable is a part of the system with the ways in which it can be.
type switchable struct {
	Name  string `json:"name"`
	Label string `json:"label"`
	Mode  string `json:"mode"`  // at the moment
	State string `json:"state"` // what is known of it besides
	Modes []mode `json:"modes"`
	reset func() // makes the part normal
}

// switches lists the parts. The lock is held.
func (b *breaking) switches() []switchable {
	list := []switchable{b.service(), b.redis(), b.discord(), b.gateway()}
	for i := range list {
		list[i].Mode = normal
		if mode, ok := b.modes[list[i].Name]; ok {
			list[i].Mode = mode
		}
	}
	return list
}

func (b *breaking) service() switchable {
	fail := func(f hostapitest.Fault) func() { return func() { b.parts.service.Fail("", f, 0) } }
	refuse := func(status int, header http.Header) func() {
		return fail(hostapitest.Fault{Status: status, Header: header, Body: fmt.Sprintf(`{"error":"%s"}`, http.StatusText(status))})
	}
	return switchable{
		Name: "service", Label: "Hosting service", State: fmt.Sprintf("requests: %d", b.parts.service.Count("")),
		reset: b.parts.service.ClearFaults,
		Modes: []mode{
			{Name: normal, Label: "Works", About: "answers as it should"},
			{Name: "slow", Label: "Slow", About: "takes 5 s longer for everything", set: fail(hostapitest.Fault{Delay: 5 * time.Second})},
			{Name: "hanging", Label: "Hangs", About: "accepts requests and never answers", set: fail(hostapitest.Fault{Hang: true})},
			{Name: "500", Label: "500", About: "says that it failed", set: refuse(http.StatusInternalServerError, nil)},
			{Name: "401", Label: "401", About: "does not accept the shared secret", set: refuse(http.StatusUnauthorized, nil)},
			{Name: "429", Label: "429", About: "asks for a pause of 5 s", set: refuse(http.StatusTooManyRequests, http.Header{"Retry-After": {"5"}})},
			{Name: "malformed", Label: "Malformed", About: "breaks its answers off in the middle", set: fail(hostapitest.Fault{Malformed: true})},
			{Name: "down", Label: "Down", About: "breaks connections off", set: fail(hostapitest.Fault{Reset: true})},
		},
	}
}

func (b *breaking) redis() switchable {
	return switchable{
		Name: "redis", Label: "Redis", State: "keeps what it holds while it is down",
		reset: func() { b.parts.relay.Set(faultproxy.Open) },
		Modes: []mode{
			{Name: normal, Label: "Works", About: "answers as it should"},
			{Name: "down", Label: "Down", About: "breaks connections off", set: func() { b.parts.relay.Set(faultproxy.Resetting) }},
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
			{Name: "429", Label: "429", About: "asks for a pause of 2 s, again and again", set: inject(discordtest.RateLimited("", "", 2*time.Second, false))},
			{Name: "5xx", Label: "5xx", About: "says that it failed", set: inject(discordtest.Fault{
				Status: http.StatusBadGateway, Header: http.Header{"Content-Type": {"application/json"}}, Body: `{"message": "502: Bad Gateway", "code": 0}`,
			})},
			{Name: "slow", Label: "Slow", About: "takes 4 s for every call, which is too long for a first response", set: inject(discordtest.Fault{Delay: 4 * time.Second})},
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
			{Name: "silent", Label: "Silent", About: "says nothing more, over a connection that stays open", set: func() { discord.Silence(true) }},
			{Name: "down", Label: "Down", About: "breaks the connection off and accepts no other", set: func() {
				discord.RefuseConnections(true)
				discord.Drop()
			}},
			{Name: "drop", Label: "Drop", About: "breaks the connection off once; the bot resumes its session", Once: true, set: discord.Drop},
			{Name: "reconnect", Label: "Ask to resume", About: "asks the bot to connect again, as Discord does several times a day", Once: true, set: discord.AskReconnect},
			{Name: "invalidate", Label: "End the session", About: "the bot has to begin a new one", Once: true, set: func() { discord.InvalidateSession(false) }},
		},
	}
}

// set brings a part into a mode.
func (b *breaking) set(part, name string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, s := range b.switches() {
		if s.Name != part {
			continue
		}
		for _, m := range s.Modes {
			if m.Name == name {
				b.bring(s, m)
				return nil
			}
		}
	}
	return errors.New("there is no such switch")
}

// repair makes every part normal.
func (b *breaking) repair() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, s := range b.switches() {
		s.reset()
	}
	clear(b.modes)
	b.changed()
}

// bring makes it so. The lock is held.
func (b *breaking) bring(s switchable, m mode) {
	if !m.Once {
		s.reset()
		b.modes[s.Name] = m.Name
	}
	if m.set != nil {
		m.set()
	}
	b.changed()
}

// list returns the parts as they are.
func (b *breaking) list() []switchable {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.switches()
}

// broken reports whether something is.
func (b *breaking) broken() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, mode := range b.modes {
		if mode != normal {
			return true
		}
	}
	return false
}

// state tells the page what is broken, and which bots the user has.
func (p *playground) state(_ context.Context, in request) (any, error) {
	type hosted struct {
		ID     string `json:"id"`
		Name   string `json:"name"`
		Status string `json:"status"`
	}
	bots := []hosted{}
	for _, s := range p.service.Servers(in.User) {
		bots = append(bots, hosted{s.ID, s.Name, s.Status})
	}
	return map[string]any{"parts": p.breaking.list(), "bots": bots}, nil
}

// breakPart turns a switch.
func (p *playground) breakPart(_ context.Context, in request) (any, error) {
	return nil, p.breaking.set(in.Part, in.Mode)
}

// repairAll turns every switch back.
func (p *playground) repairAll(context.Context, request) (any, error) {
	p.breaking.repair()
	return nil, nil
}

// crash makes a hosted bot crash.
func (p *playground) crash(_ context.Context, in request) (any, error) {
	if !p.service.SetStatus(in.User, in.Bot, hostapitest.Crashed) {
		return nil, errors.New("there is no such bot any more")
	}
	p.changes.tell()
	return nil, nil
}
