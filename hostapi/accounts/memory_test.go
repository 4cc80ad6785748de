package accounts

import (
	"strconv"
	"testing"
	"time"
)

func TestMemoryIsBounded(t *testing.T) {
	l := limits{fresh: 30 * time.Second, keep: time.Hour, patience: 30 * time.Second}
	m := newMemory()
	get := func(userID string) entry { return m.over(userID, found{unread: true}).entry }
	store := func(userID string, at time.Time, expired bool) entry {
		return m.change(userID, found{unread: true}, "", at, l, func(entry) (entry, bool) {
			return entry{answer: &answer{at: at}, expired: expired}, true
		}).entry
	}
	for i := range maxRemembered {
		store(strconv.Itoa(i), noon, i == 1)
	}
	if e := store("one more", noon, false); e.answer == nil {
		t.Error("where there is no room it is not returned either")
	}
	if len(m.entries) != maxRemembered || get("one more").answer != nil {
		t.Errorf("%d accounts are kept", len(m.entries))
	}
	if !get("1").expired {
		t.Error("that an account is to be asked for again is dropped while Redis may hold it as fresh")
	}
	store("0", noon.Add(time.Second), false)
	if e := get("0"); e.answer == nil || !e.answer.at.Equal(noon.Add(time.Second)) {
		t.Error("what is known is not changed where there is no room")
	}
	store("one more", noon.Add(l.fresh), false)
	if get("one more").answer == nil || len(m.entries) != 2 { // it and "0" are fresh
		t.Errorf("%d accounts are kept when the others are old", len(m.entries))
	}
}

func TestMemoryKeepsNothingThatDidNotChange(t *testing.T) {
	m := newMemory()
	base := found{entry: entry{expired: true}}
	if f := m.change("1", base, "", noon, limits{}, func(e entry) (entry, bool) { return e, false }); !f.entry.expired || len(m.entries) != 0 {
		t.Error("what is not to be changed is kept")
	}
	if known := m.forget("1"); known {
		t.Error("what was never there is forgotten")
	}
}

// One writes to Redis what another in the process has changed meanwhile.
func TestMemoryKeepsWhatChangedWhileItWasWritten(t *testing.T) {
	m := newMemory()
	change := func(token string) found {
		return m.change("1", found{stamp: "s"}, "", noon, limits{}, func(e entry) (entry, bool) { return e.claimed(token, noon, limits{}), true })
	}
	written := change("first")
	change("second")
	m.settle("1", written.pending)
	if e := m.over("1", found{stamp: "s"}).entry; !e.held("second") {
		t.Errorf("there is %+v", e)
	}
}
