package accounts_test

import (
	"testing"
	"time"

	"hostbot/hostapi/accounts"
)

func besideKey(userID string) string { return "hostbot:actions:{" + userID + "}" }

func besideKeys(userID string) []string {
	return []string{besideKey(userID), "hostbot:other:{" + userID + "}"}
}

func (f *fixture) setBeside(t testing.TB, value string) {
	t.Helper()
	if err := f.redis.HSet(t.Context(), besideKey(user), "field", value).Err(); err != nil {
		t.Fatal(err)
	}
}

func wantBeside(t testing.TB, s accounts.Snapshot, want string) {
	t.Helper()
	if got := s.Beside["field"]; got != want || want == "" && len(s.Beside) > 0 {
		t.Errorf("beside the account is %q, want %q", s.Beside, want)
	}
}

func TestAccountThatIsFreshCostsOneRoundTrip(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.fetched(t, "RUNNING")
		for _, value := range []string{"", "x", "y"} {
			if value != "" {
				f.setBeside(t, value)
				f.redis.HSet(t.Context(), besideKeys(user)[1], "another", value)
			}
			f.hook.take()
			o := f.cached(t, f.Cache)
			if trips := f.hook.take(); len(trips) != 1 {
				t.Errorf("round trips: %q", trips)
			}
			if o.err != nil || o.status() != "RUNNING" {
				t.Errorf("got %+v, error %v", o.snapshot, o.err)
			}
			wantBeside(t, o.snapshot, value)
			if got := o.snapshot.Beside["another"]; got != value {
				t.Errorf("of the other hash there is %q", got)
			}
		}
	})
}

func TestActionOnAnAccountThatIsKnownCostsOneRoundTrip(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.fetched(t, "RUNNING")
		f.Acted(t.Context(), f.cached(t, f.Cache).snapshot, user, "a", "stop", "STOPPED") // Redis has the script by now
		known := f.cached(t, f.Cache).snapshot
		f.hook.take()
		f.Acted(t.Context(), known, user, "a", "start", "STARTING")
		if trips := f.hook.take(); len(trips) != 1 {
			t.Errorf("round trips: %q", trips)
		}
		f.wantCached(t, f.Cache, "STARTING")
	})
}

func TestWhatIsBesideIsReadWithoutAFreshAccount(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.setBeside(t, "first")
		asked := ask(t, f.Cache)
		f.service.next(t).reply(t, "RUNNING")
		wantBeside(t, receive(t, asked).snapshot, "first")

		refreshed := inBackground(func() (accounts.Snapshot, error) {
			return f.Refresh(t.Context(), user, "", time.Now().Add(safety))
		})
		f.service.next(t).reply(t, "STOPPED")
		wantBeside(t, receive(t, refreshed).snapshot, "first")

		f.outdate(t)
		asked = askInVain(t, f.Cache)
		call := f.service.next(t)
		old := receive(t, asked).snapshot
		wantBeside(t, old, "first")
		f.setBeside(t, "second") // while the service is asked
		updated := inBackground(func() (accounts.Snapshot, error) { return old.Update(t.Context()) })
		call.reply(t, "RUNNING")
		wantBeside(t, receive(t, updated).snapshot, "second")
	})
}

func TestGarbageBesideAnAccountLeavesTheAccount(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.fetched(t, "RUNNING")
		if err := f.redis.Set(t.Context(), besideKey(user), "no hash", 0).Err(); err != nil {
			t.Fatal(err)
		}
		o := f.cached(t, f.Cache)
		if o.err != nil || o.status() != "RUNNING" {
			t.Errorf("got %+v, error %v", o.snapshot, o.err)
		}
		wantBeside(t, o.snapshot, "")
	})
}
