package logchannel

import (
	"cmp"
	"maps"
	"slices"
	"time"
)

// maxCounters is how many messages are remembered that may go on counting.
const maxCounters = 10

// counter is a message with errors that are counted by editing it.
type counter struct {
	Message string    `json:"message"`
	Created time.Time `json:"created"` // or somewhat later
	Edited  time.Time `json:"edited"`
	Slots   []slot    `json:"slots"`
}

// counterOf returns the index of the message that counts errors of a fold, or
// -1. It is one that may be edited freely: Discord limits edits of what is more
// than an hour old.
func (s state) counterOf(fold string, now time.Time, lifetime time.Duration) int {
	for i, c := range slices.Backward(s.Counters) {
		if now.Sub(c.Created) < lifetime && indexOf(c.Slots, fold) >= 0 {
			return i
		}
	}
	return -1
}

// slots returns those of the message that counts, or none.
func (s state) slots(message string) []slot {
	for _, c := range s.Counters {
		if c.Message == message {
			return c.Slots
		}
	}
	return nil
}

// without returns the state without the counter of a message, which is gone.
func (s state) without(message string) state {
	s.Counters = slices.DeleteFunc(slices.Clone(s.Counters), func(c counter) bool { return c.Message == message })
	return s
}

// indexOf returns the index of the slot that counts errors of a fold, or -1.
func indexOf(slots []slot, fold string) int {
	if fold == "" {
		return -1
	}
	return slices.IndexFunc(slots, func(s slot) bool { return s.Fold == fold })
}

// maxKinds is how many kinds of errors a summary tells apart.
const maxKinds = 15

// summary stands for the oldest errors where too much was waiting.
type summary struct {
	Tally tally          `json:"tally"`
	Kinds map[string]int `json:"kinds"` // by Fold, or by title where there is none
	Other int            `json:"other"` // of further kinds
}

// copy returns a summary to add to; s may be nil.
func (s *summary) copy() *summary {
	if s == nil {
		return &summary{Kinds: make(map[string]int)}
	}
	return &summary{Tally: s.Tally, Kinds: maps.Clone(s.Kinds), Other: s.Other}
}

func (s *summary) add(r record) {
	s.Tally.add(r.Tally)
	kind := cmp.Or(r.Fold, r.Embed.Title)
	if _, known := s.Kinds[kind]; !known && len(s.Kinds) >= maxKinds {
		s.Other += r.Tally.Count
		return
	}
	s.Kinds[kind] += r.Tally.Count
}
