package notify

import (
	"cmp"
	"context"
	"errors"
	"regexp"
	"strings"
	"time"
	_ "time/tzdata" // as an image may have no time zones
	"unicode"

	"golang.org/x/text/unicode/norm"

	"hostbot/bot/store/record"
)

// ErrZone says that a text names no time zone.
var ErrZone = errors.New("notify: no such time zone")

// zoneOffset is what people write for an offset from UTC: "+2", "-0330" or "UTC+5:45".
var zoneOffset = regexp.MustCompile(`^(?i:UTC|GMT)?\s*([+-])(\d{1,2})(?::?([0-5]\d))?$`)

// offset returns the zone that is written as an offset, under the name by which it is kept.
func offset(text string) (zone *time.Location, ok bool) {
	m := zoneOffset.FindStringSubmatch(text)
	if m == nil {
		return nil, false
	}
	ahead, _ := time.ParseDuration(m[1] + m[2] + "h" + cmp.Or(m[3], "0") + "m")
	name := time.Time{}.In(time.FixedZone("", int(ahead.Seconds()))).Format("UTC-07:00")
	return time.FixedZone(name, int(ahead.Seconds())), ahead.Abs() <= 14*time.Hour // the furthest east
}

// ParseZone returns the name under which a time zone is kept, such as "Europe/Berlin" or "UTC+05:30". It takes an offset
// from UTC, a name of the IANA database in upper or lower case, or the city in one, with its accents or without. The error is ErrZone.
func ParseZone(text string) (string, error) {
	text = strings.ReplaceAll(strings.Join(strings.Fields(text), "_"), "−", "-")
	if zone, ok := offset(strings.ReplaceAll(text, "_", "")); ok {
		return zone.String(), nil
	}
	if text == "" || len(text) > 64 || strings.EqualFold(text, "local") { // the database's longest name has 32 bytes
		return "", ErrZone
	}
	text = strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) { // an accent, as in "São Paulo"
			return -1
		}
		return r
	}, norm.NFD.String(text))
	// The database's names tell upper from lower case.
	titled := regexp.MustCompile(`[a-z]+`).ReplaceAllStringFunc(strings.ToLower(text), func(word string) string { return strings.ToUpper(word[:1]) + word[1:] })
	titled = strings.NewReplacer("_Of_", "_of_", "_Es_", "_es_", "-Au-", "-au-").Replace(titled)
	if _, err := time.LoadLocation(strings.ToUpper(text)); err == nil {
		return strings.ToUpper(text), nil
	}
	for _, region := range []string{"", "Europe/", "America/", "Asia/", "Africa/", "Australia/", "Pacific/", "Atlantic/", "Indian/"} {
		if _, err := time.LoadLocation(region + titled); err == nil {
			return region + titled, nil
		}
	}
	return "", ErrZone
}

// Location returns the zone of a name that ParseZone has returned; UTC for another.
func Location(name string) *time.Location {
	if zone, ok := offset(name); ok {
		return zone
	}
	if zone, err := time.LoadLocation(name); err == nil {
		return zone
	}
	return time.UTC
}

// Zone returns the time zone that a person has named, as ParseZone returns it; "" if none.
func (n *Notifier) Zone(ctx context.Context, userID string) (string, error) {
	c, err := n.contacts.Value(ctx, userID, userID)
	return c.Zone, err
}

// SetZone keeps the time zone that a person has named; that of before if it is "".
func (n *Notifier) SetZone(ctx context.Context, userID, zone string) error {
	return n.change(ctx, userID, record.Keep, func(c *contact) { c.Zone = cmp.Or(zone, c.Zone) })
}
