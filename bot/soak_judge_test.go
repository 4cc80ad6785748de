package bot_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"hostbot/bot/discordtest"
)

// judge looks whether every promise was kept.
func (s *soak) judge(t *testing.T) {
	entries := s.actionEntries(t)
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, stray := range s.strays {
		t.Error(stray)
	}
	for bot, l := range s.ledgers {
		if n := s.executed[bot]; n < l.done || n > l.done+l.unconfirmed+l.unseen {
			t.Errorf("%s: the service carried out %d actions, customers know of %+v", bot, n, l)
		}
		told := l.done + l.failed + l.unconfirmed
		if n := entries[bot]; n < told || n > told+l.unseen {
			t.Errorf("%s: staff read of %d actions, customers know of %+v", bot, n, l)
		}
	}
	owner := make(map[string]string)
	for _, c := range s.customers {
		for _, bot := range c.bots {
			owner[bot] = c.user.ID
		}
	}
	for _, r := range s.service.Requests() {
		if r.ServerID != "" && owner[r.ServerID] != r.UserID {
			t.Errorf("%s was asked for %s's bot %s", r.Operation, r.UserID, r.ServerID)
		}
	}
}

// actionEntries waits until the log channel has what customers know of, and
// returns how many actions staff read of, by bot.
func (s *soak) actionEntries(t *testing.T) map[string]int {
	s.mu.Lock()
	expected := 0
	for _, l := range s.ledgers {
		expected += l.done + l.failed + l.unconfirmed
	}
	s.mu.Unlock()
	count := func() (map[string]int, int) {
		entries, sum := make(map[string]int), 0
		for _, e := range s.channel.Embeds() {
			if bot := botOf(e); bot != "" {
				entries[bot]++
				sum++
			}
		}
		return entries, sum
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	for ctx.Err() == nil {
		if _, sum := count(); sum >= expected {
			break
		}
		pause(ctx, 500*time.Millisecond)
	}
	pause(ctx, 5*time.Second) // in which what is told twice would come
	entries, _ := count()
	return entries
}

// botOf returns the bot of an action's entry, or "".
func botOf(e discordtest.Embed) string {
	if !strings.HasPrefix(e.Title, "✅") && !strings.HasPrefix(e.Title, "❌") && !strings.HasPrefix(e.Title, "⚠️") {
		return ""
	}
	for _, f := range e.Fields {
		if f.Name == "Bot" {
			_, id, _ := strings.Cut(f.Value, "`")
			return strings.TrimSuffix(id, "`")
		}
	}
	return ""
}

// String says what happened, in figures.
func (s *soak) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var sum ledger
	executed := 0
	for bot, l := range s.ledgers {
		sum.done += l.done
		sum.failed += l.failed
		sum.unconfirmed += l.unconfirmed
		sum.unseen += l.unseen
		executed += s.executed[bot]
	}
	parts := []string{
		fmt.Sprintf("actions: %d done, %d failed, %d not confirmed, %d whose end Discord kept from the customer; %d carried out by the service",
			sum.done, sum.failed, sum.unconfirmed, sum.unseen, executed),
	}
	for _, ending := range slices.Sorted(maps.Keys(s.flows)) {
		parts = append(parts, fmt.Sprintf("%s: %d", ending, s.flows[ending]))
	}
	return strings.Join(parts, "; ") + fmt.Sprintf("; storms: %d", len(s.weather.storms))
}
