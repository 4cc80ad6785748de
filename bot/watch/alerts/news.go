package alerts

import (
	"iter"
	"slices"
	"time"

	"hostbot/bot/store/record"
	"hostbot/bot/watch/history"
	"hostbot/bot/watch/watcher"
	"hostbot/hostapi"
)

// news is what changes make of the alerts of a customer.
type news struct {
	settings Settings
	notify   time.Duration // see Timing
	known    []*record.Record[delivery]
	// changed are those of known that are other than before, by whether their messages show
	// something else now.
	changed map[*record.Record[delivery]]bool
	fallen  []Outage // of which a new alert tells
}

// ended notes a bot that runs, or that is down as somebody wants it to be. One that is gone will never be
// back: an alert of several tells of the others alone.
func (n *news) ended(c watcher.Change) {
	if c.To == history.Gone {
		n.drop(c.ServerID)
	}
	for r, o := range n.open(c.ServerID) {
		switch back := c.To == hostapi.StateRunning; {
		case !o.RecoveredAt.IsZero(), !back && o.Notify.IsZero():
		case back:
			o.RecoveredAt, o.Notify = latest(c.At, o.DownAt), time.Time{}
			n.touch(r, true)
		default:
			o.Notify = time.Time{}
			n.touch(r, false)
		}
	}
}

// drop has no alert of several bots tell of one any more.
func (n *news) drop(serverID string) {
	for _, r := range n.known {
		is := func(o Outage) bool { return o.ServerID == serverID }
		if len(r.Value.Bots) > 1 && !r.Value.over() && slices.ContainsFunc(r.Value.Bots, is) {
			r.Value.Bots = slices.DeleteFunc(r.Value.Bots, is)
			n.touch(r, true)
		}
	}
}

// fell notes the fall of a bot for which alerts are on.
func (n *news) fell(c watcher.Change) {
	name := nameOf(c)
	if r, o := n.telling(name); r != nil { // it is told of again
		if !o.Elsewhere {
			n.leave(c.ServerID, r)
		}
		return
	}
	muted := n.settings.MutedUntil(c.ServerID, c.At).After(c.At)
	var next Outage
	for r, o := range n.open(c.ServerID) {
		if !o.anew(c.At) || muted && o.recent(c.At) {
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
func (n *news) again(r *record.Record[delivery], o *Outage, c watcher.Change, muted bool) {
	notify, quiet := c.At.Add(n.notify), o.Quiet || muted
	if c.At.Sub(o.DownAt).Abs() >= QuietFor {
		notify = c.At
	}
	o.fall(c, nameOf(c))
	if !quiet && r.Value.Sent && o.Notify.IsZero() {
		o.Notify = notify
	}
	n.touch(r, true)
}

// join has an alert of bots that have just fallen tell of those as well that fall for the first time
// now. Whoever is to be told of another bot anew is told of these with it.
func (n *news) join() {
	for _, o := range n.fallen {
		if o.Count > 1 {
			return
		}
	}
	var open *record.Record[delivery]
	for _, r := range n.known { // the latest, whoever looks for it
		if len(n.fallen) > 0 && r.Value.joins(n.fallen) && (open == nil || r.Value.First.After(open.Value.First)) {
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
			n.touch(r, !r.Value.over()) // one that is over stays what it was
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
