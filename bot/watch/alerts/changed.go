package alerts

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"slices"
	"time"

	"hostbot/bot/discord/message"
	"hostbot/bot/store/record"
	"hostbot/bot/watch/history"
	"hostbot/bot/watch/watcher"
	"hostbot/hostapi"
)

// Mark returns the time by which an alert's message is found in its channel: that of the first fall.
func (a Alert) Mark() time.Time { return message.Mark(a.First, a.ID) }

// Changed has messages sent of those changes that customers want to be told of. The bots of one
// customer that fell are one message. It may be told of a change twice.
func (a *Alerts) Changed(ctx context.Context, changes []watcher.Change) error {
	concerns := func(c watcher.Change) bool {
		return c.Unexpected || slices.Contains([]hostapi.State{hostapi.StateRunning, hostapi.StateStopped, history.Gone}, c.To)
	}
	return watcher.ByCustomer(changes, concerns, func(customerID string, own []watcher.Change) error { return a.apply(ctx, customerID, own) })
}

// apply changes the alerts of a customer. If somebody else changes them at the same time, it
// begins again.
func (a *Alerts) apply(ctx context.Context, customerID string, changes []watcher.Change) error {
	for range updateAttempts {
		err := a.applyOnce(ctx, customerID, changes)
		if !errors.Is(err, record.ErrConflict) {
			return err
		}
	}
	// A later version of the program has written what is there, and tells of the change itself.
	a.Log.Warn().Str("user", customerID).Msg("an alert cannot be changed")
	return nil
}

func (a *Alerts) applyOnce(ctx context.Context, customerID string, changes []watcher.Change) error {
	owner, err := a.customer(ctx, customerID)
	if errors.Is(err, errLater) { // that version tells of the change itself
		return nil
	}
	if err != nil || !owner.Any() {
		return err
	}
	known, err := a.records.Of(ctx, customerID)
	if err != nil {
		return err
	}
	n := &news{settings: owner.Settings, known: known, changed: make(map[*record.Record[delivery]]bool), notify: a.Timing.Notify}
	for _, c := range changes { // who is back first, so that no fall joins an alert that is over
		if owner.For(c.ServerID) && !c.Unexpected {
			n.ended(c)
		}
	}
	for _, c := range changes {
		if owner.For(c.ServerID) && c.Unexpected {
			n.fell(c)
		}
	}
	n.join()
	return a.save(ctx, customerID, n)
}

// save saves what changes have made of a customer's alerts. The new one comes first: whoever is
// told of the same changes once more finds it.
func (a *Alerts) save(ctx context.Context, customerID string, n *news) error {
	var due []string
	if len(n.fallen) > 0 {
		alert := Alert{ID: n.fallen[0].Last, First: n.fallen[0].DownAt, Bots: n.fallen}
		r := a.records.New(customerID+"/"+alert.ID, customerID)
		r.Value.Alert, r.Life = alert, openFor
		if err := a.records.Save(ctx, r, 0); err != nil {
			return err
		}
		due = append(due, r.ID)
	}
	for r, shows := range n.changed {
		r.Life = openFor
		if r.Value.over() {
			r.Life = outageFor
		}
		after := record.Keep
		if shows {
			after, due = 0, append(due, r.ID)
		}
		if err := a.records.Save(ctx, r, after); err != nil {
			return err
		}
	}
	a.Wake(ctx, kind, due...)
	return nil
}

// nameOf names a fall, whichever process sees it.
func nameOf(c watcher.Change) string {
	sum := sha256.Sum256([]byte(c.CustomerID + "/" + c.ServerID + "/" + c.Left()))
	return hex.EncodeToString(sum[:])[:nonceLength]
}

func latest(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
