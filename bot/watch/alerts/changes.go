package alerts

import (
	"context"
	"errors"
	"iter"
	"slices"
	"time"

	"hostbot/bot/discord/message"
	"hostbot/bot/interaction"
	"hostbot/bot/store/keyspace"
	"hostbot/bot/store/record"
	"hostbot/bot/watch/history"
	"hostbot/bot/watch/notify"
	"hostbot/bot/watch/watcher"
	"hostbot/hostapi"
)

// Mark returns the time by which an alert's message is found in its channel: that of the first fall.
func (a Alert) Mark() time.Time { return message.Mark(a.First, a.ID) }

// Observe has messages sent of those changes of which the customer wants to be notified. It may be
// given a poll twice.
func (a *Alerts) Observe(ctx context.Context, p watcher.Poll) error {
	return a.observe(ctx, p.CustomerID, p)
}

// teller tells an audience of changes. Its records belong to who has the audience: a customer, or a panel.
type teller struct {
	cfg Config
	*notify.Topic[delivery]
	// told returns who is told on behalf of an owner, and of what: of nothing if Settings has no bots.
	told func(ctx context.Context, owner string) (audience, error)
}

// newTeller adds a topic of alerts. Those of an owner take turns with those of others.
func newTeller(c Config, told func(context.Context, string) (audience, error), topic notify.Topic[delivery]) *teller {
	t := &teller{cfg: c, told: told}
	topic.Format, topic.Next = format, t.next
	topic.Delivery = func(d *delivery) *notify.Delivery { return &d.Delivery }
	t.Topic = notify.Add(c.DMs, topic)
	return t
}

// audience is who is told of which bots.
type audience struct {
	Settings
	userID, channelID string // one of both
	draw              func(a Alert, locale string) interaction.Message
}

// observe has messages sent of those changes of which an owner's audience is to be told.
func (t *teller) observe(ctx context.Context, owner string, p watcher.Poll) error {
	var concern []watcher.Change
	for _, c := range p.Changes {
		if c.Unexpected || slices.Contains([]hostapi.State{hostapi.StateRunning, hostapi.StateStopped, history.Gone}, c.To) {
			concern = append(concern, c)
		}
	}
	if len(concern) == 0 {
		return nil
	}
	for range changeAttempts {
		err := t.change(ctx, owner, concern)
		if !errors.Is(err, record.ErrConflict) {
			return err
		}
	}
	// A later version of the program has written what is there, and tells of the change itself.
	t.cfg.Log.Warn().Str("user", p.CustomerID).Msg("an alert cannot be changed")
	return nil
}

// Redraw has owners' messages drawn once more that tell of bots which are down, as there is more to say. Those of
// which a message is yet to tell are due by what is known now.
func (t *teller) Redraw(ctx context.Context, owners []string) error {
	var due []string
	for _, owner := range owners {
		known, err := t.Records.Of(ctx, owner)
		if err != nil {
			return err
		}
		for _, r := range known {
			if d := &r.Value; !d.over() || !d.begun() || d.again(Settings{}, time.Now()) != record.Never {
				due = append(due, r.ID)
			}
		}
	}
	err := t.Records.Schedule(ctx, due...)
	t.Wake(ctx, due...)
	return err
}

// changeAttempts is how often a change of an owner's alerts is tried that meets others.
const changeAttempts = 10

// change changes the alerts of an owner. The error is record.ErrConflict if somebody else does so at
// the same time.
func (t *teller) change(ctx context.Context, owner string, changed []watcher.Change) error {
	to, err := t.told(ctx, owner)
	settings := to.Settings
	if err != nil || !settings.Any() {
		return err
	}
	known, err := t.Records.Of(ctx, owner)
	if err != nil {
		return err
	}
	n := &changes{owner: owner, settings: settings, known: known, changed: make(map[*record.Record[delivery]]bool), notify: t.cfg.Notify}
	for _, c := range changed { // who is back first, so that no fall joins an alert that is over
		if settings.For(c.ServerID) && !c.Unexpected {
			n.ended(c)
		}
	}
	for _, c := range changed {
		if settings.For(c.ServerID) && c.Unexpected {
			n.fell(c)
		}
	}
	n.join()
	return t.save(ctx, n)
}

