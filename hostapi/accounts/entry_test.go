package accounts

import (
	"context"
	"errors"
	"testing"
	"time"

	"hostbot/hostapi"
)

func TestWhatIsDoneForOneWhoAsks(t *testing.T) {
	l := limits{fresh: 30 * time.Second, keep: time.Hour, patience: 20 * time.Second}
	known := entry{answer: &answer{at: noon}}
	down := hostapi.Interrupted(context.Background(), hostapi.OpList)
	failed := entry{}.claimed("t", noon, l).ended(hostapi.List{}, down, noon, l)
	for _, test := range []struct {
		name  string
		entry entry
		after time.Duration
		want  step
	}{
		{"nothing is known", entry{}, 0, askService},
		{"fresh", known, l.fresh - 1, showAnswer},
		{"fresh, by a clock that is ahead", known, -time.Second, showAnswer},
		{"old", known, l.fresh, askService},
		{"expired", known.outdated(), 0, askService},
		{"claimed", known.claimed("t", noon, l), l.patience, showAnswer},
		{"old and claimed", entry{}.claimed("t", noon, l), l.patience - 1, await},
		{"claimed by one who died", entry{}.claimed("t", noon, l), l.patience, askService},
		{"claimed by a clock that is far ahead", entry{}.claimed("t", noon, l), -time.Hour, askService},
		{"claimed and expired", known.claimed("t", noon, l).outdated(), minGap, askService},
		{"expired right after a call", known.claimed("t", noon, l).outdated(), minGap - 1, await},
		{"given up right after it began", entry{}.claimed("t", noon, l).ended(hostapi.List{}, context.Canceled, noon, l), minGap - 1, await},
		{"failed", failed, firstHold - 1, showFailure},
		{"failed a while ago", failed, firstHold, askService},
		{"failed and expired", failed.outdated(), minGap, askService},
		{"failed, by a clock that is far ahead", failed, -time.Hour, askService},
	} {
		if got := test.entry.next(noon.Add(test.after), l); got != test.want {
			t.Errorf("%s: step %d, want %d", test.name, got, test.want)
		}
	}
}

func TestTheHoldAfterFailuresGrows(t *testing.T) {
	l := limits{fresh: 10 * time.Second, keep: time.Hour, patience: 20 * time.Second}
	now, e := noon, entry{}
	fail := func() time.Duration {
		e = e.claimed("t", now, l).ended(hostapi.List{}, errors.New("down"), now, l)
		hold := e.failure.until.Sub(now)
		now = e.failure.until
		return hold
	}
	for i, want := range []time.Duration{1, 2, 4, 8, 10, 10} {
		if got := fail(); got != want*time.Second {
			t.Errorf("after failure %d: %v, want %d s", i+1, got, want)
		}
	}
	now = now.Add(l.fresh)
	if got := fail(); got != time.Second {
		t.Errorf("long after the others: %v", got)
	}
	fail()
	e = e.claimed("t", now, l).ended(hostapi.List{}, nil, now, l)
	if got := fail(); got != time.Second {
		t.Errorf("after a success: %v", got)
	}
	l.fresh = time.Millisecond
	if got := fail(); got != l.fresh {
		t.Errorf("where accounts are fresh for %v only: %v", l.fresh, got)
	}
}

func TestAFailureIsRepeatedWithWhatIsLeftOfItsRetryAfter(t *testing.T) {
	l := limits{fresh: 30 * time.Second, keep: time.Hour, patience: 20 * time.Second}
	said := &hostapi.Error{Code: hostapi.CodeRateLimited, Op: hostapi.OpList, Status: 429, Detail: "slow", RetryAfter: 5 * time.Second}
	e := entry{}.claimed("t", noon, l).ended(hostapi.List{}, said, noon, l)
	for after, left := range map[time.Duration]time.Duration{0: 5 * time.Second, 2 * time.Second: 3 * time.Second, 9 * time.Second: 0} {
		_, err := e.outcome(showFailure, noon.Add(after))
		var got *hostapi.Error
		if !errors.As(err, &got) || got.RetryAfter != left || got.Status != 429 || got.Detail != "slow" {
			t.Errorf("after %v: %#v", after, err)
		}
	}
	if said.RetryAfter != 5*time.Second {
		t.Error("the service's error was changed")
	}
}
