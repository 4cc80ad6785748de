package alerts

import (
	"context"
	"errors"
	"time"

	"hostbot/bot/store/record"
	"hostbot/bot/watch/notify"
	"hostbot/bot/watch/watcher"
)

// Settings are what a customer wants to be notified of. The customer alone changes them, and what notes that
// no message can be sent.
type Settings struct {
	All  bool            `json:"all,omitempty"`  // every bot, also those to come
	Bots map[string]bool `json:"bots,omitempty"` // by server ID, what is other than All
	// Muted is until when no message is sent of a bot, by server ID.
	Muted map[string]time.Time `json:"muted,omitempty"`
	// Delay is for how long a bot is down before a message tells of that.
	Delay time.Duration `json:"delay,omitempty"`
	Quiet QuietHours    `json:"quiet,omitzero"`
	// Closed is when alerts were turned off because the customer takes no messages; zero
	// where they were not.
	Closed time.Time `json:"closed,omitzero"`
}

// For reports whether alerts are on for a bot.
func (s Settings) For(serverID string) bool {
	if on, ok := s.Bots[serverID]; ok {
		return on
	}
	return s.All
}

// MutedUntil returns until when no message is sent of a bot; zero if messages are sent.
func (s Settings) MutedUntil(serverID string, now time.Time) time.Time {
	until := s.Muted[serverID]
	if !until.After(now) {
		return time.Time{}
	}
	return until
}

// Any reports whether alerts are on for some bot.
func (s Settings) Any() bool {
	for _, on := range s.Bots {
		if on {
			return true
		}
	}
	return s.All
}

// Set turns alerts on or off for a bot.
func (s *Settings) Set(serverID string, on bool) {
	if s.Bots == nil {
		s.Bots = make(map[string]bool)
	}
	s.Bots[serverID] = on
	if on == s.All {
		delete(s.Bots, serverID)
	}
	delete(s.Muted, serverID)
}

// SetAll turns alerts on or off for all bots.
func (s *Settings) SetAll(on bool) { *s = Settings{All: on, Delay: s.Delay, Quiet: s.Quiet} }

// Settings returns a customer's settings. An unknown one has no alerts.
func (a *Alerts) Settings(ctx context.Context, customerID string) (Settings, error) {
	return a.settings.Value(ctx, customerID, customerID)
}

// BotsOf returns the IDs of the bots of which an alert of a customer's tells; none if it is not kept any more.
func (a *Alerts) BotsOf(ctx context.Context, customerID, alertID string) (serverIDs []string, err error) {
	d, err := a.Records.Value(ctx, customerID+"/"+alertID, customerID)
	for _, o := range d.Bots {
		serverIDs = append(serverIDs, o.ServerID)
	}
	return serverIDs, err
}

// TurnOn changes a customer's settings so that there are more alerts than before, and returns how the
// customer is reached. The error may be notify.ErrClosed or notify.ErrLater; the settings stay as they are
// then.
func (a *Alerts) TurnOn(ctx context.Context, to notify.Recipient, change func(*Settings)) (now Settings, reached notify.Reached, err error) {
	if reached, err = a.cfg.DMs.Reach(ctx, kind, to); err != nil {
		now, failed := a.Settings(ctx, to.UserID)
		return now, reached, errors.Join(err, failed)
	}
	// The account is watched before alerts are on, so that none is on for nothing.
	if err = a.cfg.Watching.Watch(ctx, to.UserID, watcher.Alerts); err != nil {
		return Settings{}, reached, err
	}
	now, err = a.update(ctx, to.UserID, func(s *Settings) {
		s.Closed = time.Time{}
		change(s)
	})
	if err == nil { // somebody who has just turned alerts off may have had it watched no more
		err = a.cfg.Watching.Watch(ctx, to.UserID, watcher.Alerts)
	}
	return now, reached, err
}

// TurnOff changes a customer's settings so that there are fewer alerts. Without any, all that is
// kept for them is forgotten, but for how the customer is reached.
func (a *Alerts) TurnOff(ctx context.Context, customerID string, change func(*Settings)) (Settings, error) {
	now, err := a.update(ctx, customerID, change)
	if err == nil && !now.Any() {
		err = errors.Join(a.unwatch(ctx, customerID), a.cfg.DMs.Release(ctx, kind, customerID, true))
	}
	return now, err
}

// unwatch has an account watched for alerts no more, unless somebody turns them on at the same time.
func (a *Alerts) unwatch(ctx context.Context, customerID string) error {
	if err := a.cfg.Watching.Unwatch(ctx, customerID, watcher.Alerts); err != nil {
		return err
	}
	now, err := a.Settings(ctx, customerID)
	if err == nil && now.Any() {
		err = a.cfg.Watching.Watch(ctx, customerID, watcher.Alerts)
	}
	return err
}

// Mute has no message sent of a bot until then. One that was sent is kept true.
func (a *Alerts) Mute(ctx context.Context, customerID, serverID string, until time.Time) error {
	_, err := a.settings.Update(ctx, customerID, customerID, record.Keep, func(s *Settings) bool {
		if s.Muted == nil {
			s.Muted = make(map[string]time.Time)
		}
		s.Muted[serverID] = until
		return s.Any()
	})
	return err
}

// update changes a customer's settings, and forgets the customer's alerts where none are on then.
func (a *Alerts) update(ctx context.Context, customerID string, change func(*Settings)) (Settings, error) {
	r, err := a.settings.Upsert(ctx, customerID, customerID, record.Keep, func(r *record.Record[Settings]) bool {
		change(&r.Value)
		if r.Life = record.ForEver; !r.Value.Any() {
			r.Value, r.Life = Settings{Closed: r.Value.Closed}, closedFor
		}
		return true
	})
	if err != nil {
		return Settings{}, err
	}
	if now := r.Value; now.Any() {
		return now, nil
	}
	if r.Value.Closed.IsZero() {
		if err = a.settings.Drop(ctx, r); errors.Is(err, record.ErrConflict) { // they are on again by now
			err = nil
		}
	}
	_, failed := a.Records.RemoveAll(ctx, customerID) // an alert that stays as Redis fails is not sent, since alerts are off
	return r.Value, errors.Join(err, failed, a.count(ctx, customerID, r.Value))
}

// Forget turns a customer's alerts off and forgets all that is kept for them, but for how the customer is
// reached. It reports whether there was anything.
func (a *Alerts) Forget(ctx context.Context, customerID string) (known bool, err error) {
	last, _, err := a.settings.Remove(ctx, customerID, customerID)
	alerts, failure := a.Records.RemoveAll(ctx, customerID)
	return last != nil || alerts > 0, errors.Join(err, failure, a.count(ctx, customerID, Settings{}), a.unwatch(ctx, customerID))
}

// close turns a customer's alerts off, as no message can be sent, and keeps for a while
// that this is why. It reports whether they were on.
func (a *Alerts) close(ctx context.Context, customerID string) (known bool, err error) {
	now, err := a.Settings(ctx, customerID)
	if err != nil || !now.Any() {
		return false, err
	}
	_, err = a.update(ctx, customerID, func(s *Settings) { *s = Settings{Closed: time.Now()} })
	return true, errors.Join(err, a.unwatch(ctx, customerID))
}
