package alerts

import (
	"cmp"
	"slices"
	"time"

	"hostbot/bot/watch/history"
	"hostbot/bot/watch/watcher"
	"hostbot/hostapi"
)

// Over reports whether the bot runs again, or a later alert tells how it fares.
func (o Outage) Over() bool { return o.Elsewhere || !o.RecoveredAt.IsZero() }

// Keeps reports whether the bot keeps falling: it fell for the third time in QuietFor, and has not run
// for as long since.
func (o Outage) Keeps() bool {
	return o.Quiet || len(o.Before) >= mostFalls-1 && o.DownAt.Sub(o.Before[0]).Abs() < QuietFor
}

// Since returns when a bot of the alert fell for the first of Count times.
func (a Alert) Since(o Outage) time.Time {
	if o.FirstDown.IsZero() { // it is from before there was that field
		return a.First
	}
	return o.FirstDown
}

// recent reports whether a fall follows so soon on the last that both are counted together: the bot has
// not run since, or not for QuietFor.
func (o Outage) recent(at time.Time) bool {
	return o.RecoveredAt.IsZero() || at.Sub(o.RecoveredAt) < QuietFor
}

// another reports whether another alert is to tell of a further fall. An edit is to if the bot was not
// back, or if nobody is notified as it keeps falling or the program restarts it.
func (o Outage) another(at time.Time) bool {
	return !o.RecoveredAt.IsZero() && (!o.Quiet && !o.quietly() || !o.recent(at))
}

// over reports whether no bot is left whose recovery the alert is to tell.
func (a Alert) over() bool {
	return !slices.ContainsFunc(a.Bots, func(o Outage) bool { return !o.Over() })
}

// joins reports whether an alert tells of bots as well that have fallen, for the first time: soon after
// those of which it tells. A bot that keeps falling says nothing of others.
func (a Alert) joins(fallen []Outage) bool {
	isSoon := func(o Outage) bool { return !o.Quiet && fallen[0].DownAt.Sub(o.DownAt).Abs() < joinFor }
	fellAgain := func(o Outage) bool {
		return slices.ContainsFunc(fallen, func(f Outage) bool { return f.ServerID == o.ServerID })
	}
	return slices.ContainsFunc(a.Bots, isSoon) && !slices.ContainsFunc(a.Bots, fellAgain) && !a.over()
}

// fall notes a fall with a name.
func (o *Outage) fall(c watcher.Change, name string) {
	if o.Count == 0 {
		o.FirstDown = c.At
	} else {
		o.Before = append(o.Before, o.DownAt)
		o.Before = slices.Clone(o.Before[max(0, len(o.Before)-mostFalls+1):])
	}
	if !o.RecoveredAt.IsZero() { // of that nobody need be notified any more
		o.Notify = time.Time{}
	}
	if !o.RecoveredAt.IsZero() || o.DownSince.IsZero() {
		o.DownSince = c.At
	}
	o.ServerID, o.Last, o.Name, o.State = c.ServerID, name, cmp.Or(c.Name, o.Name), c.To
	o.DownAt, o.RecoveredAt = c.At, time.Time{}
	o.Uptime, o.AtLeast = 0, false
	o.Restarts, o.StaysDown, o.Pending = 0, false, 0
	if c.From == hostapi.StateRunning {
		o.Uptime, o.AtLeast = c.At.Sub(c.Since), c.AtLeast
		if !c.After.IsZero() && c.At.Sub(c.After) > unseenFor { // it may have run for any part of that
			o.Uptime, o.AtLeast = c.After.Sub(c.Since), true
		}
	}
	o.Count++
}

// returned notes that the bot runs again, and when another message tells of that.
func (o *Outage) returned(c watcher.Change) {
	o.RecoveredAt, o.Notify = history.Later(c.At, o.DownAt), time.Time{}
	switch acted := !c.Acted.Before(o.DownAt.Truncate(time.Second)); { // as Acted has whole seconds
	case acted && o.short():
	case o.Keeps():
		o.Notify = o.RecoveredAt.Add(QuietFor)
	default:
		o.Notify = o.RecoveredAt.Add(joinFor)
	}
}

// short reports whether the bot was back soon.
func (o Outage) short() bool { return o.RecoveredAt.Sub(o.DownAt) <= shortFall }

// Mended reports whether the bot runs again as the program has restarted it by itself.
func (o Outage) Mended() bool { return !o.RecoveredAt.IsZero() && o.Restarts > 0 && !o.StaysDown }

// quietly reports whether it is, and the customer need not be notified of that.
func (o Outage) quietly() bool { return o.Mended() && o.Silent }

// waits returns for how long another message that tells of a bot's fall or recovery is yet to wait; false if
// none is to. A recovery waits for those of the other bots. None notifies in the quiet hours.
func (a Alert) waits(s Settings, o Outage, now time.Time) (time.Duration, bool) {
	if o.Notify.IsZero() || o.Elsewhere {
		return 0, false
	}
	if o.Pending > 0 {
		return o.Pending, true
	}
	at := history.Later(now, o.Notify)
	if !o.RecoveredAt.IsZero() && !o.Keeps() && a.over() {
		at = now
	}
	return s.Quiet.end(at).Sub(now), true
}
