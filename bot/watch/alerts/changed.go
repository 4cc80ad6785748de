package alerts

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"strconv"
	"time"

	"hostbot/bot/discord/message"
	"hostbot/bot/store/aside"
	"hostbot/bot/store/record"
	"hostbot/bot/watch/history"
	"hostbot/bot/watch/watcher"
	"hostbot/hostapi"
)

// Mark returns the time by which an alert's message is found in its channel: that of the first
// fall, whose milliseconds tell bots apart that fell in one second.
func (a Alert) Mark() time.Time {
	sum := sha256.Sum256([]byte(a.ServerID))
	ms := binary.BigEndian.Uint16(sum[:]) % 1000
	return a.First.UTC().Truncate(time.Second).Add(time.Duration(ms) * time.Millisecond)
}

// outage is an alert and what was sent of it. Its ID in Redis is CUSTOMER/BOT.
type outage struct {
	Alert
	Nonce   string        `json:"nonce"` // names the message
	Last    string        `json:"last"`  // names the last fall
	Message message.State `json:"message"`
	Sent    bool          `json:"sent,omitempty"`    // Discord has taken it once
	Refused int           `json:"refused,omitempty"` // how often Discord refused its channel
	Held    int           `json:"held,omitempty"`    // how often Discord refused it for a reason that holds all
}

// get returns the outage of a customer's bot; a new record if there is none.
func (a *Alerts) get(ctx context.Context, customerID, serverID string) (*record.Record[outage], error) {
	id := customerID + "/" + serverID
	r, err := a.records.Get(ctx, id, customerID)
	if r == nil {
		r = a.records.New(id, customerID)
	}
	r.Value.CustomerID, r.Value.ServerID = customerID, serverID
	return r, err
}

// Changed has messages sent of those changes that customers want to be told of. It may
// be told of a change twice.
func (a *Alerts) Changed(ctx context.Context, changes []watcher.Change) error {
	for _, c := range changes {
		if !c.Unexpected && c.To != hostapi.StateRunning && c.To != history.Gone {
			continue
		}
		if err := a.apply(ctx, c); err != nil {
			return err
		}
	}
	return nil
}

// apply changes the outage of a bot. If somebody else changes it at the same time, it begins
// again.
func (a *Alerts) apply(ctx context.Context, c watcher.Change) error {
	for range updateAttempts {
		err := a.applyOnce(ctx, c)
		if !errors.Is(err, record.ErrConflict) {
			return err
		}
	}
	// A later version of the program has written what is there, and tells of the change itself.
	a.Log.Warn().Str("user", c.CustomerID).Msg("an alert cannot be changed")
	return nil
}

func (a *Alerts) applyOnce(ctx context.Context, c watcher.Change) error {
	owner, err := a.customer(ctx, c.CustomerID)
	if aside.IsWrongType(err) { // told again and again, the change would keep back those of everybody else
		a.Log.Error().Err(err).Str("user", c.CustomerID).Msg("what redis holds of a customer's alerts makes no sense: a change is not told")
		return nil
	}
	if err != nil || !owner.For(c.ServerID) {
		return err
	}
	r, err := a.get(ctx, c.CustomerID, c.ServerID)
	if err != nil {
		return err
	}
	e := &r.Value
	switch {
	case !c.At.After(e.DownAt): // it is known
		return nil
	case c.Unexpected:
		if !e.fell(c, c.At.Before(owner.Muted[c.ServerID])) {
			return nil
		}
	case e.Nonce == "" || !e.RecoveredAt.IsZero() || c.To != hostapi.StateRunning:
		return nil
	default:
		e.RecoveredAt = c.At
	}
	r.Life = openFor
	if !e.RecoveredAt.IsZero() {
		r.Life = outageFor
	}
	err = a.records.Save(ctx, r, 0)
	if err == nil {
		a.Wake(ctx, kind, r.ID)
	}
	return err
}

// fell notes a fall in an outage: in the one that there is, or in a new one. It tells
// whether there is something to be sent. While the bot is muted there is no new one.
func (e *outage) fell(c watcher.Change, muted bool) bool {
	name := nameOf(c)
	if e.Last == name { // it is told of again
		return false
	}
	goesOn := e.Nonce != "" && c.At.Sub(e.First) < countFor && (e.RecoveredAt.IsZero() || c.At.Sub(e.RecoveredAt) < flap)
	if !goesOn {
		if muted {
			return false
		}
		*e = outage{Alert: Alert{CustomerID: c.CustomerID, ServerID: c.ServerID, First: c.At}, Nonce: name}
	}
	e.Last = name
	e.Name, e.State, e.DownAt, e.RecoveredAt = c.Name, c.To, c.At, time.Time{}
	e.Uptime, e.AtLeast = 0, false
	if c.From == hostapi.StateRunning {
		e.Uptime, e.AtLeast = c.At.Sub(c.Since), c.AtLeast
		if !c.After.IsZero() && c.At.Sub(c.After) > unseenFor { // it may have run for any part of that
			e.Uptime, e.AtLeast = c.After.Sub(c.Since), true
		}
	}
	e.Count++
	return true
}

// nameOf names a fall, whichever process sees it, by the state that was left and since when the
// bot had it. Each poll sees that alike until the new state is written, also if a failover has
// lost what was written.
func nameOf(c watcher.Change) string {
	left := string(c.From) + strconv.FormatInt(c.Since.Unix(), 10) // a history has whole seconds
	sum := sha256.Sum256([]byte(c.CustomerID + "/" + c.ServerID + "/" + left))
	return hex.EncodeToString(sum[:])[:nonceLength]
}
