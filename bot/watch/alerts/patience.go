package alerts

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	_ "time/tzdata" // as an image may have no time zones

	"hostbot/bot/store/record"
)

// ErrZone says that a text names no time zone.
var ErrZone = errors.New("alerts: no such time zone")

// QuietHours are when no message notifies a customer, each day. They are off if From and To are equal.
type QuietHours struct {
	From int    `json:"from"` // in minutes after midnight
	To   int    `json:"to"`   // likewise; of the next day if it is before From
	Zone string `json:"zone"` // as ParseZone returns it
}

// On reports whether there are quiet hours.
func (q QuietHours) On() bool { return q.From != q.To }

// end returns the end of the quiet hours in which a time is; the time itself if it is in none.
func (q QuietHours) end(at time.Time) time.Time {
	zone, err := location(q.Zone)
	if err != nil || !q.On() {
		return at
	}
	there := at.In(zone)
	minute := there.Hour()*60 + there.Minute()
	within := q.From <= minute && minute < q.To
	if q.From > q.To {
		within = q.From <= minute || minute < q.To
	}
	if !within {
		return at
	}
	day := there.Day()
	if minute >= q.To {
		day++
	}
	return latest(at, time.Date(there.Year(), there.Month(), day, 0, q.To, 0, 0, zone))
}

// zoneOffset is what a customer writes for an offset from UTC: "+2", "-03:30" or "UTC+5:45".
var zoneOffset = regexp.MustCompile(`^(?i:UTC|GMT)?\s*([+-])(\d{1,2})(?::?([0-5]\d))?$`)

// ParseZone returns the name under which a time zone is kept, such as "Europe/Berlin" or "+05:30". It takes an offset from
// UTC, a name of the IANA database, or the city in one. The error is ErrZone.
func ParseZone(text string) (string, error) {
	text = strings.TrimSpace(strings.ReplaceAll(text, "−", "-"))
	if strings.EqualFold(text, "UTC") || strings.EqualFold(text, "GMT") {
		return "UTC", nil
	}
	if m := zoneOffset.FindStringSubmatch(text); m != nil {
		const most = 14 // the furthest zone east, in hours
		hours, _ := strconv.Atoi(m[2])
		minutes, _ := strconv.Atoi(m[3])
		if hours*60+minutes > most*60 {
			return "", ErrZone
		}
		return fmt.Sprintf("%s%02d:%02d", m[1], hours, minutes), nil
	}
	name := zoneName(text)
	if !strings.Contains(name, "/") {
		for _, region := range []string{"Europe", "America", "Asia", "Africa", "Australia", "Pacific", "Atlantic", "Indian"} {
			if _, err := time.LoadLocation(region + "/" + name); err == nil {
				return region + "/" + name, nil
			}
		}
		return "", ErrZone
	}
	if _, err := time.LoadLocation(name); err != nil {
		return "", ErrZone
	}
	return name, nil
}

// zoneName writes a name as the database does, whose names tell upper from lower case.
func zoneName(text string) string {
	parts := strings.Split(strings.ReplaceAll(strings.ToLower(text), " ", "_"), "/")
	for i, part := range parts {
		words := strings.Split(part, "_")
		for j, word := range words {
			if word != "" && word != "of" && word != "es" {
				words[j] = strings.ToUpper(word[:1]) + word[1:]
			}
		}
		parts[i] = strings.Join(words, "_")
	}
	return strings.Join(parts, "/")
}

// location returns the zone of a name that ParseZone has returned.
func location(zone string) (*time.Location, error) {
	if m := zoneOffset.FindStringSubmatch(zone); m != nil {
		hours, _ := strconv.Atoi(m[2])
		minutes, _ := strconv.Atoi(m[3])
		seconds := (hours*60 + minutes) * 60
		if m[1] == "-" {
			seconds = -seconds
		}
		return time.FixedZone(zone, seconds), nil
	}
	return time.LoadLocation(zone)
}

// Patient changes how long a bot is down before a message, and the quiet hours. Messages that wait by now wait by what is
// new. Nothing is changed while alerts are off.
func (a *Alerts) Patient(ctx context.Context, customerID string, patience time.Duration, quiet QuietHours) (now Settings, err error) {
	_, err = a.settings.Update(ctx, customerID, customerID, record.Keep, func(s *Settings) bool {
		s.Patience, s.Quiet = patience, quiet
		now = *s
		return s.Any()
	})
	if err == nil {
		err = a.Redraw(ctx, []string{customerID})
	}
	return now, err
}

// due returns from when on a message may tell of a fall.
func (s Settings) due(o Outage) time.Time { return s.Quiet.end(o.DownAt.Add(s.Patience)) }

// brief reports whether a bot was back before a message was to tell that it is down.
func (s Settings) brief(o Outage) bool {
	return !o.RecoveredAt.IsZero() && o.RecoveredAt.Sub(o.DownAt) < s.Patience
}

// begun reports whether Discord may have taken the message.
func (d *delivery) begun() bool { return d.Sent || d.Message.Posts > 0 || d.Message.Tried != 0 }

// held returns when the first message of an alert is due: as all its bots are. It is zero if the customer is not to wait.
func (d *delivery) held(s Settings) (due time.Time) {
	for _, o := range d.Bots {
		if at := s.due(o); at.After(o.DownAt) {
			due = latest(due, at)
		}
	}
	return due
}

// waitTogether has an alert that is not sent yet tell of the bots that have just fallen as well, if both are due
// together. It reports whether what has fallen waits at all.
func (n *changes) waitTogether() bool {
	if len(n.fallen) == 0 || !n.settings.due(n.fallen[0]).After(n.fallen[0].DownAt) {
		return false
	}
	due := n.settings.due(n.fallen[0])
	for _, r := range n.known {
		d := &r.Value
		if d.begun() || len(d.Bots) == 0 || due.Sub(n.settings.due(d.Bots[0])).Abs() >= joinFor {
			continue
		}
		d.Bots = slices.DeleteFunc(d.Bots, func(o Outage) bool { return o.Elsewhere })
		d.Bots = append(d.Bots, n.fallen...)
		n.fallen = nil
		n.touch(r, true)
		break
	}
	return true
}
