package commands

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"hostbot/bot/interaction"
	"hostbot/bot/watch/alerts"
	"hostbot/bot/watch/notify"
)

// idAlertQuiet opens the form of a customer's delay and quiet hours, and is that form.
const idAlertQuiet = "alerts/quiet"

// The custom IDs of its inputs, beside inputFrom and inputUntil.
const inputMinutes, inputZone = "minutes", "zone"

// askQuiet opens the form with what is set today.
func (c *Commands) askQuiet(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
	now, err := c.watch.Alerts.Settings(ctx, r.CustomerID)
	zone, failed := c.watch.Zone(ctx, r.CustomerID)
	if err = errors.Join(err, failed); err != nil {
		return interaction.Response{}, unreadableAlerts(err)
	}
	v, typed, from, until := c.view(r), c.typed(ctx, r), "", ""
	if now.Quiet.On() {
		from, until = clock(now.Quiet.From), clock(now.Quiet.To)
	}
	field := func(name, value string) interaction.Field {
		key := "modal.quiet." + name
		return v.formField(key, key+"_hint", interaction.TextInput(name, typed.or(name, value), false))
	}
	return interaction.Open(&interaction.Dialog{CustomID: idAlertQuiet, Title: v.t.Text("modal.quiet.title"), Fields: []interaction.Field{
		field(inputMinutes, strconv.Itoa(int(now.Delay.Minutes()))), field(inputFrom, from), field(inputUntil, until),
		field(inputZone, zoneName(cmp.Or(zone, usualZone(r.Locale)))),
	}}), nil
}

// changeQuiet keeps what was filled in, and shows alerts. Where these cannot be shown, as the service fails, what was
// done is said alone.
func (c *Commands) changeQuiet(_ context.Context, r *interaction.Request) (interaction.Response, error) {
	delay, quiet, err := typedQuiet(r.Fields)
	if err != nil {
		return interaction.Response{}, err
	}
	return interaction.Defer(aboutAlerts, func(ctx context.Context) (interaction.Response, error) {
		now, err := c.watch.Alerts.SetTiming(ctx, r.CustomerID, delay, quiet)
		if err != nil {
			return interaction.Response{}, unreadableAlerts(err)
		}
		c.forms.Drafts.Forget(ctx, r.UserID, draftOf(r))
		said := "alerts.quiet_saved"
		if !now.Any() { // they were turned off while the form was open
			said = "alerts.turned_off"
		}
		response := c.alertsOr(ctx, r, "")
		embed := response.Message.Embeds[0]
		embed.Description = paragraphs("✅ "+c.view(r).t.Text(said), embed.Description)
		return response, nil
	}), nil
}

// typedQuiet reads the form.
func typedQuiet(fields map[string]string) (delay time.Duration, quiet alerts.QuietHours, err error) {
	typed := func(input string) string { return strings.TrimSpace(fields[input]) }
	minutes, err := strconv.ParseUint(cmp.Or(typed(inputMinutes), "0"), 10, 8)
	if delay = time.Duration(minutes) * time.Minute; err != nil || delay > alerts.MostDelay {
		return 0, quiet, refuse("no such number of minutes was entered", "alerts.bad_minutes")
	}
	if typed(inputFrom)+typed(inputUntil) != "" {
		var bad error
		quiet.From, err = typedClock(typed(inputFrom))
		if quiet.To, bad = typedClock(typed(inputUntil)); errors.Join(err, bad) != nil || !quiet.On() {
			return 0, quiet, refuse("no times of a day were entered", "alerts.bad_times")
		}
	}
	if zone := typed(inputZone); zone != "" || quiet.On() {
		quiet.Zone, err = typedZone(zone)
	}
	return delay, quiet, err
}

// typedZone reads a time zone.
func typedZone(text string) (zone string, err error) {
	if zone, err = notify.ParseZone(text); err != nil {
		err = refuse("no time zone was entered", "alerts.bad_zone")
	}
	return zone, err
}

// typedClock reads a time of day, and returns it in minutes after midnight.
func typedClock(text string) (int, error) {
	text = strings.Replace(strings.ToLower(strings.Join(strings.Fields(text), "")), "24:00", "0:00", 1)
	for _, layout := range []string{"15:04", "15.04", "15h04", "1504", "15", "3:04pm", "3pm"} {
		if at, err := time.Parse(layout, text); err == nil {
			return at.Hour()*60 + at.Minute(), nil
		}
	}
	return 0, errors.New("it is no time of day")
}

// clock writes a time of day as typedClock reads it.
func clock(minutes int) string { return fmt.Sprintf("%02d:%02d", minutes/60, minutes%60) }

// zoneName is a zone as customers read and write it.
func zoneName(zone string) string { return strings.ReplaceAll(zone, "_", " ") }

// quietLine says what is set; "" if nothing is.
func (v view) quietLine(s alerts.Settings) string {
	var said []string
	if s.Delay > 0 {
		said = append(said, "⏱️ "+v.t.Format("alerts.delay", args{"Duration": v.t.Duration(s.Delay)}))
	}
	if s.Quiet.On() {
		said = append(said, "🌙 "+v.t.Format("alerts.quiet", args{"From": clock(s.Quiet.From), "Until": clock(s.Quiet.To), "Zone": zoneName(s.Quiet.Zone)}))
	}
	return strings.Join(said, "\n")
}

// usualZone returns the zone in which most people live who use Discord in a language; "" where there is no such one.
func usualZone(locale string) string {
	return map[string]string{
		"bg": "Europe/Sofia", "cs": "Europe/Prague", "da": "Europe/Copenhagen", "de": "Europe/Berlin", "el": "Europe/Athens", "en-GB": "Europe/London",
		"es-ES": "Europe/Madrid", "fi": "Europe/Helsinki", "fr": "Europe/Paris", "hi": "Asia/Kolkata", "hr": "Europe/Zagreb", "hu": "Europe/Budapest",
		"it": "Europe/Rome", "ja": "Asia/Tokyo", "ko": "Asia/Seoul", "lt": "Europe/Vilnius", "nl": "Europe/Amsterdam", "no": "Europe/Oslo",
		"pl": "Europe/Warsaw", "pt-BR": "America/Sao_Paulo", "ro": "Europe/Bucharest", "sv-SE": "Europe/Stockholm", "th": "Asia/Bangkok",
		"tr": "Europe/Istanbul", "uk": "Europe/Kyiv", "vi": "Asia/Ho_Chi_Minh", "zh-CN": "Asia/Shanghai", "zh-TW": "Asia/Taipei",
	}[locale]
}
