package lease_test

import (
	"testing"
	"time"

	"hostbot/bot/lease"
	"hostbot/hostapi/redistest"
)

func TestOneHoldsTheLease(t *testing.T) {
	redistest.Each(t, func(t *testing.T, url string) {
		one, other := lease.New(redistest.Connect(t, url), "lease"), lease.New(redistest.Connect(t, url), "lease")
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
		other.Release(t.Context()) // what it does not hold
		if holds(other, time.Hour) {
			t.Error("another has released it")
		}
		one.Release(t.Context())
		if !holds(other, time.Hour) || holds(one, time.Hour) {
			t.Error("the second does not hold what was released")
		}
	})
}

func TestLeaseThatIsNotRenewedEnds(t *testing.T) {
	server := redistest.StartMiniredis(t)
	client := redistest.Connect(t, server.URL())
	one, other := lease.New(client, "lease"), lease.New(client, "lease")
	if held, err := one.Hold(t.Context(), time.Minute); !held || err != nil {
		t.Fatal(held, err)
	}
	if ttl := client.PTTL(t.Context(), "lease").Val(); ttl <= 0 || ttl > time.Minute {
		t.Errorf("it ends in %v", ttl)
	}
	client.Del(t.Context(), "lease") // as Redis does then
	if held, err := other.Hold(t.Context(), time.Minute); !held || err != nil {
		t.Error(held, err)
	}
}
