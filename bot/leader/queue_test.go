package leader

import (
	"slices"
	"strings"
	"testing"
	"time"
)

func at(seconds int) time.Time { return time.Unix(1_000_000+int64(seconds), 0) }

// drain hands out all that is due, without an end to the work on it.
func drain(q *queue, now time.Time) (ids []string) {
	for q.ready(now) {
		ids = append(ids, q.next())
	}
	return ids
}

func wantNext(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: %q, want %q", what, got, want)
	}
}

func TestQueueHandsOutWhatIsDue(t *testing.T) {
	q := newQueue(nil)
	q.set("late", at(3))
	q.set("early", at(1))
	q.set("moved", at(9))
	q.set("moved", at(2))
	wantNext(t, "before all", drain(q, at(0)))
	if got := q.until(); got != at(1) {
		t.Errorf("the first is due at %v", got)
	}
	wantNext(t, "in time", drain(q, at(2)), "early", "moved")
	wantNext(t, "later", drain(q, at(5)), "late")
}

func TestQueueHandsNothingOutTwice(t *testing.T) {
	q := newQueue(nil)
	q.set("a", at(0))
	q.set("a", at(0))
	wantNext(t, "added twice", drain(q, at(0)), "a")
	q.set("a", at(0))
	wantNext(t, "while it is worked on", drain(q, at(1)))
	q.done("a", time.Time{}, at(1))
	wantNext(t, "after that", drain(q, at(9)))

	q.set("a", at(10))
	_ = drain(q, at(10))
	q.wake("a", at(11))
	wantNext(t, "woken while it is worked on", drain(q, at(11)))
	q.done("a", at(99), at(12))
	wantNext(t, "woken, after that", drain(q, at(12)), "a")
	q.done("a", at(20), at(13))
	wantNext(t, "too early", drain(q, at(19)))
	wantNext(t, "when it said", drain(q, at(20)), "a")
}

func TestQueueLinesTakeTurns(t *testing.T) {
	q := newQueue(func(id string) string { line, _, _ := strings.Cut(id, "/"); return line })
	for i, id := range []string{"a/1", "a/2", "a/3", "b/1", "c/1", "b/2"} {
		q.set(id, at(i))
	}
	wantNext(t, "all", drain(q, at(9)), "a/1", "b/1", "c/1", "a/2", "b/2", "a/3")
}

// TestQueueLeavesAloneWhatWasReadTooEarly: Redis's answer tells of the time before the work.
func TestQueueLeavesAloneWhatWasReadTooEarly(t *testing.T) {
	q := newQueue(nil)
	q.set("a", at(0))
	_ = drain(q, at(0))
	q.done("a", time.Time{}, at(5))
	q.merge(at(4), found{due: map[string]time.Time{"a": at(0), "b": at(0)}})
	wantNext(t, "read before", drain(q, at(6)), "b")
	q.merge(at(6), found{due: map[string]time.Time{"a": at(7)}})
	wantNext(t, "read after", drain(q, at(7)), "a")
}

// TestWaitingForOthersDoesNotSpin: what is due, and cannot begin before others have ended, has nobody look
// for it again and again.
func TestWaitingForOthersDoesNotSpin(t *testing.T) {
	l := &Leader{kinds: []*Kind{{Name: "things", AtOnce: 1}}}
	full := newTerm(l)
	full.queues[0].running = 1
	alone := newTerm(l)
	alone.alone, alone.inflight["things b"] = &work{id: "c"}, true
	for name, term := range map[string]*term{"as many as may work": full, "one that is to be alone": alone} {
		term.queues[0].set("a", time.Now().Add(-time.Second))
		if wait := term.begin(t.Context()); wait != idle {
			t.Errorf("%s: it looks again in %v", name, wait)
		}
	}
}
