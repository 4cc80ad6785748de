package alerts

import (
	"context"
	"errors"
	"time"

	"hostbot/bot/store/record"
	"hostbot/bot/watch/history"
	"hostbot/bot/watch/notify"
)

// MostDelay is the longest Settings.Delay.
const MostDelay = time.Hour

// timedKey is a set of the customers with a delay or quiet hours.
const timedKey = "{settings}:timed"

// QuietHours are when no message notifies a customer, each day. They are off if From and To are equal.
type QuietHours struct {
	From int    `json:"from"` // in minutes after midnight
	To   int    `json:"to"`   // likewise; of the next day if it is before From
	Zone string `json:"zone"` // as notify.ParseZone returns it
}

// On reports whether there are quiet hours.
func (q QuietHours) On() bool { return q.From != q.To }

// end returns the end of the quiet hours in which a time is; the time itself if it is in none.
func (q QuietHours) end(at time.Time) time.Time {
	there, until := at.In(notify.Location(q.Zone)), q.To
	if q.To < q.From {
		until += 24 * 60
	}
	for day := there.Day() - 1; day <= there.Day(); day++ {
		from := time.Date(there.Year(), there.Month(), day, 0, q.From, 0, 0, there.Location())
		if end := time.Date(there.Year(), there.Month(), day, 0, until, 0, 0, there.Location()); !at.Before(from) && at.Before(end) {
			return end
		}
	}
	return at
}

// Left returns how long the quiet hours last in which a time is; 0 if it is in none.
func (q QuietHours) Left(at time.Time) time.Duration { return q.end(at).Sub(at) }

// SetTiming changes how long a bot is down before a message, and the quiet hours, whose zone is kept if there is one.
// Messages that wait by now wait by what is new. Nothing is changed while alerts are off.
func (a *Alerts) SetTiming(ctx context.Context, customerID string, delay time.Duration, quiet QuietHours) (now Settings, err error) {
	if err = a.cfg.DMs.SetZone(ctx, customerID, quiet.Zone); err != nil {
		return now, err
	}
	_, err = a.settings.Update(ctx, customerID, customerID, record.Keep, func(s *Settings) bool {
		s.Delay, s.Quiet = delay, quiet
		now = *s
		return s.Any()
	})
	if err != nil {
		return now, err
	}
	return now, errors.Join(a.Redraw(ctx, []string{customerID}), a.count(ctx, customerID, now))
}

// count notes whether a customer has a delay or quiet hours.
func (a *Alerts) count(ctx context.Context, customerID string, s Settings) error {
	note := a.cfg.Redis.SRem
	if s.Any() && (s.Delay > 0 || s.Quiet.On()) {
		note = a.cfg.Redis.SAdd
	}
	return note(ctx, a.cfg.Space.Key(timedKey), customerID).Err()
}

// Timed returns how many customers have a delay or quiet hours.
func (a *Alerts) Timed(ctx context.Context) (int, error) {
	n, err := a.cfg.Redis.SCard(ctx, a.cfg.Space.Key(timedKey)).Result()
	return int(n), err
}

// due returns from when on a message may tell of a fall.
func (s Settings) due(o Outage) time.Time { return s.Quiet.end(o.DownSince.Add(s.Delay)) }

// brief reports whether a bot was back before a message was to tell that it is down.
func (s Settings) brief(o Outage) bool {
	return !o.RecoveredAt.IsZero() && o.RecoveredAt.Sub(o.DownSince) < s.Delay
}

// begun reports whether Discord may have taken the message.
func (d *delivery) begun() bool { return d.Sent || d.Message.Posts > 0 || d.Message.Tried != 0 }

// due returns until when the first message of an alert waits: until all its bots are due. It is zero if the customer does not
// have it wait, whatever the clock of the process says that saw the fall.
func (d *delivery) due(s Settings) (from time.Time) {
	for _, o := range d.Bots {
		if at := s.due(o); at.After(o.DownAt) {
			from = history.Later(from, at)
		}
	}
	return from
}
