package main

import (
	"context"
	"slices"
	"time"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/testing/discordtest"
)

// message is a message as the page draws it; embeds and components are as
// Discord has them.
type message struct {
	ID         string                  `json:"id"`
	State      string                  `json:"state"`
	Time       time.Time               `json:"time"`
	User       string                  `json:"user,omitempty"`
	Command    string                  `json:"command,omitempty"`
	Ephemeral  bool                    `json:"ephemeral"`
	Content    string                  `json:"content"`
	Embeds     []discordtest.Embed     `json:"embeds"`
	Components []discordtest.Component `json:"components"`
	Thread     string                  `json:"thread,omitempty"` // the ID of the one that was started from it
}

// used is a command that somebody used, and what came of it.
type used struct {
	userID, channelID string
	command           string
	at                time.Time
	reply             *discordtest.Reply
}

// keptUsed bounds how many of those are kept: the latest ones.
const keptUsed = 300

func (p *playground) note(u used) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.used) == keptUsed {
		p.used = slices.Delete(p.used, 0, 1)
	}
	p.used = append(p.used, u)
	p.changes.tell()
}

// forget drops what was noted under an interaction's ID, and reports whether
// there was such a thing.
func (p *playground) forget(userID, id string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	before := len(p.used)
	p.used = slices.DeleteFunc(p.used, func(u used) bool { return u.userID == userID && u.reply.ID() == id })
	return len(p.used) < before
}

func (p *playground) usedBy(userID, channelID string) []used {
	p.mu.Lock()
	defer p.mu.Unlock()
	var list []used
	for _, u := range p.used {
		if u.userID == userID && u.channelID == channelID {
			list = append(list, u)
		}
	}
	return list
}

// shownMessages is how many messages of a channel the page shows: the latest, as many as Discord's
// API returns where no number is named (docs:resources/message#get-channel-messages).
const shownMessages = 50

// messages lists what a user sees in a channel.
func (p *playground) messages(_ context.Context, user *discordtest.User, in request) (any, error) {
	out := struct {
		Messages []message         `json:"messages"`
		Latest   map[string]string `json:"latest"` // messages' IDs, by channel
		Broken   bool              `json:"broken"` // something is, on purpose
	}{Messages: []message{}, Latest: p.latest(in.User), Broken: p.breaking.broken()}

	answers := make(map[string]used) // by message
	for _, u := range p.usedBy(in.User, in.Channel) {
		view := u.reply.View()
		switch {
		case view.ID != "":
			answers[view.ID] = u
		case view.State != discordtest.Asking: // a modal is no message
			m := draw(view)
			m.ID, m.Time, m.User, m.Command, m.Ephemeral = u.reply.ID(), u.at, user.Name, u.command, true
			out.Messages = append(out.Messages, m)
		}
	}
	for _, view := range user.Messages() {
		m := draw(view)
		if u, ok := answers[view.ID]; ok {
			m.User, m.Command = user.Name, u.command
		}
		out.Messages = append(out.Messages, m)
	}
	slices.SortStableFunc(out.Messages, func(a, b message) int { return a.Time.Compare(b.Time) })
	out.Messages = out.Messages[max(0, len(out.Messages)-shownMessages):]
	return out, nil
}

// latest returns the newest message in each channel that a user sees.
func (p *playground) latest(userID string) map[string]string {
	newest := make(map[string]string)
	someone, err := p.person(userID)
	if err != nil {
		return newest
	}
	if views := someone.InDM().Messages(); len(views) > 0 {
		newest[directMessages] = views[len(views)-1].ID
	}
	for _, ch := range p.channelsOf(someone) {
		if views := someone.In(ch).Messages(); len(views) > 0 {
			newest[ch.ID] = views[len(views)-1].ID
		}
	}
	return newest
}

func draw(v discordtest.View) message {
	at, err := discordgo.SnowflakeTimestamp(v.ID)
	if err != nil {
		at = time.Time{}
	}
	return message{
		ID: v.ID, State: stateName(v.State), Time: at, Ephemeral: v.Ephemeral,
		Content: v.Content, Embeds: v.Embeds, Components: v.Components, Thread: v.ThreadID,
	}
}

func stateName(s discordtest.State) string {
	switch s {
	case discordtest.Waiting:
		return "waiting"
	case discordtest.Thinking:
		return "thinking"
	case discordtest.Failed:
		return "failed"
	default:
		return "shown"
	}
}
