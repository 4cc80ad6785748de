package commands

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/interaction"
	"hostbot/bot/watch/history"
	"hostbot/commands/chart"
	"hostbot/hostapi"
)

const (
	day = 24 * time.Hour
	// listedOutages is how many outages are listed: the latest.
	listedOutages = 5

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
	var strips []chart.Strip
	var shares []string
	now := states[len(states)-1].To
	for _, length := range periods() {
		strip := fared(states, now.Add(-length), now)
		strip.Uptime = "–"
		if ran, known := uptime(strip); known {
			strip.Uptime = v.t.Share(ran)
		}
		shares = append(shares, v.t.Format("history.share", args{"Period": v.t.Duration(length), "Share": strip.Uptime}))
		strips = append(strips, strip)
	}
	longest := strips[len(strips)-1]
	picture, err := chart.Draw(func(d time.Duration) string { return v.t.DurationWithin(d, time.Minute) }, strips...)
	if err != nil {
		return interaction.Response{}, err
	}
	embed := &discordgo.MessageEmbed{
		Title: v.t.Format("history.title", args{"Bot": name(b.server)}), Color: blurple,
		Description: paragraphs(v.heading(b.known, ""), strings.Join(shares, " · ")+v.stopped(longest, interval), v.outages(longest, interval), v.legend(longest)),
		Image:       &discordgo.MessageEmbedImage{URL: "attachment://" + pictureName},
	}
	response := v.draw(idHistory+botKey(b.server.ID), embed, v.historyRow(b.server))
	response.Message.Files = []interaction.File{{Name: pictureName, Type: "image/png", Data: picture}}
	return response, nil
}

// outages lists the latest outages of a period that was looked at in an interval, or says that there were none.
func (v view) outages(s chart.Strip, interval time.Duration) string {
	out := outages(s)
	if len(out) == 0 {
		return "✅ " + v.t.Text("history.no_outages")
	}
	lines := []string{"**" + v.t.Count("history.outages", len(out), nil) + "**"}
	for i, span := range out {
		if i == listedOutages {
			lines = append(lines, "…")
			break
		}
		key := "history.outage"
		if span.To.Equal(s.To) {
			key = "history.outage_now"
		}
		lines = append(lines, "🔴 "+v.t.Format(key, args{"When": stamp(span.From, "f"), "Duration": v.t.Length(span.To.Sub(span.From), interval)}))
	}
	return strings.Join(lines, "\n")
}

// stopped says for how long a bot was stopped because somebody wanted it so, if it was.
func (v view) stopped(s chart.Strip, interval time.Duration) string {
	if lasted := spent(s, chart.Stopped); lasted > 0 {
		return "\n⚫ " + v.t.Format("history.stopped", args{"Duration": v.t.Length(lasted, interval)})
	}
	return ""
}

// legend says what the picture and the shares mean, and since when the bot is watched where that
// began within the strip.
func (v view) legend(s chart.Strip) string {
	text := "-# " + v.t.Text("history.legend") + " " + v.t.Text("history.meaning")
	if len(s.Spans) > 0 && s.Spans[0].From.After(s.From) {
		text += "\n-# " + v.t.Format("history.since", args{"When": stamp(s.Spans[0].From, "f")})
	}
	return text
}

// drawUnwatched says that a bot's past is not known, and shows how to change that.
func (v view) drawUnwatched(b bot) interaction.Response {
	embed := &discordgo.MessageEmbed{
		Title: v.t.Format("history.title", args{"Bot": name(b.server)}), Color: yellow,
		Description: paragraphs(v.heading(b.known, ""), v.t.Text("history.unwatched")),
	}
	turnOn := v.button(discordgo.PrimaryButton, "button.alert_on", idAlertOne+wordOn+"/"+botKey(b.server.ID), false)
	turnOn.Label = v.t.Format("button.alert_on", args{"Bot": plainName(b.server, labelNameLimit)})
	return v.draw(idHistory+botKey(b.server.ID), embed, row(turnOn), v.historyRow(b.server))
}

func (v view) historyRow(s hostapi.Server) discordgo.ActionsRow {
	return row(
		v.button(discordgo.SecondaryButton, "button.refresh", idHistory+botKey(s.ID), false),
		v.button(discordgo.SecondaryButton, "button.to_bot", idMore+botKey(s.ID), false),
	)
}

// fared returns how a bot fared since from, without what is not known. States that mean
// the same to a reader are one span. A bot that was down before and after a time that nobody
// saw was down throughout.
func fared(states []history.Span, from, to time.Time) chart.Strip {
	strip := chart.Strip{From: from, To: to}
	for _, s := range states {
		kind := kindOf(s.State)
		if kind == chart.Unknown || !s.To.After(from) {
			continue
		}
		start := s.From
		if start.Before(from) {
			start = from
		}
		if last := len(strip.Spans) - 1; last >= 0 && strip.Spans[last].Kind == kind && (kind == chart.Out || strip.Spans[last].To.Equal(start)) {
			strip.Spans[last].To = s.To
			continue
		}
		strip.Spans = append(strip.Spans, chart.Span{From: start, To: s.To, Kind: kind})
	}
	return strip
}

func kindOf(s hostapi.State) chart.Kind {
	switch s {
	case hostapi.StateRunning:
		return chart.Running
	case hostapi.StateStarting, hostapi.StateStopping, hostapi.StateRestarting, hostapi.StateInstalling:
		return chart.Changing
	case hostapi.StateStopped:
		return chart.Stopped
	case hostapi.StateCrashed, hostapi.StateError, hostapi.StateSuspended:
		return chart.Out
	default: // history.Unwatched, history.Gone and what nobody knows
		return chart.Unknown
	}
}

// spent returns how long a bot was of a kind.
func spent(s chart.Strip, kind chart.Kind) (total time.Duration) {
	for _, span := range s.Spans {
		if span.Kind == kind {
			total += span.To.Sub(span.From)
		}
	}
	return total
}

// uptime returns the share of running in running and outages. Neither a time in which the bot was
// stopped, which its owner wanted, nor one in which it changed states says how reliable it is.
func uptime(s chart.Strip) (share float64, known bool) {
	ran, out := spent(s, chart.Running), spent(s, chart.Out)
	return float64(ran) / float64(max(ran+out, 1)), ran+out > 0
}

// outages returns when the bot was down although nobody wanted it, the latest first.
func outages(s chart.Strip) []chart.Span {
	found := slices.DeleteFunc(slices.Clone(s.Spans), func(span chart.Span) bool { return span.Kind != chart.Out })
	slices.Reverse(found)
	return found
}
