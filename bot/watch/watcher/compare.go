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

// known returns of which bots something is known.
func (a *account) known() map[string]history.Standing {
	bots, polled := make(map[string]history.Standing), a.polledAt()
	for field, log := range a.fields {
		serverID, ok := strings.CutPrefix(field, history.FieldPrefix)
		if entries := history.Decode(log); ok && len(entries) > 0 {
			bots[serverID] = history.StandingOf(entries, polled)
		}
	}
	return bots
}

// seen is what a poll has shown that was not known before.
type seen struct {
	added   map[string]string // to the logs, by bot; nothing for one that is forgotten
	changes []Change
}

// compare returns what is new in a poll.
//
// Right after a customer had one bot looked at, a poll shows the list from before, with
// that bot as it was seen then. So each bot's change has a time of its own.
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
			From: former.State, To: hostapi.StateOf(server.Status), Since: former.Since, AtLeast: former.AtLeast, After: before, At: poll.Seen(server.ID),
		}
		w.judge(&change, a.fields[notePrefix+server.ID])
		s.note(change, former.Logged, gap)
	}
	for serverID, former := range known {
		switch {
		case listed[serverID], poll.List.Missing() > 0: // it may be among those that the list does not tell of
		case former.Logged != history.Gone:
			s.note(Change{CustomerID: a.customerID, ServerID: serverID, From: former.State, To: history.Gone, Since: former.Since, After: before, At: poll.FetchedAt}, former.Logged, gap)
		case former.State == history.Gone && poll.FetchedAt.Sub(former.Since) > history.KeptFor:
			s.added[serverID] = ""
		}
	}
	return s
}

// note notes a bot's state: in its log, where logged is the last state, if that is another one or
// if nobody looked for long, and as a change if it is news.
func (s *seen) note(c Change, logged hostapi.State, gap bool) {
	now := history.Entry{At: c.At, State: c.To}
	switch {
	case c.From == history.Unwatched || c.From == history.Gone: // the bot is new
		s.added[c.ServerID] = history.Encode(history.Entry{At: c.At, State: history.Unwatched}, now)
	case gap:
		s.added[c.ServerID] = history.Encode(history.Entry{At: c.After, State: history.Unwatched}, now)
	case logged != c.To:
		s.added[c.ServerID] = history.Encode(now)
	}
	if c.From != c.To && logged != c.To {
		s.changes = append(s.changes, c)
	}
}

// judge decides whether a change is a bot that stopped running unasked. A service may
// show a bot as stopped while it carries an action out. expected is the last action and
// its time, as NoteAction has noted it.
func (w *Watcher) judge(c *Change, expected string) {
	crashed := c.To.Broken() && !c.From.Broken()
	stopped := c.To == hostapi.StateStopped &&
		(c.From == hostapi.StateRunning || c.From == hostapi.StateStarting || c.From == hostapi.StateRestarting)
	if c.From == history.Unwatched || c.From == history.Gone || !crashed && !stopped {
		return
	}
	c.Unexpected = true
	action, at, _ := strings.Cut(expected, " ")
	seconds, err := strconv.ParseInt(at, 10, 64)
	over := time.Unix(seconds, 0).Add(w.Timing.GracePeriod)
	switch {
	case crashed, err != nil:
	case over.After(c.At.Add(2 * w.Timing.GracePeriod)): // a clock was wrong: it explains nothing
	case action == "stop": // unless the bot was seen to run after that
		c.Unexpected = c.After.After(over)
	case c.At.Before(over):
		c.To, c.Unexpected = hostapi.StateRestarting, false
	}
}
