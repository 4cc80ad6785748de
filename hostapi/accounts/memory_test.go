package accounts

import (
	"strconv"
	"testing"
	"time"
)

func TestMemoryIsBounded(t *testing.T) {
	l := limits{fresh: 30 * time.Second, keep: time.Hour, patience: 30 * time.Second}
	m := newMemory()
	store := func(userID string, at time.Time) entry {
		return m.change(userID, entry{}, at, l, func(entry) (entry, bool) { return entry{answer: &answer{at: at}}, true })
	}
	for i := range maxRemembered {
		store(strconv.Itoa(i), noon)
	}
	if e := store("one more", noon); e.answer == nil {
		t.Error("where there is no room it is not returned either")
	}
	if len(m.entries) != maxRemembered || m.get("one more").answer != nil {
		t.Errorf("%d accounts are kept", len(m.entries))
	}
	store("0", noon.Add(time.Second))
	if e := m.get("0"); e.answer == nil || !e.answer.at.Equal(noon.Add(time.Second)) {
		t.Error("what is known is not changed where there is no room")
	}
	store("one more", noon.Add(l.fresh))
	if m.get("one more").answer == nil || len(m.entries) != 2 { // it and "0" are fresh
		t.Errorf("%d accounts are kept when the others are old", len(m.entries))
	}
}

func TestMemoryKeepsNothingThatDidNotChange(t *testing.T) {
	m := newMemory()
	base := entry{expired: true}
	if e := m.change("1", base, noon, limits{}, func(e entry) (entry, bool) { return e, false }); !e.expired || len(m.entries) != 0 {
		t.Error("what is not to be changed is kept")
	}
	if known := m.forget("1"); known {
		t.Error("what was never there is forgotten")
	}
}
