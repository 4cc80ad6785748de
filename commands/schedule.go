package commands

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"hostbot/bot/interaction"
	"hostbot/bot/watch/outages"
	"hostbot/bot/watch/schedule"
	"hostbot/hostapi"
)

// idSchedule opens the form of when a bot is restarted by the clock, and is that form. A key follows.
const idSchedule = "schedule/"

// The custom IDs of its inputs, beside inputZone.
const inputTime, inputHours = "time", "hours"

func unreadableSchedule(err error) error {
	return refuseForNow("schedules cannot be read or changed: "+err.Error(), "schedule.unreadable")
}

// askSchedule opens the form with what is set today.
func (c *Commands) askSchedule(ctx context.Context, r *interaction.Request, b bot) (interaction.Response, error) {
	known, err := c.watch.Schedules.Get(ctx, r.CustomerID, b.server.ID)
	zone, failed := c.watch.Zone(ctx, r.CustomerID)
	if err = errors.Join(err, failed); err != nil {
		return interaction.Response{}, unreadableSchedule(err)
	}
	v, typed, at, hours := c.view(r), c.typed(ctx, r), "", ""
	switch {
	case known == nil:
	case known.Hours > 0:
		hours = strconv.Itoa(known.Hours)
	default:
		at, zone = clock(known.At), known.Zone
	}
	field := func(label, name, value string) interaction.Field {
		return v.formField(label, label+"_hint", interaction.TextInput(name, typed.or(name, value), false))
	}
	return interaction.Open(&interaction.Dialog{CustomID: idSchedule + botKey(b.server.ID), Title: v.formTitle("modal.schedule.title", b.server), Fields: []interaction.Field{
		field("modal.schedule.time", inputTime, at), field("modal.quiet.zone", inputZone, zoneName(cmp.Or(zone, usualZone(r.Locale)))),
		field("modal.schedule.hours", inputHours, hours),
	}}), nil
}

// changeSchedule keeps what was filled in, and shows the bot's card.
func (c *Commands) changeSchedule(_ context.Context, r *interaction.Request, b bot) (interaction.Response, error) {
	wanted, on, err := typedSchedule(r.Fields)
	if err != nil {
		return interaction.Response{}, err
	}
	wanted.ServerID = b.server.ID
	return interaction.Defer(idShow+botKey(b.server.ID), func(ctx context.Context) (interaction.Response, error) {
		said := "schedule.off"
		if on {
			said, err = "schedule.on", errors.Join(c.watch.KeepZone(ctx, r.CustomerID, wanted.Zone), c.watch.Schedules.Set(ctx, r.CustomerID, wanted))
		} else {
			err = c.watch.Schedules.Remove(ctx, r.CustomerID, b.server.ID)
		}
		if errors.Is(err, schedule.ErrTooMany) {
			return interaction.Response{}, &refusal{reason: "too many bots have a schedule", explain: func(v view) string {
				return v.t.Format("schedule.full", args{"N": schedule.Most})
			}}
		}
		if err != nil {
			return interaction.Response{}, unreadableSchedule(err)
		}
		return c.cardWithSchedule(ctx, r, b, "✅ "+c.view(r).t.Format(said, args{"Bot": name(b.server)})).draw(), nil
	}), nil
}

// typedSchedule reads the form. It reports false if nothing was entered, which ends the schedule.
func typedSchedule(fields map[string]string) (s schedule.Schedule, on bool, err error) {
	switch at, hours := strings.TrimSpace(fields[inputTime]), strings.TrimSpace(fields[inputHours]); {
	case at == "" && hours == "":
		return s, false, nil
	case at == "":
		if s.Hours, err = strconv.Atoi(hours); err == nil && s.Hours >= 1 && s.Hours <= schedule.MostHours {
			return s, true, nil
		}
	case hours == "":
		if s.At, err = typedClock(at); err == nil {
			s.Zone, err = typedZone(fields[inputZone])
			return s, true, err
		}
	}
	return s, true, &refusal{reason: "no time and no number of hours was entered", explain: func(v view) string {
		return v.t.Format("schedule.bad", args{"Most": schedule.MostHours})
	}}
}

// cardWithSchedule is card with the part More, and when the bot is restarted by the clock.
func (c *Commands) cardWithSchedule(ctx context.Context, r *interaction.Request, b bot, notice string) card {
	drawn := c.card(ctx, r, b, notice)
	drawn.part = more
	if c.watch.offered() {
		drawn.schedule, _ = c.watch.Schedules.Get(ctx, r.CustomerID, b.server.ID)
	}
	return drawn
}

// scheduleLine says when the bot is restarted by the clock; "" if it is not, or that is not known.
func (c card) scheduleLine() string {
	s := c.schedule
	switch {
	case s == nil:
		return ""
	case s.Hours > 0:
		return "🕓 " + c.t.Count("schedule.hours", s.Hours, args{"When": relative(s.Next)})
	}
	return "🕓 " + c.t.Format("schedule.daily", args{"Time": clock(s.At), "Zone": zoneName(s.Zone), "When": relative(s.Next)})
}

// maintained reports whether a notice says that there is maintenance of a bot now.
func (c *Commands) maintained(s hostapi.Server) bool {
	return slices.ContainsFunc(c.watch.notices(), func(n outages.Notice) bool {
		return n.Maintenance && n.InForce(time.Now()) && n.Concerns(s.ID, s.Name)
	})
}

// RestartOnSchedule begins the restart of a bot for which its owner has chosen this time (Params["server"]). The response promises
// nothing if the bot does not run as the service says now, or if there is maintenance.
func (c *Commands) RestartOnSchedule(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
	return c.restartIf(ctx, r, func(b bot, now state) bool { return now == up && !c.maintained(b.server) })
}
