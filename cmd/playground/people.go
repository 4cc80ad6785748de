package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"hostbot/bot/testing/discordtest"
	"hostbot/hostapi/hostapitest"
	"hostbot/locale"
)

// person is somebody whom one can be on the page.
type person struct {
	*discordtest.User
	role  string // as the list of members shows it
	about string
	staff bool
}

// settle makes the people and their accounts.
func settle(p *parts) []person {
	customer := func(name, locale, about string, plan hostapitest.Plan, servers ...hostapitest.Server) person {
		user := p.discord.User(name, discordtest.Locale(locale))
		p.service.AddAccount(user.ID, plan)
		for _, s := range servers {
			s.PlanName = plan.Name
			p.service.AddServer(user.ID, s)
		}
		return person{User: user, role: "Plan " + plan.Name, about: about}
	}
	p.discord.User("Anna", discordtest.Permissions(moderator)) // who may put a panel into a channel
	many := make([]hostapitest.Server, 60)
	for i := range many {
		many[i] = hosted(fmt.Sprintf("worker-%02d", i+1), hostapitest.Running, 256)
	}
	return []person{
		customer("Anna", "en-US", "A customer with three bots: one runs, one is stopped, one has crashed.",
			hostapitest.Plan{Name: "Pro", RAMMB: 4096, MaxServers: 5},
			hosted("Shop", hostapitest.Running, 512), hosted("Radio", hostapitest.Stopped, 1024), hosted("Quiz *night*", hostapitest.Crashed, 512)),
		customer("Ben", "de", "A customer with one bot and a full plan, whose Discord is in German.",
			hostapitest.Plan{Name: "Starter", RAMMB: 512, MaxServers: 1}, hosted("Moderator", hostapitest.Running, 512)),
		customer("Ceren", "tr", "A customer with sixty bots, whose Discord is in Turkish.",
			hostapitest.Plan{Name: "Fleet", RAMMB: 32768, MaxServers: 100}, many...),
		customer("Лейла", "ru", "A customer whose bots have names in other scripts, some of them written from right to left.",
			hostapitest.Plan{Name: "Pro", RAMMB: 4096, MaxServers: 5},
			hosted("متجر الألعاب", hostapitest.Running, 512), hosted("Радио Волна", hostapitest.Running, 1024), hosted("בוט מוזיקה", hostapitest.Stopped, 512)),
		customer("Dora", "en-US", "A customer who has no bot yet.", hostapitest.Plan{Name: "Starter", RAMMB: 512, MaxServers: 1}),
		{User: p.discord.User("Eli"), role: "New here", about: "Somebody without a hosting account."},
		{User: p.discord.User("Sam", discordtest.Roles(p.staff.ID), discordtest.Permissions(administrator)), role: p.staff.Name, staff: true,
			about: "One of the company's staff, who reads the log channels."},
	}
}

// moderator are the permissions of a member who may manage messages as well.
const moderator = 0x7fcf98637ce41 | 1<<13

// administrator is Discord's permission of that name.
const administrator = 1 << 3

// hosted is a bot in the service.
func hosted(name, status string, ramMB int) hostapitest.Server {
	return hostapitest.Server{
		Name: name, Language: "NODE", Status: status, Subdomain: "bot.example",
		EntryFile: "index.js", StartupCommand: "node index.js", RAMMB: ramMB, DiskMB: 2048, CPUPercent: 100,
		CreatedAt: time.Now().AddDate(0, -3, 0),
	}
}

// directMessages stands for a channel's ID: the user's DM with the bot.
const directMessages = "dm"

// world tells the page who is there, and which channels the user sees.
func (p *playground) world(_ context.Context, in request) (any, error) {
	type user struct {
		ID     string `json:"id"`
		Name   string `json:"name"`
		Locale string `json:"locale"`
		Role   string `json:"role"`
		About  string `json:"about"`
		Staff  bool   `json:"staff"`
	}
	type channel struct {
		ID      string `json:"id"`
		Name    string `json:"name"`
		Private bool   `json:"private"` // staff alone sees it
		Thread  bool   `json:"thread"`
	}
	type role struct {
		ID   string `json:"id"`
		Name string `json:"name"`
	}
	var out struct {
		Users    []user    `json:"users"`
		Channels []channel `json:"channels"`
		Roles    []role    `json:"roles"`
		Locales  []string  `json:"locales"`
	}
	for _, someone := range p.people {
		locale := p.discord.User(someone.Name).Locale
		out.Users = append(out.Users, user{someone.ID, someone.Name, locale, someone.role, someone.about, someone.staff})
	}
	reader := p.people[0]
	if in.User != "" {
		var err error
		if reader, err = p.person(in.User); err != nil {
			return nil, err
		}
	}
	for _, ch := range p.channelsOf(reader) {
		out.Channels = append(out.Channels, channel{ch.ID, ch.Name, p.isPrivate(ch), ch.Parent() != nil})
	}
	for _, r := range []*discordtest.Role{p.staff, p.players} {
		out.Roles = append(out.Roles, role{r.ID, r.Name})
	}
	out.Locales = locale.DiscordLocales()
	return out, nil
}

// channelsOf lists the guild's channels that somebody sees.
func (p *playground) channelsOf(someone person) []*discordtest.Channel {
	return slices.DeleteFunc(p.discord.Channels(), func(ch *discordtest.Channel) bool { return p.isPrivate(ch) && !someone.staff })
}

// isPrivate reports whether staff alone see a channel, or the one around a thread.
func (p *playground) isPrivate(ch *discordtest.Channel) bool {
	if parent := ch.Parent(); parent != nil {
		ch = parent
	}
	if ch.ID == p.support.ID {
		return true
	}
	for _, private := range p.logs {
		if ch.ID == private.ID {
			return true
		}
	}
	return false
}