// save saves what changes have made of an owner's alerts. The new one comes first: whoever is
// told of the same changes once more finds it.
func (t *teller) save(ctx context.Context, n *changes) error {
	var due []string
	if len(n.fallen) > 0 {
		alert := Alert{ID: n.fallen[0].Last, First: n.fallen[0].DownAt, Bots: n.fallen}
		r := t.Records.New(n.owner+"/"+alert.ID, n.owner)
		r.Value.Alert, r.Life = alert, openFor
		if err := t.Records.Save(ctx, r, 0); err != nil {
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
		if err := t.Records.Save(ctx, r, after); err != nil {
			return err
		}
	}
	t.Wake(ctx, due...)
	return nil
}

// nameOf names a fall, whichever process sees it. Each owner's messages have names of their own.
func nameOf(owner string, c watcher.Change) string {
	return keyspace.Hash(owner+"/"+c.ServerID+"/"+c.Left(), nonceLength)
}

// changes are what a poll makes of the alerts of an owner.
type changes struct {
	owner    string
	settings Settings
	notify   time.Duration // see Config
	known    []*record.Record[delivery]
	// changed are those of known that are other than before, by whether their messages show
	// something else now.
	changed map[*record.Record[delivery]]bool
	fallen  []Outage // of which a new alert tells
}

// ended notes a bot that runs, or that is down as somebody wants it to be. One that is gone will never be
// back: an alert of several tells of the others alone.
func (n *changes) ended(c watcher.Change) {
	if c.To == history.Gone {
		n.drop(c.ServerID)
	}
	for r, o := range n.open(c.ServerID) {
		switch back := c.To == hostapi.StateRunning; {
		case !back && o.RecoveredAt.IsZero() && !r.Value.begun() && n.settings.due(*o).After(o.DownAt): // nobody need be notified any more
			o.Elsewhere = true
			n.touch(r, true)
		case !o.RecoveredAt.IsZero(), !back && o.Notify.IsZero():
		case back:
			o.returned(c)
			n.touch(r, true)
		default:
			o.Notify = time.Time{}
			n.touch(r, false)
		}
	}
}

// drop has no alert of several bots tell of one any more.
func (n *changes) drop(serverID string) {
	for _, r := range n.known {
		is := func(o Outage) bool { return o.ServerID == serverID }
		if len(r.Value.Bots) > 1 && !r.Value.over() && slices.ContainsFunc(r.Value.Bots, is) {
			r.Value.Bots = slices.DeleteFunc(r.Value.Bots, is)
			n.touch(r, true)
		}
	}
}

// fell notes the fall of a bot for which alerts are on.
func (n *changes) fell(c watcher.Change) {
	name := nameOf(n.owner, c)
	if r, o := n.telling(name); r != nil { // it is told of again
		if !o.Elsewhere {
			n.leave(c.ServerID, r)
		}
		return
	}
	muted := n.settings.MutedUntil(c.ServerID, c.At).After(c.At)
	var next Outage
	for r, o := range n.open(c.ServerID) {
		if !o.another(c.At) || muted && o.recent(c.At) {
			n.again(r, o, c, muted)
			return
		}
		if o.recent(c.At) {
			next = Outage{Count: o.Count, FirstDown: r.Value.Since(*o), Before: o.Before, DownAt: o.DownAt}
		}
	}
	if muted {
		return
	}
	n.leave(c.ServerID, nil)
	next.fall(c, name)
	n.fallen = append(n.fallen, next)
}

// again notes a further fall of which an edit tells. Another message notifies the customer of it later
// if the bot stays down, or at once if the last fall is no news any more.
func (n *changes) again(r *record.Record[delivery], o *Outage, c watcher.Change, muted bool) {
	notify, quiet := c.At.Add(max(n.notify, n.settings.Delay)), o.Quiet || muted
	if c.At.Sub(o.DownAt).Abs() >= QuietFor {
		notify = c.At
	}
	o.fall(c, nameOf(n.owner, c))
	if !quiet && r.Value.Sent && o.Notify.IsZero() {
		o.Notify = notify
	}
	n.touch(r, true)
}

// join has an alert of bots that have just fallen tell of those as well that fall for the first time
// now. If another message tells of one of them, it tells of all. What is to wait joins what waits for the same time.
func (n *changes) join() {
	if len(n.fallen) == 0 {
		return
	}
	due := n.settings.due(n.fallen[0])
	waits := due.After(n.fallen[0].DownAt)
	if !waits && slices.ContainsFunc(n.fallen, func(o Outage) bool { return o.Count > 1 }) {
		return
	}
	var open *record.Record[delivery]
	for _, r := range n.known { // the latest, whoever looks for it
		fits := !waits && r.Value.joins(n.fallen) || waits && !r.Value.begun() && n.settings.due(r.Value.Bots[0]).Sub(due).Abs() < joinFor
		if fits && (open == nil || r.Value.First.After(open.Value.First)) {
			open = r
		}
	}
	if open == nil {
		return
	}
	for _, o := range n.fallen {
		if open.Value.Sent {
			o.Notify = o.DownAt.Add(n.notify)
		}
		open.Value.Bots = append(open.Value.Bots, o)
	}
	n.fallen = nil
	n.touch(open, true)
}

// touch notes that an alert is other than before, and whether its message shows something else now.
func (n *changes) touch(r *record.Record[delivery], shows bool) { n.changed[r] = n.changed[r] || shows }

// open yields where alerts tell how a bot fares.
func (n *changes) open(serverID string) iter.Seq2[*record.Record[delivery], *Outage] {
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
func (n *changes) leave(serverID string, but *record.Record[delivery]) {
	for r, o := range n.open(serverID) {
		if r != but {
			o.Elsewhere = true
			n.touch(r, !r.Value.over()) // one that is over stays what it was
		}
	}
}

// telling returns the alert that tells of a fall with a name; nil if there is none.
func (n *changes) telling(name string) (*record.Record[delivery], *Outage) {
	for _, r := range n.known {
		for i := range r.Value.Bots {
			if o := &r.Value.Bots[i]; o.Last == name {
				return r, o
			}
		}
	}
	return nil, nil
}
