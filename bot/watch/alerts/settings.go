package alerts

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"

	"hostbot/bot/discord/message"
	"hostbot/bot/watch/watcher"
)

// Settings are what a customer wants to be told of.
type Settings struct {
	All  bool            `json:"all,omitempty"`  // every bot, also those to come
	Bots map[string]bool `json:"bots,omitempty"` // by server ID, what is other than All
	// Muted is until when no message is sent of a bot, by server ID.
	Muted map[string]time.Time `json:"muted,omitempty"`
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
func (s *Settings) SetAll(on bool) { *s = Settings{All: on} }

// customer is what is kept of somebody with alerts, and for a while of somebody who had some.
type customer struct {
	Version int `json:"version"` // of its form: customerVersion
	Settings
	Locale  string `json:"locale,omitempty"`
	Channel string `json:"channel,omitempty"` // of the DM
	// First is what is known of the first message until it is known to be there.
	First message.State `json:"first,omitzero"`
}

// Settings returns a customer's settings.
func (a *Alerts) Settings(ctx context.Context, customerID string) (Settings, error) {
	c, err := a.customer(ctx, customerID)
	return c.Settings, err
}

// Contact is how a customer is reached by direct message. It is kept though alerts are off.
type Contact struct {
	Channel string // of the DM; "" if none is known
	Locale  string
}

// Kept returns all that is kept of a customer, in one read.
func (a *Alerts) Kept(ctx context.Context, customerID string) (Settings, Contact, error) {
	c, err := a.customer(ctx, customerID)
	return c.Settings, Contact{c.Channel, c.Locale}, err
}

// customer returns what is kept of a customer. An unknown one has no alerts.
func (a *Alerts) customer(ctx context.Context, customerID string) (customer, error) {
	return a.readCustomer(ctx, a.Redis, a.customerKey(customerID))
}

// errLater says that a later version of the program has written what is kept of a customer. It is
// left alone.
var errLater = errors.New("alerts: what is kept of a customer is of a later version")

// readCustomer reads what is kept of a customer. If that cannot be decoded, nothing is known, and the
// customer can turn alerts on again.
func (a *Alerts) readCustomer(ctx context.Context, from redis.Cmdable, key string) (c customer, err error) {
	value, err := from.Get(ctx, key).Bytes()
	if err != nil || len(value) == 0 {
		return customer{}, ignoreNil(err)
	}
	var of struct{ Version int }
	err = json.Unmarshal(value, &of)
	if of.Version > customerVersion {
		return customer{}, errLater
	}
	if err == nil {
		err = json.Unmarshal(value, &c)
	}
	if err != nil {
		a.Log.Error().Err(err).Str("key", key).Msg("what redis has of a customer's alerts cannot be read: none are on")
		return customer{}, nil
	}
	return c, nil
}

// TurnOn changes a customer's settings so that there are more alerts than before. To somebody
// new it sends a first message, and reports whether it did. That is one message, also if several
// processes do so at a time, or if it was sent before and Discord's answer was lost. The error is ErrClosed where the customer takes none, with
// Discord's reason, and ErrLater where Discord takes none for now; the settings stay as they
// are then.
func (a *Alerts) TurnOn(ctx context.Context, to Recipient, change func(*Settings)) (now Settings, sent bool, err error) {
	kept, err := a.customer(ctx, to.CustomerID)
	if err != nil {
		return Settings{}, false, err
	}
	channel := cmp.Or(to.DM, kept.Channel)
	sent = channel == ""
	if !sent && kept.Channel == "" {
		// In quarantine Discord may take nothing where the bot has sent nothing of its own.
		if sent, err = a.quarantined(ctx); err != nil {
			return kept.Settings, false, err
		}
	}
	if sent {
		if channel, err = a.introduce(ctx, to, a.firstAlert(to.CustomerID, kept.First)); err != nil {
			return kept.Settings, false, err
		}
	}
	// The account is watched before alerts are on, so that none is on for nothing.
	if err := a.Watching.Watch(ctx, to.CustomerID, watcher.Alerts); err != nil {
		return Settings{}, sent, err
	}
	now, err = a.update(ctx, to.CustomerID, func(c *customer) {
		c.Locale, c.Channel, c.Closed, c.First = to.Locale, channel, time.Time{}, message.State{}
		change(&c.Settings)
	})
	if err == nil { // somebody who has just turned alerts off may have had it watched no more
		err = a.Watching.Watch(ctx, to.CustomerID, watcher.Alerts)
	}
	return now, sent, err
}

// TurnOff changes a customer's settings so that there are fewer alerts. Without any, all that is
// kept for them is forgotten but the channel, so that who turns alerts on again soon is not sent
// another first message.
func (a *Alerts) TurnOff(ctx context.Context, customerID string, change func(*Settings)) (Settings, error) {
	now, err := a.update(ctx, customerID, func(c *customer) { change(&c.Settings) })
	if err == nil && !now.Any() {
		err = a.unwatch(ctx, customerID)
	}
	return now, err
}

// unwatch has an account watched for alerts no more, unless somebody turns them on at the same time.
func (a *Alerts) unwatch(ctx context.Context, customerID string) error {
	if err := a.Watching.Unwatch(ctx, customerID, watcher.Alerts); err != nil {
		return err
	}
	now, err := a.customer(ctx, customerID)
	if err == nil && now.Any() {
		err = a.Watching.Watch(ctx, customerID, watcher.Alerts)
	}
	return err
}

// Mute has no message sent of a bot until then. One that was sent is kept true.
func (a *Alerts) Mute(ctx context.Context, customerID, serverID string, until time.Time) error {
	c, err := a.customer(ctx, customerID)
	if err != nil || !c.Any() {
		return err
	}
	_, err = a.update(ctx, customerID, func(c *customer) {
		if c.Muted == nil {
			c.Muted = make(map[string]time.Time)
		}
		c.Muted[serverID] = until
	})
	return err
}

// updateAttempts is how often a change of settings is tried that meets others.
const updateAttempts = 10

// update changes what is kept of a customer, and forgets what is of alerts alone where none are on
// then.
// Where somebody else changes it at the same time, it begins again.
func (a *Alerts) update(ctx context.Context, customerID string, change func(*customer)) (now Settings, err error) {
	key := a.customerKey(customerID)
	attempt := func(tx *redis.Tx) error {
		c, err := a.readCustomer(ctx, tx, key)
		if err != nil {
			return err
		}
		change(&c)
		if !c.Any() {
			c = customer{Settings: Settings{Closed: c.Closed}, Channel: c.Channel, First: c.First}
		}
		now, c.Version = c.Settings, customerVersion
		content, err := json.Marshal(c)
		if err != nil {
			return err
		}
		_, err = tx.TxPipelined(ctx, func(p redis.Pipeliner) error {
			if c.Any() {
				return p.Set(ctx, key, content, 0).Err()
			}
			if c.Channel == "" && c.First.Tried == 0 && c.Closed.IsZero() {
				return p.Del(ctx, key).Err()
			}
			return p.Set(ctx, key, content, channelFor).Err()
		})
		return err
	}
	for range updateAttempts {
		err = a.Redis.Watch(ctx, attempt, key)
		if !errors.Is(err, redis.TxFailedErr) {
			break
		}
	}
	if err == nil && !now.Any() {
		_, err = a.forgetAlerts(ctx, customerID)
	}
	if err != nil {
		return Settings{}, err
	}
	return now, nil
}

// forgetAlerts forgets a customer's alerts, and returns how many there were. One that stays
// as Redis fails is not sent, since alerts are off.
func (a *Alerts) forgetAlerts(ctx context.Context, customerID string) (known int, err error) {
	own, err := a.records.Of(ctx, customerID)
	for _, r := range own {
		_, _, failure := a.records.Remove(ctx, r.ID, customerID)
		err = errors.Join(err, failure)
	}
	return len(own), errors.Join(err, a.records.RemoveUnreadable(ctx, customerID))
}

// Forget turns a customer's alerts off and forgets all that is kept for them. It tells
// whether there was anything.
func (a *Alerts) Forget(ctx context.Context, customerID string) (known bool, err error) {
	removed, err := a.Redis.Del(ctx, a.customerKey(customerID)).Result()
	alerts, failure := a.forgetAlerts(ctx, customerID)
	return removed > 0 || alerts > 0, errors.Join(err, failure, a.unwatch(ctx, customerID))
}

// refuse turns a customer's alerts off, as no message can be sent, and keeps for a while
// that this is why.
func (a *Alerts) refuse(ctx context.Context, customerID string) error {
	_, err := a.Forget(ctx, customerID)
	why, _ := json.Marshal(customer{Version: customerVersion, Settings: Settings{Closed: time.Now()}}) // which always can be encoded
	err = errors.Join(err, a.Redis.Set(ctx, a.customerKey(customerID), why, closedFor).Err(),
		a.Redis.HIncrBy(ctx, a.Space.Key(countsKey), "refused", 1).Err())
	a.Log.Info().Err(err).Str("user", customerID).Msg("a customer takes no direct messages: alerts are turned off")
	return err
}

func ignoreNil(err error) error {
	if errors.Is(err, redis.Nil) {
		return nil
	}
	return err
}
