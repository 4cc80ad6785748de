package main

import (
	"context"
	"slices"

	"hostbot/bot/discordtest"
	"hostbot/locale"
)

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
	}
	var out struct {
		Users    []user    `json:"users"`
		Channels []channel `json:"channels"`
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
		out.Channels = append(out.Channels, channel{ch.ID, ch.Name, p.isPrivate(ch)})
	}
	out.Locales = locale.DiscordLocales()
	return out, nil
}

// channelsOf lists the guild's channels that somebody sees.
func (p *playground) channelsOf(someone person) []*discordtest.Channel {
	return slices.DeleteFunc(p.discord.Channels(), func(ch *discordtest.Channel) bool { return p.isPrivate(ch) && !someone.staff })
}

func (p *playground) isPrivate(ch *discordtest.Channel) bool {
	return ch.ID == p.logs.actions.ID || ch.ID == p.logs.errors.ID || ch.ID == p.logs.lifecycle.ID
}
