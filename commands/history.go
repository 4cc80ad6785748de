package commands

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/discord/message"
	"hostbot/bot/interaction"
	"hostbot/bot/watch/history"
	"hostbot/commands/chart"
	"hostbot/hostapi"
)

const (
	day = 24 * time.Hour
	// listedOutages is how many outages are listed: the latest.
	listedOutages = 5
	// pictureNameLimit bounds a bot's name in what is said of a picture, in columns.
	pictureNameLimit = 100

	pictureName = "history.png"
)

// periods are those of the strips. The outages are those of the last, which is the longest.
func periods() [3]time.Duration { return [...]time.Duration{day, 7 * day, 30 * day} }

// history shows how one of the caller's bots fared.
func (c *Commands) history(ctx context.Context, r *interaction.Request, b bot) (interaction.Response, error) {
	states, err := c.watch.History.Of(ctx, r.CustomerID, b.server.ID, time.Now().Add(-periods()[2]))
	if err != nil {
		return interaction.Response{}, refuseForNow("redis does not tell the history: "+err.Error(), "history.unreadable")
	}
	v := c.view(r)
	if len(states) == 0 {
		return v.drawUnwatched(b), nil
	}
	return v.drawHistory(b, states, c.watch.Interval())
}

// drawHistory draws the history of a bot: a picture, and in words what it shows.
func (v view) drawHistory(b bot, states []history.Span, interval time.Duration) (interaction.Response, error) {
	now := states[len(states)-1].To
	from := now.Add(-periods()[2])
	p := past{known: history.Stretches(states, from, now), days: history.Days(states, now), from: from, now: now, interval: interval}
	picture, err := chart.Draw(v.picture(p), v.pictureWords())
	if err != nil {
		return interaction.Response{}, err
	}
	var shares []string
	for _, length := range periods() {
		shares = append(shares, v.shareLine(p, length))
	}
	title := v.t.Format("history.title", args{"Bot": name(b.server)})
	embed := &discordgo.MessageEmbed{
		Title: title, Color: blurple,
		Description: paragraphs(v.heading(b.known, ""), strings.Join(shares, " · ")+v.stopped(p), v.outages(p), v.legend(p)),
		Image:       &discordgo.MessageEmbedImage{URL: "attachment://" + pictureName},
	}
	response := v.drawOf(b.known, idHistory+botKey(b.server.ID), embed, v.historyRow(b.server))
	response.Message.Files = []interaction.File{{
		Name: pictureName, Type: "image/png", Data: picture, Description: v.describePicture(plainName(b.server, pictureNameLimit), p),
	}}
	return response, nil
}

// past is what is known of a bot's last thirty days.
type past struct {
	known     []history.Stretch
	days      []history.Day
	from, now time.Time
	interval  time.Duration // at which it was looked at
}

// outages returns when the bot was down although nobody wanted it, the latest first.
func (p past) outages() []history.Stretch {
	found := those(p.known, func(s history.Stretch) bool { return s.Kind == history.Out })
	slices.Reverse(found)
	return found
}

// share says how reliable a bot was in the last time of some length.
func (v view) share(p past, length time.Duration) string {
	if share, known := history.TallyOf(p.known, p.now.Add(-length), p.now).Uptime(); known {
		return v.t.Share(share)
	}
	return "–"
}

// shareLine says it with the length.
func (v view) shareLine(p past, length time.Duration) string {
	return v.t.Format("history.share", args{"Period": v.t.Duration(length), "Share": v.share(p, length)})
}

// outages lists the latest outages, or says that there were none.
func (v view) outages(p past) string {
	out := p.outages()
	if len(out) == 0 {
		return "✅ " + v.t.Text("history.no_outages")
	}
	lines := []string{"**" + v.t.Count("history.outages", len(out), nil) + "**"}
	for _, s := range out[:min(len(out), listedOutages)] {
		lines = append(lines, chart.Out.Square()+" "+v.outage(p, s, message.Time(s.From, "f")))
	}
	if len(out) > listedOutages {
		lines = append(lines, "…")
	}
	return strings.Join(lines, "\n")
}

// outage says of an outage how long it was, and when.
func (v view) outage(p past, s history.Stretch, when string) string {
	key := "history.outage"
	if s.To.Equal(p.now) {
		key = "history.outage_now"
	}
	return v.t.Format(key, args{"When": when, "Duration": v.t.Length(s.To.Sub(s.From), p.interval)})
}

// stopped says for how long a bot was stopped because somebody wanted it so, if it was.
func (v view) stopped(p past) string {
	if lasted := history.TallyOf(p.known, p.from, p.now)[history.Stopped]; lasted > 0 {
		return "\n" + chart.Stopped.Square() + " " + v.t.Format("history.stopped", args{"Duration": v.t.Length(lasted, p.interval)})
	}
	return ""
}

// drawUnwatched says that a bot's past is not known, and shows how to change that.
func (v view) drawUnwatched(b bot) interaction.Response {
	embed := &discordgo.MessageEmbed{
		Title: v.t.Format("history.title", args{"Bot": name(b.server)}), Color: yellow,
		Description: paragraphs(v.heading(b.known, ""), v.t.Text("history.unwatched")),
	}
	return v.drawOf(b.known, idHistory+botKey(b.server.ID), embed, row(v.alertsButton(b.server, true)), v.historyRow(b.server))
}

func (v view) historyRow(s hostapi.Server) discordgo.ActionsRow {
	return row(
		v.button(discordgo.SecondaryButton, "button.refresh", idHistory+botKey(s.ID), false),
		v.button(discordgo.SecondaryButton, "button.to_bot", idMore+botKey(s.ID), false),
	)
}
