package store_test

import (
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"

	"hostbot/bot/store/lease"
	"hostbot/hostapi/redistest"
)

func TestOneHoldsTheLease(t *testing.T) {
	redistest.Each(t, func(t *testing.T, url string) {
		one, other := lease.New(redistest.Connect(t, url), "lease", "x"), lease.New(redistest.Connect(t, url), "lease", "x")
		holds := func(l *lease.Lease, lasts time.Duration) bool {
			t.Helper()
			held, err := l.Hold(t.Context(), lasts)
			if err != nil {
				t.Fatal(err)
			}
			return held
		}
		if !holds(one, time.Hour) || holds(other, time.Hour) {
			t.Error("not the first alone holds it")
		}
		if !holds(one, time.Hour) {
			t.Error("its holder cannot renew it")
		}
		_ = other.Release(t.Context()) // what it does not hold
		if holds(other, time.Hour) {
			t.Error("another has released it")
		}
		_ = one.Release(t.Context())
		if !holds(other, time.Hour) || holds(one, time.Hour) {
			t.Error("the second does not hold what was released")
		}
	})
}

func TestLeaseThatIsNotRenewedEnds(t *testing.T) {
	server := miniredis.RunT(t)
	url := "redis://" + server.Addr()
	one, other := lease.New(redistest.Connect(t, url), "lease", "x"), lease.New(redistest.Connect(t, url), "lease", "x")
	for _, step := range []struct {
		after  time.Duration
		who    *lease.Lease
		wanted bool
	}{{0, one, true}, {40 * time.Second, one, true}, {40 * time.Second, other, false}, {30 * time.Second, other, true}, {0, one, false}} {
		server.FastForward(step.after)
		if held, err := step.who.Hold(t.Context(), time.Minute); held != step.wanted || err != nil {
			t.Fatalf("%v later it is held: %v, want %v (%v)", step.after, held, step.wanted, err)
		}
	}
}

// TestGuardOfWhatIsDoneUnderALease counts the lease's time from before the request.
func TestGuardOfWhatIsDoneUnderALease(t *testing.T) {
	redistest.Each(t, func(t *testing.T, url string) {
		client := redistest.Connect(t, url)
		one, other := lease.New(client, "lease", "one"), lease.New(client, "lease", "other")
		guarded := one.Guard(t.Context())
		check := func(what string, held bool, holder string) {
			t.Helper()
			name, err := other.Holder(t.Context())
			if one.Held() != held || (lease.Check(guarded) == nil) != held || lease.Check(t.Context()) != nil || name != holder || err != nil {
				t.Errorf("%s: held %v, checked %v, the holder is %q, %v", what, one.Held(), lease.Check(guarded), name, err)
			}
		}
		hold := func(l *lease.Lease, lasts time.Duration) {
			t.Helper()
			if held, err := l.Hold(t.Context(), lasts); !held || err != nil {
				t.Fatal(held, err)
			}
		}
		check("at first", false, "")
		hold(one, time.Hour)
		if left := one.Left(); left > time.Hour || left < 50*time.Minute {
			t.Errorf("left: %v", left)
		}
		check("held", true, "one")
		_ = one.Release(t.Context())
		check("released", false, "")
		hold(one, time.Millisecond)
		for held := false; !held; { // until Redis has forgotten it, too
			if held, _ = other.Hold(t.Context(), time.Hour); held && one.Held() {
				t.Error("two hold it")
			}
		}
		check("of another", false, "other")
		if held, _ := one.Hold(t.Context(), time.Hour); held {
			t.Error("it takes what another holds")
		}
	})
}
