package main

import (
	"context"
	"errors"
	"sync"

	"hostbot/bot"
	"hostbot/bot/testing/discordtest"
	"hostbot/bot/testing/elapse"
	"hostbot/hostapi/hostapitest"
	"hostbot/locale"
)

// breaking is what is broken at the moment, and the switches for it.
type breaking struct {
	parts   *parts
	people  []person
	waits   func() bot.Waits
	changed func()

	mu         sync.Mutex
	modes      map[string]string // by part; normal where there is none
	endDiscord func()            // ends the fault that Discord has; nil: none
}

// normal is the mode in which nothing is broken.
const normal = "normal"

func newBreaking(parts *parts, people []person, waits func() bot.Waits, changed func()) *breaking {
	return &breaking{parts: parts, people: people, waits: waits, changed: changed, modes: make(map[string]string)}
}

// set brings a part into a mode.
func (b *breaking) set(part, name string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, s := range b.switches(locale.Default) {
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
	for _, s := range b.switches(locale.Default) {
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

// announce has staff tell customers of maintenance, as they would. What they read is in their own client.
func (b *breaking) announce() {
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), answerLimit)
		defer cancel()
		form, err := b.parts.discord.User("Sam").Command(ctx, "/admin notice", nil)
		if err == nil && form.View().State != discordtest.Asking { // there is another notice
			form, err = form.Click(ctx, "New notice")
		}
		if err == nil {
			_, _ = form.Fill(ctx, discordtest.Fields{"text": "We move our servers to a new data centre", "from": "now", "until": "+2m", "kind": []string{"maintenance", "announce"}})
		}
	}()
}

// elapse has the time come of all scheduled restarts.
func (b *breaking) elapse() {
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), answerLimit)
		defer cancel()
		client, space := b.parts.kept()
		defer func() { _ = client.Close() }()
		for _, someone := range b.people {
			for _, s := range b.parts.service.Servers(someone.ID) {
				_, _ = elapse.Schedule(ctx, client, space, someone.ID, s.ID) // it can be pressed again
			}
		}
	}()
}

// list returns the parts as they are, and what who reads a language reads of the bot then.
func (b *breaking) list(language string) []switchable {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.switches(language)
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
	language := locale.Default
	if someone, err := p.person(in.User); err == nil {
		language = someone.Locale
	}
	type hosted struct {
		ID     string `json:"id"`
		Name   string `json:"name"`
		Status string `json:"status"`
	}
	bots := []hosted{}
	for _, s := range p.service.Servers(in.User) {
		bots = append(bots, hosted{s.ID, s.Name, s.Status})
	}
	return map[string]any{"parts": p.breaking.list(language), "bots": bots}, nil
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

// become has chance or the hosting company do something to a hosted bot.
func (p *playground) become(_ context.Context, in request) (any, error) {
	status := map[string]string{"crash": hostapitest.Crashed, "suspend": hostapitest.Suspended, "run": hostapitest.Running}[in.Mode]
	if status == "" || !p.service.SetStatus(in.User, in.Bot, status) {
		return nil, errors.New("there is no such bot any more")
	}
	p.changes.tell()
	return nil, nil
}
