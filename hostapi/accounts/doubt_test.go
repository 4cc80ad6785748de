package accounts_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"hostbot/hostapi"
	"hostbot/hostapi/accounts"
	"hostbot/hostapi/hostapitest"
	"hostbot/hostapi/redistest"
)

// said is a service that answers each request as was said last.
type said struct {
	answer atomic.Pointer[hostapitest.Fault]
}

func (s *said) RoundTrip(*http.Request) (*http.Response, error) {
	f := s.answer.Load()
	return &http.Response{StatusCode: max(f.Status, http.StatusOK), Header: http.Header{}, Body: io.NopCloser(strings.NewReader(f.Body))}, nil
}

func (s *said) says(f hostapitest.Fault) { s.answer.Store(&f) }

var (
	twoBots = hostapitest.Fault{Body: `{"servers":[{"id":"a","name":"one","status":"RUNNING"},{"id":"b","name":"two"}],"account":{"serverCount":2}}`}
	oneBot  = hostapitest.Fault{Body: `{"servers":[{"id":"a","name":"one","status":"RUNNING"}]}`}
	ownWord = hostapitest.Fault{Status: 404, Body: `{"code":"account_not_found"}`}
	gateway = hostapitest.Fault{Status: 404, Body: "404 page not found\n"}
	nothing = hostapitest.Fault{Body: `{"servers":[]}`}
)

// doubting is a cache of a service that says things, and what it tells of doubts.
type doubting struct {
	*fixture
	*said
	down  atomic.Bool
	begun atomic.Int32 // doubts
	lost  atomic.Int32 // accounts, as of the last time
}

func eachDoubting(t *testing.T, run func(*testing.T, *doubting)) {
	t.Helper()
	redistest.Each(t, func(t *testing.T, url string) {
		d := &doubting{fixture: newFixture(t, url), said: &said{}}
		d.says(twoBots)
		d.Cache = d.replica(t, maxStale)
		run(t, d)
	})
}

// replica returns the cache of another process.
func (d *doubting) replica(t *testing.T, stale time.Duration) *accounts.Cache {
	t.Helper()
	client, err := hostapi.New(hostapi.Config{
		BaseURL: "https://hosting.example", Secret: "s", Timeout: safety, Transport: d.said,
		Observe: func(hostapi.Call) {}, OnDown: func(error) {}, OnUp: func(time.Duration) {},
	})
	if err != nil {
		t.Fatal(err)
	}
	c := accounts.New(accounts.Config{
		Redis: d.redis, Source: once{client}, TTL: ttl, MaxStale: stale, Patience: patience, OnGarbage: func(error) {}, Now: d.now,
		Prefix: "hostbot:", BesideKeys: func(string) []string { return nil }, KeepFor: func() time.Duration { return 0 }, OnLookup: func(bool) {}, Away: d.down.Load,
		OnDoubt: func(lost int, begun error) {
			d.lost.Store(int32(lost))
			if begun != nil {
				d.begun.Add(1)
			}
		},
	})
	t.Cleanup(c.Close)
	return c
}

// once is a client that repeats no request.
type once struct{ *hostapi.Client }

func (o once) List(ctx context.Context, userID string) (hostapi.List, error) {
	return o.Client.List(hostapi.Once(ctx), userID)
}

// asks has a cache ask the service for an account, however fresh that is.
func (d *doubting) asks(t *testing.T, c *accounts.Cache, userID string) (accounts.Snapshot, error) {
	t.Helper()
	return c.Ask(t.Context(), userID, "", time.Now().Add(safety))
}

// keeps fails the test unless a cache shows an account as it was, as the service does not find it.
func (d *doubting) keeps(t *testing.T, c *accounts.Cache, userID string, bots int) {
	t.Helper()
	s, err := d.asks(t, c, userID)
	var e *hostapi.Error
	if err != nil || !s.Old || len(s.List.Servers) != bots || !errors.As(s.Failure, &e) || !e.Doubted {
		t.Errorf("an account of %d bots is shown as %+v, error %v", bots, s, err)
	}
	if known, err := c.Known(t.Context(), userID); err != nil || len(known.List.Servers) != bots {
		t.Errorf("known is %+v, error %v", known, err)
	}
}

// believes fails the test unless a cache takes an account to be gone.
func (d *doubting) believes(t *testing.T, c *accounts.Cache, userID string) {
	t.Helper()
	if s, err := d.asks(t, c, userID); hostapi.CodeOf(err) != hostapi.CodeNotFound {
		t.Errorf("an account that is gone is shown as %+v, error %v", s, err)
	}
}

// fetch has an account be known.
func (d *doubting) fetch(t *testing.T, answer hostapitest.Fault, userIDs ...string) {
	t.Helper()
	d.says(answer)
	for _, userID := range userIDs {
		if s, err := d.asks(t, d.Cache, userID); err != nil || s.Old {
			t.Fatalf("got %+v, error %v", s, err)
		}
	}
}

