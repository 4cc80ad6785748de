package watcher

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"hostbot/bot/history"
	"hostbot/hostapi"
	"hostbot/hostapi/accounts"
)

// seen is what a look has shown that was not known before.
type seen struct {
	added   map[string]string // to the logs, by bot; nothing for one that is forgotten
	changes []Change
}

// compare returns what is new in a look. The error is Redis's.
//
// Right after a customer had one bot looked at, a look shows the list from before, with
// that bot as it was seen then. So each bot's change has a time of its own.
func (w *Watcher) compare(ctx context.Context, r record, look accounts.Snapshot) (seen, error) {
	s, known, before := seen{added: make(map[string]string)}, r.known(), r.lookedAt()
	gap := !before.IsZero() && history.Gap(look.FetchedAt.Sub(before), w.Pace())
	listed := make(map[string]bool, len(look.List.Servers))
	for _, server := range look.List.Servers {
		listed[server.ID] = true
		former, ok := known[server.ID]
		if !ok {
			former.State = history.Unwatched
		}
		change := Change{
			CustomerID: r.customerID, ServerID: server.ID, Name: server.Name, Plan: server.PlanName,
			From: former.State, To: hostapi.StateOf(server.Status), Since: former.At, Longer: former.longer, After: before, At: look.Seen(server.ID),
		}
		if err := w.judge(ctx, &change); err != nil {
			return seen{}, err
		}
		s.note(change, gap)
	}
	for serverID, former := range known {
		switch {
		case listed[serverID]:
		case former.State != history.Gone:
			s.note(Change{CustomerID: r.customerID, ServerID: serverID, From: former.State, To: history.Gone, Since: former.At, After: before, At: look.FetchedAt}, gap)
		case look.FetchedAt.Sub(former.At) > history.KeptFor:
			s.added[serverID] = ""
		}
	}
	return s, nil
}

// note notes a bot's state: in its log where it is another one than before or where
// nobody looked for long, and as a change in the former case.
func (s *seen) note(c Change, gap bool) {
	now := history.Entry{At: c.At, State: c.To}
	switch {
	case c.From == history.Unwatched || c.From == history.Gone: // the bot is new
		s.added[c.ServerID] = history.Encode(history.Entry{At: c.At, State: history.Unwatched}, now)
	case gap:
		s.added[c.ServerID] = history.Encode(history.Entry{At: c.After, State: history.Unwatched}, now)
	case c.From != c.To:
		s.added[c.ServerID] = history.Encode(now)
	}
	if c.From != c.To {
		s.changes = append(s.changes, c)
	}
}

// judge decides whether a change is a bot that stopped running unasked. A service may
// show a bot as stopped while it carries an action out. Where Redis does not tell what was asked
// for, nothing is decided, and the error is Redis's.
func (w *Watcher) judge(ctx context.Context, c *Change) error {
	crashed := c.To.Broken() && !c.From.Broken()
	stopped := c.To == hostapi.StateStopped &&
		(c.From == hostapi.StateRunning || c.From == hostapi.StateStarting || c.From == hostapi.StateRestarting)
	if c.From == history.Unwatched || c.From == history.Gone || !crashed && !stopped {
		return nil
	}
	c.Unasked = true
	if crashed {
		return nil
	}
	text, err := w.Redis.HGet(ctx, history.AccountKey(c.CustomerID), expectPrefix+c.ServerID).Result()
	if err != nil && !errors.Is(err, redis.Nil) {
		return err
	}
	expected, ok := readExpectation(text)
	over := expected.at.Add(w.Timing.Settle)
	switch {
	case !ok:
	case expected.action == "stop": // unless the bot was seen to run after that
		c.Unasked = c.After.After(over)
	case c.At.Before(over):
		c.To, c.Unasked = hostapi.StateRestarting, false
	}
	return nil
}

// expectation is an action that was about to be sent to the service.
type expectation struct {
	action string
	at     time.Time
}

func (e expectation) encode() string { return e.action + " " + strconv.FormatInt(e.at.Unix(), 10) }

func readExpectation(text string) (expectation, bool) {
	action, at, _ := strings.Cut(text, " ")
	seconds, err := strconv.ParseInt(at, 10, 64)
	return expectation{action, time.Unix(seconds, 0)}, err == nil
}
