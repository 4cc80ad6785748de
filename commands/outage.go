package commands

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/discord/message"
	"hostbot/bot/interaction"
	"hostbot/bot/sanitize"
	"hostbot/bot/watch/history"
	"hostbot/bot/watch/outages"
	"hostbot/hostapi"
	"hostbot/hostapi/accounts"
)

// outage returns the outage of many bots that there is; of none if there is none.
func (w Watch) outage() outages.Outage {
	if w.Outage == nil {
		return outages.Outage{}
	}
	return w.Outage()
}

// notices returns what the company says, now or later.
func (w Watch) notices() []outages.Notice {
	if w.Notices == nil {
		return nil
	}
	return w.Notices.Notices()
}

// fellWithMany reports whether one of some bots of the caller's is down and most likely of the outage of many
// bots. If Redis does not tell since when it is down, that is so until the outage is over. Staff know of the outage
// otherwise.
func (c *Commands) fellWithMany(ctx context.Context, r *interaction.Request, known accounts.Snapshot, servers ...hostapi.Server) bool {
	many := c.watch.outage()
	if many.Bots == 0 || r.ByStaff() { // as nearly always
		return false
	}
	if servers = those(servers, isDown); len(servers) == 0 {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, storyLimit)
	defer cancel()
	past, _ := c.watch.History.Bots(ctx, r.CustomerID, many.First, hostapi.IDs(servers)...)
	return slices.ContainsFunc(servers, func(s hostapi.Server) bool { return isOf(many, s, past[s.ID], known.Notes[s.ID]) })
}

// isDown reports whether a bot has crashed or is stopped.
func isDown(s hostapi.Server) bool {
	state := conditionOf(s).state
	return state == broken || state == down
}

// isOf reports whether a bot that is down most likely is of an outage of many. One that is stopped is not if this
// program has stopped it, or if nobody saw when it stopped.
func isOf(many outages.Outage, s hostapi.Server, past history.Past, last accounts.Note) bool {
	is, since := past.Standing, time.Time{}
	if is.State == s.State() && !is.AtLeast {
		since = is.Since
	}
	if conditionOf(s).state == down && (since.IsZero() || last.Action == "stop") {
		return false
	}
	return many.Includes(since)
}

// mostNotices is how many notices a message shows.
const mostNotices = 3

// companySays says that many bots are down, if that is so, and the notices about some bots.
func (v view) companySays(many bool, bots ...hostapi.Server) string {
	var said []string
	if many {
		said = append(said, v.t.Text("outage.many"))
	}
	now, shown := time.Now(), 0
	for _, n := range v.commands.watch.notices() {
		concerns := func(s hostapi.Server) bool { return n.Concerns(s.ID, s.Name) }
		if n.InForce(now) && shown < mostNotices && (n.Prefix == "" || slices.ContainsFunc(bots, concerns)) {
			said, shown = append(said, v.noticeLine(n, noticeRoom)), shown+1
		}
	}
	return strings.Join(said, "\n")
}

// noticeLine says a notice in its own language, within so many characters, and what follows from it in the reader's.
func (v view) noticeLine(n outages.Notice, room int) string {
	sign, held := "📢 ", ""
	if n.Maintenance {
		sign, held = "🛠️ ", "\n-# "+v.t.Text("notice.held")
	}
	line := sign + sanitize.Markdown(n.Text, room)
	if !n.Until.IsZero() {
		line += " · " + v.t.Format("notice.until", args{"When": message.Time(n.Until, "f")})
	}
	return line + held
}

// statusFirst has the first row of buttons begin with the one that leads to the status page, if there is such a
// page, and has no other button of that row stand out.
func (v view) statusFirst(rows []discordgo.MessageComponent) []discordgo.MessageComponent {
	status := v.linkRow(v.toStatus())
	if len(rows) == 0 {
		return status
	}
	first, _ := rows[0].(discordgo.ActionsRow)
	var quiet []discordgo.MessageComponent
	for _, component := range first.Components {
		if b, ok := component.(discordgo.Button); ok {
			if b.Style != discordgo.LinkButton {
				b.Style = discordgo.SecondaryButton
			}
			quiet = append(quiet, b)
		}
	}
	if len(quiet) < len(first.Components) || len(quiet) == maxButtons { // it is a menu, or full
		return append(status, rows...)
	}
	if status != nil {
		quiet = append([]discordgo.MessageComponent{v.toStatus()}, quiet...)
	}
	return append([]discordgo.MessageComponent{row(quiet...)}, rows[1:]...)
}

// withButton adds a button behind all others, if there is room for it and none that leads to the same page.
func withButton(rows []discordgo.MessageComponent, added discordgo.Button) []discordgo.MessageComponent {
	var last []discordgo.MessageComponent // of the last row, if it is one of buttons
	for _, r := range rows {
		actions, _ := r.(discordgo.ActionsRow)
		last = nil
		for _, component := range actions.Components {
			b, ok := component.(discordgo.Button)
			if !ok {
				break
			}
			if b.URL == added.URL && added.URL != "" {
				return rows
			}
			last = append(last, b)
		}
	}
	switch {
	case len(last) > 0 && len(last) < maxButtons:
		return append(slices.Clone(rows[:len(rows)-1]), row(append(last, added)...))
	case len(rows) < maxButtons:
		return append(slices.Clone(rows), row(added))
	}
	return rows
}

// maxButtons is how many buttons a row takes, and how many rows a message
// (https://discord.com/developers/docs/components/reference#action-row).
const maxButtons = 5
