package alerts

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"iter"
	"strconv"
	"time"

	"hostbot/bot/store/record"
	"hostbot/bot/watch/watcher"
	"hostbot/hostapi"
)

// Mark returns the time by which an alert's message is found in its channel: that of the first
// fall, whose milliseconds tell alerts apart that began in one second.
func (a Alert) Mark() time.Time {
	sum := sha256.Sum256([]byte(a.ID))
	ms := binary.BigEndian.Uint16(sum[:]) % 1000
	return a.First.UTC().Truncate(time.Second).Add(time.Duration(ms) * time.Millisecond)
}

// Over reports whether the bot runs again, or a later alert tells how it fares.
func (o Outage) Over() bool { return o.Elsewhere || !o.RecoveredAt.IsZero() }

// Changed has messages sent of those changes that customers want to be told of. The bots of one
// customer that fell are one message. It may be told of a change twice.
func (a *Alerts) Changed(ctx context.Context, changes []watcher.Change) error {
	byCustomer := make(map[string][]watcher.Change)
	for _, c := range changes {
		if c.Unexpected || c.To == hostapi.StateRunning {
			byCustomer[c.CustomerID] = append(byCustomer[c.CustomerID], c)
		}
	}
	var failed error
	for customerID, own := range byCustomer {
		failed = errors.Join(failed, a.apply(ctx, customerID, own))
	}
	return failed
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
	n := &news{settings: owner.Settings, known: known, changed: make(map[*record.Record[delivery]]bool)}
	for _, c := range changes {
		if owner.For(c.ServerID) {
			n.note(c)
		}
	}
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

// news is what changes make of the alerts of a customer.
type news struct {
	settings Settings
	known    []*record.Record[delivery]
	// changed are those of known that are other than before, by whether their messages show
	// something else now.
	changed map[*record.Record[delivery]]bool
	fallen  []Outage // of which a new alert tells
}

// note notes a change of a bot for which alerts are on.
func (n *news) note(c watcher.Change) {
	if !c.Unexpected {
		for r, o := range n.open(c.ServerID) {
			if o.RecoveredAt.IsZero() {
				o.RecoveredAt = latest(c.At, o.DownAt)
				n.touch(r, true)
			}
		}
		return
	}
	name := nameOf(c)
	if r, o := n.telling(name); r != nil { // it is told of again
		if !o.Elsewhere {
			n.leave(c.ServerID, r)
		}
		return
	}
	for r, o := range n.open(c.ServerID) {
		if r.Value.counts(*o, c.At) {
			o.fall(c, name)
			n.touch(r, true)
			return
		}
	}
	if until := n.settings.MutedUntil(c.ServerID, c.At); until.After(c.At) {
		return
	}
	n.leave(c.ServerID, nil)
	var o Outage
	o.fall(c, name)
	n.fallen = append(n.fallen, o)
}

// touch notes that an alert is other than before, and whether its message shows something else now.
func (n *news) touch(r *record.Record[delivery], shows bool) { n.changed[r] = n.changed[r] || shows }

// open yields where alerts tell how a bot fares.
func (n *news) open(serverID string) iter.Seq2[*record.Record[delivery], *Outage] {
	return func(yield func(*record.Record[delivery], *Outage) bool) {
		for _, r := range n.known {
			for i := range r.Value.Bots {
				if o := &r.Value.Bots[i]; o.ServerID == serverID && !o.Elsewhere && !yield(r, o) {
					return
				}
			}
		}
	}
}

// leave has no alert but one tell any more how a bot fares.
func (n *news) leave(serverID string, but *record.Record[delivery]) {
	for r, o := range n.open(serverID) {
		if r != but {
			o.Elsewhere = true
			n.touch(r, false)
		}
	}
}

// telling returns the alert that tells of a fall with a name; nil if there is none.
func (n *news) telling(name string) (*record.Record[delivery], *Outage) {
	for _, r := range n.known {
		for i := range r.Value.Bots {
			if o := &r.Value.Bots[i]; o.Last == name {
				return r, o
			}
		}
	}
	return nil, nil
}

// counts reports whether a further fall of a bot is counted in an alert, whose message is edited.
// A fall that is dated ahead by a wrong clock holds nothing back for longer than another.
func (a Alert) counts(o Outage, at time.Time) bool {
	return at.Sub(a.First).Abs() < countFor && (o.RecoveredAt.IsZero() || at.Sub(o.RecoveredAt).Abs() < flap)
}

// over reports whether no bot is left whose recovery the alert is to tell.
func (a Alert) over() bool {
	for _, o := range a.Bots {
		if !o.Over() {
			return false
		}
	}
	return true
}

// fall notes a fall with a name.
func (o *Outage) fall(c watcher.Change, name string) {
	o.ServerID, o.Last, o.Name, o.State = c.ServerID, name, cmp.Or(c.Name, o.Name), c.To
	o.DownAt, o.RecoveredAt = c.At, time.Time{}
	o.Uptime, o.AtLeast = 0, false
	if c.From == hostapi.StateRunning {
		o.Uptime, o.AtLeast = c.At.Sub(c.Since), c.AtLeast
		if !c.After.IsZero() && c.At.Sub(c.After) > unseenFor { // it may have run for any part of that
			o.Uptime, o.AtLeast = c.After.Sub(c.Since), true
		}
	}
	o.Count++
}

// nameOf names a fall, whichever process sees it, by the state that was left and since when the
// bot had it. Each poll sees that alike until the new state is written, also if a failover has
// lost what was written.
func nameOf(c watcher.Change) string {
	left := string(c.From) + strconv.FormatInt(c.Since.Unix(), 10) // a history has whole seconds
	sum := sha256.Sum256([]byte(c.CustomerID + "/" + c.ServerID + "/" + left))
	return hex.EncodeToString(sum[:])[:nonceLength]
}

func latest(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
