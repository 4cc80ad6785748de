package watcher

import (
	"strconv"
	"strings"
	"time"

	"hostbot/bot/watch/history"
	"hostbot/hostapi"
	"hostbot/hostapi/accounts"
)

// polledAt returns when the last poll of an account was; zero before the first.
func (a *account) polledAt() time.Time {
	seconds, err := strconv.ParseInt(a.fields[history.FieldAt], 10, 64)
	if err != nil {
		return time.Time{}
	}
	return time.Unix(seconds, 0)
}

// known returns the bots that have a log.
func (a *account) known() map[string]history.Standing {
	bots, polled := make(map[string]history.Standing), a.polledAt()
	for field, log := range a.fields {
		if serverID, ok := strings.CutPrefix(field, history.FieldPrefix); ok && len(history.Decode(log)) > 0 {
			bots[serverID] = a.standing(serverID, polled)
		}
	}
	return bots
}

// standing returns the standing of a bot if the account was last polled at a time.
func (a *account) standing(serverID string, looked time.Time) history.Standing {
	return history.StandingOf(history.Decode(a.fields[history.Field(serverID)]), looked)
}

// seen is what is new in a poll.
type seen struct {
	added   map[string]string // what to append to the logs, by bot; "" removes a log
	changes []Change
}

// compare returns what is new in a poll. A bot that the account has no more is a change once that has lasted longer
// than hostapi.Blip, or at once if this program has deleted it.
//
// Right after a customer refreshed one bot, a poll shows the list from before, with that bot as it was seen then. So
// each bot's change has its own time.
func (w *Watcher) compare(a *account, poll accounts.Snapshot) seen {
	s, known, before := seen{added: make(map[string]string)}, a.known(), a.polledAt()
	gap := !before.IsZero() && history.Gap(poll.FetchedAt.Sub(before), w.Interval())
	listed := make(map[string]bool, len(poll.List.Servers))
	for _, server := range poll.List.Servers {
		listed[server.ID] = true
		former, ok := known[server.ID]
		if !ok {
			former.State, former.Logged = history.Unwatched, history.Unwatched
		}
		change := Change{
			CustomerID: a.customerID, ServerID: server.ID, Name: server.Name, Plan: server.PlanName,
			From: former.State, To: server.State(), Since: former.Since, AtLeast: former.AtLeast, After: before, At: poll.Seen(server.ID),
		}
		_, change.Acted = a.expected(server.ID)
		w.judge(&change, a)
		unseen := gap
		if at := restartedAt(change, poll.Notes[server.ID]); !at.IsZero() {
			s.restart(change, at, gap)
			change.Since, change.AtLeast, change.After, former.Logged = at, false, at, hostapi.StateRunning
			unseen = history.Gap(poll.FetchedAt.Sub(at), w.Interval())
		}
		s.log(change, former.Logged, unseen)
		if change.From != change.To && former.Logged != change.To {
			s.changes = append(s.changes, change)
		}
	}
	for serverID, former := range known {
		gone := Change{CustomerID: a.customerID, ServerID: serverID, From: former.State, To: history.Gone, Since: former.Since, After: before, At: poll.FetchedAt}
		switch {
		case listed[serverID]:
		case poll.List.Missing() > 0 && !a.deleted(serverID, poll.FetchedAt): // it may be among those that the list leaves out
		case former.Logged != history.Gone:
			s.log(gone, former.Logged, gap)
			if a.deleted(serverID, poll.FetchedAt) {
				s.changes = append(s.changes, gone)
			}
		case former.State == history.Gone:
			if poll.FetchedAt.Sub(former.Since) > history.KeptFor {
				s.added[serverID] = ""
			}
		case a.standing(serverID, poll.FetchedAt).State == history.Gone: // for longer than a blip, since this poll
			s.changes = append(s.changes, gone)
		}
	}
	return s
}

// restartedAt returns when this program has restarted a bot since the last poll, if the bot was running before and has
// a stable state now, which may be the same; otherwise zero. Actions that the service has refused are not noted
// (accounts.Cache.Acted).
func restartedAt(c Change, last accounts.Note) time.Time {
	since := last.At.After(c.After) && last.At.After(c.Since.Add(time.Second)) && last.At.Before(c.At)
	if c.From != hostapi.StateRunning || c.To.Moving() || last.Action == "" || last.Action == "stop" || !since {
		return time.Time{}
	}
	return last.At
}

// restart notes in a bot's log that it was restarted at a time, as the service has confirmed. It counts as running from
// then on, and as restarting for the second before, so that its history has two stretches.
func (s *seen) restart(c Change, at time.Time, gap bool) {
	entries := []history.Entry{{At: at.Add(-time.Second), State: hostapi.StateRestarting}, {At: at, State: hostapi.StateRunning}}
	if gap {
		entries = append([]history.Entry{{At: c.After, State: history.Unwatched}}, entries...)
	}
	s.added[c.ServerID] = history.Encode(entries...)
}

// log notes a bot's state in its log, if it differs from the last logged state, or after a gap.
func (s *seen) log(c Change, logged hostapi.State, gap bool) {
	now := history.Entry{At: c.At, State: c.To}
	switch {
	case c.From == history.Unwatched || c.From == history.Gone: // the bot is new
		s.added[c.ServerID] = history.Encode(history.Entry{At: c.At, State: history.Unwatched}, now)
	case gap:
		s.added[c.ServerID] += history.Encode(history.Entry{At: c.After, State: history.Unwatched}, now)
	case logged != c.To:
		s.added[c.ServerID] += history.Encode(now)
	}
}

// deleted reports whether this program has just deleted a bot.
func (a *account) deleted(serverID string, now time.Time) bool {
	action, at := a.expected(serverID)
	return action == "delete" && now.Sub(at).Abs() < hostapi.Blip
}

// expected returns the last action on a bot and its time, as NoteAction has noted it; "" and 1970 without one.
func (a *account) expected(serverID string) (action string, at time.Time) {
	action, text, _ := strings.Cut(a.fields[notePrefix+serverID], " ")
	seconds, _ := strconv.ParseInt(text, 10, 64)
	return action, time.Unix(seconds, 0)
}

// judge decides whether a bot has stopped unexpectedly. A service may show a bot as stopped while it carries an action
// out.
func (w *Watcher) judge(c *Change, a *account) {
	crashed := c.To.Broken() && !c.From.Broken()
	stopped := c.To == hostapi.StateStopped &&
		(c.From == hostapi.StateRunning || c.From == hostapi.StateStarting || c.From == hostapi.StateRestarting)
	if c.From == history.Unwatched || c.From == history.Gone || !crashed && !stopped {
		return
	}
	c.Unexpected = true
	action, at := a.expected(c.ServerID)
	over := at.Add(w.cfg.Timing.GracePeriod)
	switch {
	case action == "stop": // also if it crashed: what ignores a stop is killed, "exited (137)"
		c.Unexpected = c.After.After(over)
	case crashed:
	case c.At.Before(over):
		c.To, c.Unexpected = hostapi.StateRestarting, false
	}
}