func TestAccountThatWasListedIsNotGoneAtOnce(t *testing.T) {
	for name, answer := range map[string]hostapitest.Fault{"a gateway's 404": gateway, "an empty list": nothing} {
		t.Run(name, func(t *testing.T) {
			eachDoubting(t, func(t *testing.T, d *doubting) {
				d.fetch(t, twoBots, user)
				d.says(answer)
				other := d.replica(t, maxStale)
				d.keeps(t, d.Cache, user, 2)
				if s, err := other.Look(t.Context(), user); hostapi.CodeOf(err) != hostapi.CodeUnavailable {
					t.Errorf("a poll got %+v, error %v", s, err)
				}
				d.advance(hostapi.Blip - time.Second)
				d.keeps(t, other, user, 2)
				if d.begun.Load() != 1 || d.lost.Load() != 1 {
					t.Errorf("%d doubts were told, %d accounts are lost", d.begun.Load(), d.lost.Load())
				}
				d.fetch(t, twoBots, user) // which ends the doubt
				if d.lost.Load() != 0 {
					t.Errorf("%d accounts are lost after it was found", d.lost.Load())
				}
				d.says(answer)
				d.keeps(t, d.Cache, user, 2)
				d.advance(hostapi.Blip)
				if answer.Status == 0 {
					d.fetch(t, answer, user)
				} else {
					d.believes(t, other, user)
				}
				if d.begun.Load() != 2 || d.lost.Load() != 0 {
					t.Errorf("%d doubts were told, %d accounts are lost in the end", d.begun.Load(), d.lost.Load())
				}
				d.fetch(t, twoBots, user)
			})
		})
	}
}

func TestServicesOwnWordIsBelievedAtOnce(t *testing.T) {
	eachDoubting(t, func(t *testing.T, d *doubting) {
		d.fetch(t, twoBots, user)
		d.says(ownWord)
		d.believes(t, d.Cache, user)
		d.says(gateway) // of an account of which it is known that it is not there
		d.believes(t, d.Cache, user)
		d.fetch(t, twoBots, user)
		d.fetch(t, hostapitest.Fault{Body: `{"servers":[],"account":{"serverCount":0}}`}, user)
		d.says(gateway)
		d.keeps(t, d.Cache, user, 0) // an account without bots
		if d.begun.Load() != 1 {
			t.Errorf("%d doubts were told", d.begun.Load())
		}
	})
}

func TestLastBotThatWasDeletedIsNotMissed(t *testing.T) {
	eachDoubting(t, func(t *testing.T, d *doubting) {
		d.fetch(t, oneBot, user)
		d.Deleted(t.Context(), user, "a")
		d.fetch(t, nothing, user)
	})
}

// TestDoubtThatWasForgottenForLongBeginsAnew: nobody may have asked since.
func TestDoubtThatIsOldBeginsAnew(t *testing.T) {
	eachDoubting(t, func(t *testing.T, d *doubting) {
		d.fetch(t, twoBots, user)
		d.says(gateway)
		d.keeps(t, d.Cache, user, 2)
		d.advance(3 * time.Hour)
		d.keeps(t, d.Cache, user, 2)
		d.advance(hostapi.Blip)
		d.believes(t, d.Cache, user)
	})
}

// TestAccountsAreNotGoneDuringAnOutage: neither while the service is away, nor while it does not find several,
// whichever process meets them, nor for a blip after that.
func TestAccountsAreNotGoneDuringAnOutage(t *testing.T) {
	eachDoubting(t, func(t *testing.T, d *doubting) {
		several := make([]string, hostapi.Several)
		for i := range several {
			several[i] = fmt.Sprint("user", i)
		}
		d.fetch(t, twoBots, several...)
		d.says(gateway)
		all := func() {
			for _, userID := range several[1:] {
				d.keeps(t, d.Cache, userID, 2)
			}
		}
		other := d.replica(t, maxStale)
		d.keeps(t, other, several[0], 2)
		all()
		d.advance(hostapi.Blip - time.Second)
		all()
		d.advance(time.Second)
		d.keeps(t, other, several[0], 2) // which has met no other
		if d.lost.Load() != hostapi.Several {
			t.Errorf("%d accounts are lost", d.lost.Load())
		}
		d.fetch(t, twoBots, several[1:]...)
		d.says(gateway)
		d.advance(hostapi.Blip - time.Second)
		d.keeps(t, other, several[0], 2)
		d.down.Store(true)
		d.advance(hostapi.Blip)
		d.keeps(t, other, several[0], 2)
		d.down.Store(false)
		d.advance(hostapi.Blip)
		d.believes(t, other, several[0])
	})
}

// TestDoubtOutlivesAShortCache has CACHE_MAX_STALE be shorter than a doubt: nothing old is shown then, and nobody is told
// that there is no account.
func TestDoubtOutlivesAShortCache(t *testing.T) {
	eachDoubting(t, func(t *testing.T, d *doubting) {
		short := d.replica(t, ttl)
		if _, err := d.asks(t, short, user); err != nil {
			t.Fatal(err)
		}
		d.says(gateway)
		for _, later := range []time.Duration{ttl + time.Second, hostapi.Blip - time.Second} {
			d.advance(later)
			if s, err := d.asks(t, short, user); hostapi.CodeOf(err) != hostapi.CodeUnavailable {
				t.Errorf("%v later: %+v, error %v", later, s, err)
			}
		}
		if left := d.redis.PTTL(t.Context(), lastKey).Val(); left < hostapi.Blip {
			t.Errorf("it is known for %v", left)
		}
		d.advance(time.Second)
		d.believes(t, short, user)
	})
}

func TestForgetLeavesNoDoubt(t *testing.T) {
	eachDoubting(t, func(t *testing.T, d *doubting) {
		d.fetch(t, twoBots, user)
		d.says(gateway)
		d.keeps(t, d.Cache, user, 2)
		if _, err := d.Forget(t.Context(), user); err != nil {
			t.Fatal(err)
		}
		if keys, _ := redistest.Keys(t.Context(), d.redis, "*"); len(keys) != 1 || keys[0] != generationKey || d.lost.Load() != 0 {
			t.Errorf("there are %v; %d accounts are lost", keys, d.lost.Load())
		}
		d.believes(t, d.Cache, user)
	})
}
