//go:build integration

package soak_test

import (
	"context"
	"regexp"
	"testing"
	"time"

	"hostbot/bot/testing/discordtest"
	"hostbot/bot/testing/e2e/world"
)

// deadLetter is what a process logs of what its leader cannot deal with.
const deadLetter = "it is a dead letter"

// judge looks whether every promise was kept.
func (s *soak) judge(t *testing.T) {
	entries := s.actionEntries(t)
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, stray := range s.strays {
		t.Error(stray)
	}
	if n := s.Log.Count(deadLetter); n > 0 {
		t.Errorf("there are %d dead letters", n)
	}
	for bot, l := range s.ledgers {
		if n := s.executed[bot]; n < l.done || n > l.done+l.unconfirmed+l.unseen {
			t.Errorf("%s: the service carried out %d actions, customers know of %+v", bot, n, l)
		}
		if n := s.executed[bot] - entries[bot]; n > 0 {
			t.Errorf("%s: staff did not read of %d actions that the service carried out", bot, n)
		}
		told := l.done + l.failed + l.unconfirmed
		if n := entries[bot]; n < told || n > told+l.unseen {
			t.Errorf("%s: staff read of %d actions, customers know of %+v", bot, n, l)
		}
	}
	for i, channel := range s.panels {
		if n := len(channel.Messages()); n > 1 {
			t.Errorf("the panel of %s is there %d times", s.customers[i].mark, n)
		}
	}
	owner := make(map[string]string)
	for _, c := range s.customers {
		for _, bot := range c.bots {
			owner[bot] = c.user.ID
		}
	}
	for _, r := range s.Service.Requests() {
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
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	for ctx.Err() == nil {
		s.read()
		if _, sum := s.counted(); sum >= expected {
			break
		}
		pause(ctx, 500*time.Millisecond)
	}
	pause(ctx, 5*time.Second) // in which what is told twice would come
	s.read()
	entries, _ := s.counted()
	return entries
}

// readAll reads what staff read, all the time: a channel forgets old messages.
func (s *soak) readAll(ctx context.Context) {
	for ctx.Err() == nil {
		s.read()
		pause(ctx, 5*time.Second)
	}
}

// actionEntry is what staff read of an action, with the bot's ID.
var actionEntry = regexp.MustCompile("(?:✅|❌|⚠️) (?s:.*)`(id-c[0-9]+-[0-9]+)`")

func (s *soak) read() {
	messages := s.Channel.Messages()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, m := range messages {
		var bots []string
		for _, entry := range world.Entries([]discordtest.View{m}) {
			if found := actionEntry.FindStringSubmatch(entry); found != nil {
				bots = append(bots, found[1])
			}
		}
		s.entries[m.ID] = bots
	}
}

// counted returns how many actions were read of, by bot, and in all.
func (s *soak) counted() (byBot map[string]int, sum int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	byBot = make(map[string]int)
	for _, bots := range s.entries {
		sum += len(bots)
		for _, bot := range bots {
			byBot[bot]++
		}
	}
	return byBot, sum
}
