package commands

import (
	"context"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/history"
	"hostbot/bot/interaction"
	"hostbot/commands/chart"
	"hostbot/hostapi"
)

const (
	day = 24 * time.Hour
	// longestPeriod is the last strip's.
	longestPeriod = 30 * day
	// listedOutages is how many outages are listed: the latest.
	listedOutages = 5

	pictureName = "history.png"
)

// periods are those of the strips.
func periods() []time.Duration { return []time.Duration{day, 7 * day, longestPeriod} }

// history shows how one of the caller's bots fared.
func (c *Commands) history(ctx context.Context, r *interaction.Request, b bot) (interaction.Response, error) {
	states, err := c.watch.History.Of(ctx, r.CustomerID, b.server.ID, time.Now().Add(-longestPeriod))
	if err != nil {
		return interaction.Response{}, refuse("redis does not tell the history: "+err.Error(), "history.unreadable")
	}
	v := c.view(r)
	if len(states) == 0 {
		return v.drawUnwatched(b), nil
	}
	return v.drawHistory(b, states, c.watch.Painter)
}

// drawHistory draws the history of a bot: a picture, and in words what it shows.
func (v view) drawHistory(b bot, states []history.Span, painter *chart.Painter) (interaction.Response, error) {
	var strips []chart.Strip
	var shares []string
	var longest period
	now := states[len(states)-1].To
	for _, length := range periods() {
		p := fared(states, now.Add(-length), now)
		share := "–"
		if ran, known := p.uptime(); known {
			share = v.t.Share(ran)
		}
		shares = append(shares, v.t.Format("history.share", args{"Period": v.t.Period(length), "Share": share}))
		strips = append(strips, chart.Strip{From: p.from, To: p.to, Spans: p.spans, Uptime: share})
		longest = p
	}
	picture, err := painter.Draw(strips...)
	if err != nil {
		return interaction.Response{}, err
	}
	embed := &discordgo.MessageEmbed{
		Title: v.t.Format("history.title", args{"Bot": plainName(b.server, nameLimit)}), Color: blurple,
		Description: paragraphs(v.heading(b.age, ""), strings.Join(shares, " · "), v.outages(longest), "-# "+v.t.Text("history.legend"), v.watchedSince(longest)),
		Image:       &discordgo.MessageEmbedImage{URL: "attachment://" + pictureName},
	}
	response := v.draw(idHistory+botKey(b.server.ID), embed, v.historyRow(b.server))
	response.Message.Files = []interaction.File{{Name: pictureName, Type: "image/png", Data: picture}}
	return response, nil
}

// outages lists the latest outages of a period, or says that there were none.
func (v view) outages(p period) string {
	out := p.outages()
	if len(out) == 0 {
		return "✅ " + v.t.Text("history.no_outages")
	}
	lines := []string{"**" + v.t.Count("history.outages", len(out), nil) + "**"}
	for i, s := range out {
		if i == listedOutages {
			lines = append(lines, "…")
			break
		}
		key := "history.outage"
		if s.To.Equal(p.to) {
			key = "history.outage_now"
		}
		lines = append(lines, "🔴 "+v.t.Format(key, args{"When": stamp(s.From, "f"), "Duration": v.t.Duration(s.To.Sub(s.From))}))
	}
	return strings.Join(lines, "\n")
}

// watchedSince says since when the bot has been watched, where that began within the
// period.
func (v view) watchedSince(p period) string {
	if len(p.spans) == 0 || !p.spans[0].From.After(p.from) {
		return ""
	}
	return "-# " + v.t.Format("history.since", args{"When": stamp(p.spans[0].From, "f")})
}

// drawUnwatched says that nothing is known of the past of a bot, and shows how to
// change that.
func (v view) drawUnwatched(b bot) interaction.Response {
	embed := &discordgo.MessageEmbed{
		Title: v.t.Format("history.title", args{"Bot": plainName(b.server, nameLimit)}), Color: yellow,
		Description: paragraphs(v.heading(b.age, ""), v.t.Text("history.unwatched")),
	}
	turnOn := v.button(discordgo.PrimaryButton, "button.alert_on", idAlert+"one/on/"+botKey(b.server.ID), false)
	turnOn.Label = v.t.Format("button.alert_on", args{"Bot": plainName(b.server, labelNameLimit)})
	return v.draw(idHistory+botKey(b.server.ID), embed, row(turnOn), v.historyRow(b.server))
}

func (v view) historyRow(s hostapi.Server) discordgo.ActionsRow {
	return row(
		v.button(discordgo.SecondaryButton, "button.refresh", idHistory+botKey(s.ID), false),
		v.button(discordgo.SecondaryButton, "button.to_bot", idMore+botKey(s.ID), false),
	)
}
