package watcher_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/redis/go-redis/v9"

	"hostbot/bot/watch/outages"
	"hostbot/bot/watch/watcher"
	"hostbot/hostapi"
	"hostbot/hostapi/redistest"
)

// fixture is falls with what is told of them. Times are in seconds after it began.
type fixture struct {
	*outages.Outages
	t     *testing.T
	redis redis.UniversalClient
	began time.Time
	pace  time.Duration // at which accounts are looked at
	terms uint64
	told  []outages.Outage
	early []string // customers of whom Began was told
	fails error    // of Began
}

func eachStore(t *testing.T, run func(t *testing.T, f *fixture)) {
	t.Helper()
	redistest.Each(t, func(t *testing.T, url string) {
		f := &fixture{t: t, redis: redistest.Connect(t, url), began: time.Now().Truncate(time.Second), pace: 30 * time.Second}
		f.lead()
		run(t, f)
	})
}

// seconds are those of the pace.
func (f *fixture) seconds() int { return int(f.pace / time.Second) }

// lead begins a term, in another process.
func (f *fixture) lead() {
	f.terms++
	f.Outages = f.process(func() bool { return true })
}

func (f *fixture) process(leading func() bool) *outages.Outages {
	return outages.New(outages.Config{
		Redis: f.redis, Interval: func() time.Duration { return f.pace }, Leading: leading, Term: func() uint64 { return f.terms },
		Tell: func(o outages.Outage) { f.told = append(f.told, o) },
		Began: func(_ context.Context, customerIDs []string) error {
			if f.fails == nil {
				f.early = append(f.early, customerIDs...)
			}
			return f.fails
		},
	})
}

func (f *fixture) at(seconds int) time.Time {
	return f.began.Add(time.Duration(seconds) * time.Second)
}

func (f *fixture) change(customer, bot, seconds int, unasked bool, to hostapi.State) watcher.Change {
	return watcher.Change{
		CustomerID: fmt.Sprint(customer), ServerID: fmt.Sprint(bot), Plan: []string{"Pro", ""}[bot%2],
		Since: f.at(seconds - 10), At: f.at(seconds), Unexpected: unasked, To: to,
	}
}

// fell is a bot that fell.
func (f *fixture) fell(customer, bot, seconds int) watcher.Change {
	return f.change(customer, bot, seconds, true, hostapi.StateCrashed)
}

// back is a bot that runs again.
func (f *fixture) back(customer, bot, seconds int) watcher.Change {
	return f.change(customer, bot, seconds, false, hostapi.StateRunning)
}

// see has the leader count changes, and tell of them and write them as it does after a while.
func (f *fixture) see(changes ...watcher.Change) {
	f.t.Helper()
	if err := f.Observe(f.t.Context(), watcher.Poll{Changes: changes}); err != nil {
		f.t.Fatal(err)
	}
	if err := f.Sync(f.t.Context()); err != nil {
		f.t.Fatal(err)
	}
}

// seeMany sees customers' bots of one number fall, from a time on and one after another.
func (f *fixture) seeMany(customers, bot, from, apart int) {
	f.t.Helper()
	for i := range customers {
		f.see(f.fell(i, bot, from+apart*i))
	}
}

// last returns the fall that was told of last.
func (f *fixture) last() outages.Outage {
	f.t.Helper()
	if len(f.told) == 0 {
		f.t.Fatal("nothing is told")
	}
	return f.told[len(f.told)-1]
}

// want fails the test unless this was told last, under whatever ID.
func (f *fixture) want(fall outages.Outage) {
	f.t.Helper()
	fall.ID = f.last().ID
	if diff := cmp.Diff(fall, f.last()); diff != "" {
		f.t.Errorf("told (-want +got):\n%s", diff)
	}
}

func TestFallOfManyIsOneThatIsKeptUpToDate(t *testing.T) {
	eachStore(t, func(t *testing.T, f *fixture) {
		f.see(f.fell(90, 0, -200), f.fell(91, 0, -150)) // long before
		f.seeMany(9, 0, 0, 1)
		f.seeMany(5, 0, 0, 1)                                  // some are told of twice
		f.see(f.change(50, 0, 9, false, hostapi.StateStopped)) // it was asked for
		if len(f.told) > 0 {
			t.Fatalf("nine are told of: %+v", f.told)
		}
		f.see(f.fell(0, 1, 40))
		f.want(outages.Outage{Bots: 10, Customers: 9, First: f.at(0), Last: f.at(40), Within: 70 * time.Second, Plans: map[string]int{"Pro": 9}})
		first := f.last().ID
		f.see(f.fell(9, 0, 95), f.back(3, 0, 96), f.back(60, 0, 96))
		f.want(outages.Outage{Bots: 11, Customers: 10, Recovered: 1, First: f.at(0), Last: f.at(95), Within: 125 * time.Second, Plans: map[string]int{"Pro": 10}})
		if f.last().ID != first {
			t.Error("a fall that goes on has an entry of its own")
		}
		f.seeMany(10, 2, 300, 1)
		f.want(outages.Outage{Bots: 10, Customers: 10, First: f.at(300), Last: f.at(309), Within: 39 * time.Second, Plans: map[string]int{"Pro": 10}})
		if f.last().ID == first {
			t.Error("a later fall is told of in the former's entry")
		}
		told := len(f.told)
		f.see(f.fell(0, 0, 0)) // told of again
		if len(f.told) != told {
			t.Errorf("one of the former fall is told of as %+v", f.last())
		}
	})
}

// TestOutageThatBeginsAgainIsAnother once staff have read that all bots are back.
func TestOutageThatBeginsAgainIsAnother(t *testing.T) {
	eachStore(t, func(t *testing.T, f *fixture) {
		all := func(change func(customer, bot, seconds int) watcher.Change, seconds int) {
			for i := range 10 {
				f.see(change(i, 0, seconds))
			}
		}
		all(f.fell, 0)
		all(f.back, 20)
		first := f.last()
		all(f.fell, 40)
		f.want(outages.Outage{Bots: 10, Customers: 10, First: f.at(40), Last: f.at(40), Within: 30 * time.Second, Plans: map[string]int{"Pro": 10}})
		if f.last().ID == first.ID || first.Recovered != 10 {
			t.Errorf("it is told in the entry of %+v", first)
		}
		all(f.back, 60)
		f.want(outages.Outage{Bots: 10, Customers: 10, Recovered: 10, First: f.at(40), Last: f.at(40), Within: 30 * time.Second, Plans: map[string]int{"Pro": 10}})
	})
}

// TestCustomersOfTheFirstBotsAreToldOf once it is known that these are of an outage, also if that fails at first.
func TestCustomersOfTheFirstBotsAreToldOf(t *testing.T) {
	eachStore(t, func(t *testing.T, f *fixture) {
		f.seeMany(9, 0, 0, 1)
		f.fails = errors.New("redis is away")
		if err := f.Observe(t.Context(), watcher.Poll{Changes: []watcher.Change{f.fell(9, 0, 9)}}); err != nil {
			t.Fatal(err)
		}
		if err := f.Sync(t.Context()); !errors.Is(err, f.fails) {
			t.Errorf("the error is %v", err)
		}
		f.fails = nil
		f.see(f.fell(10, 0, 10)) // whose message says so from the start
		slices.Sort(f.early)
		if got := strings.Join(f.early, " "); got != "0 1 2 3 4 5 6 7 8 9" {
			t.Errorf("told of are %q", got)
		}
	})
}

// TestBotThatIsDownIsOfTheOutage if it stopped then or, until half of the bots are back, later.
func TestBotThatIsDownIsOfTheOutage(t *testing.T) {
	began := time.Now()
	at := func(after time.Duration) time.Time { return began.Add(after) }
	o := outages.Outage{Bots: 10, First: began, Last: at(time.Minute), Within: 2 * time.Minute}
	over := o
	over.Recovered = 5
	for _, test := range []struct {
		outage  outages.Outage
		stopped time.Time
		want    bool
	}{
		{o, at(-time.Hour), false}, {o, at(-30 * time.Second), true}, {o, at(time.Minute), true}, {o, at(20 * time.Minute), true}, {o, time.Time{}, true},
		{over, at(-time.Hour), false}, {over, at(time.Minute), true}, {over, at(20 * time.Minute), false}, {over, time.Time{}, false},
		{outages.Outage{}, began, false}, {outages.Outage{}, time.Time{}, false},
	} {
		if got := test.outage.Includes(test.stopped); got != test.want {
			t.Errorf("a bot that stopped %v after it began, of which %d are back: %t", test.stopped.Sub(began), test.outage.Recovered, got)
		}
	}
}

// TestChangeThatIsToldOfTwiceCountsOnce, also where Redis was away in between.
func TestChangeThatIsToldOfTwiceCountsOnce(t *testing.T) {
	eachStore(t, func(t *testing.T, f *fixture) {
		f.seeMany(11, 0, 0, 1)
		over, cancel := context.WithCancel(t.Context())
		cancel()
		if err := f.Observe(over, watcher.Poll{Changes: []watcher.Change{f.fell(11, 0, 20)}}); err != nil {
			t.Fatal(err)
		}
		if f.Sync(over) == nil {
			t.Error("it was written")
		}
		f.see(f.fell(11, 0, 22)) // the poll that tells of it again is a later one
		f.want(outages.Outage{Bots: 12, Customers: 12, First: f.at(0), Last: f.at(20), Within: 50 * time.Second, Plans: map[string]int{"Pro": 12}})
		if f.last().ID != f.told[0].ID {
			t.Error("an outage that goes on has an entry of its own")
		}
		told := len(f.told)
		f.see(f.fell(11, 0, 23))
		if len(f.told) != told {
			t.Error("what has not changed is told of again")
		}
	})
}

func TestBotsThatAreBackBeforeTheFallIsToldOfCount(t *testing.T) {
	eachStore(t, func(t *testing.T, f *fixture) {
		f.seeMany(9, 0, 0, 1)
		f.see(f.back(0, 0, 20), f.back(1, 0, 20), f.back(2, 0, 20), f.fell(2, 0, 30), f.fell(9, 0, 40))
		f.want(outages.Outage{Bots: 10, Customers: 10, Recovered: 2, First: f.at(0), Last: f.at(40), Within: 70 * time.Second, Plans: map[string]int{"Pro": 10}})
		first := f.last().ID
		f.see(f.fell(20, 0, 200), f.back(20, 0, 210)) // which is not of the fall, and does not end it
		f.see(f.back(9, 0, 220))
		f.want(outages.Outage{Bots: 10, Customers: 10, Recovered: 3, First: f.at(0), Last: f.at(40), Within: 70 * time.Second, Plans: map[string]int{"Pro": 10}})
		if f.last().ID != first {
			t.Error("that the bots are back is told of in another entry")
		}
	})
}

// TestFallIsSeenAsSlowlyAsBotsAreLookedAt has bots fall at the same moment, which are
// looked at every five minutes.
func TestFallIsSeenAsSlowlyAsBotsAreLookedAt(t *testing.T) {
	eachStore(t, func(t *testing.T, f *fixture) {
		f.pace = 5 * time.Minute
		f.seeMany(10, 0, 0, 30)
		f.want(outages.Outage{Bots: 10, Customers: 10, First: f.at(0), Last: f.at(270), Within: 570 * time.Second, Plans: map[string]int{"Pro": 10}})
	})
}

func TestEntryIsKeptUpToDateForAWhileOnly(t *testing.T) {
	eachStore(t, func(t *testing.T, f *fixture) {
		f.seeMany(10, 0, 0, 1)
		f.see(f.back(0, 0, 49*60))
		if f.last().Recovered != 1 {
			t.Errorf("told: %+v", f.last())
		}
		told := len(f.told)
		f.see(f.back(1, 0, 51*60), f.fell(11, 1, 51*60))
		if len(f.told) != told {
			t.Errorf("much later it is told of as %+v", f.last())
		}
	})
}

// TestEachProcessKnowsOfTheOutage, and a new leader counts on from it: bots that the former has counted and that are
// back are told from others by when they stopped.
func TestEachProcessKnowsOfTheOutage(t *testing.T) {
	eachStore(t, func(t *testing.T, f *fixture) {
		follower := f.process(func() bool { return false })
		knows := func() outages.Outage {
			t.Helper()
			if err := follower.Sync(t.Context()); err != nil {
				t.Fatal(err)
			}
			return follower.Current()
		}
		f.seeMany(9, 0, 0, 1)
		if o := knows(); o.Bots > 0 {
			t.Errorf("it knows of %+v", o)
		}
		f.see(f.fell(9, 0, 12), f.back(0, 0, 13))
		if o := knows(); o.Bots != 10 || o.Recovered != 1 || o.ID != f.last().ID {
			t.Errorf("it knows of %+v", o)
		}
		first := f.last().ID
		f.lead()
		f.see(f.fell(10, 0, 14), f.back(50, 0, 5), f.back(1, 0, 20))
		f.want(outages.Outage{Bots: 11, Customers: 11, Recovered: 2, First: f.at(0), Last: f.at(14), Within: 44 * time.Second, Plans: map[string]int{"Pro": 11}})
		if f.last().ID != first {
			t.Error("another leader tells of the same outage in another entry")
		}
		if o := knows(); o.Bots != 11 || o.Recovered != 2 {
			t.Errorf("it knows of %+v", o)
		}
	})
}

// TestThousandsOfBotsAreOneEntry that is told of and written a few times.
func TestThousandsOfBotsAreOneEntry(t *testing.T) {
	eachStore(t, func(t *testing.T, f *fixture) {
		for i := range 5000 {
			if err := f.Observe(t.Context(), watcher.Poll{Changes: []watcher.Change{f.fell(i, 0, i/100)}}); err != nil {
				t.Fatal(err)
			}
		}
		f.see(f.back(0, 0, 55))
		if len(f.told) != 1 || f.last().Bots != 5000 || f.last().Recovered != 1 {
			t.Errorf("told %d times, last of %+v", len(f.told), f.last())
		}
	})
}

// TestEachProcessKnowsOfNotices that any of them has saved, changed or ended, also if Redis is away later.
func TestEachProcessKnowsOfNotices(t *testing.T) {
	eachStore(t, func(t *testing.T, f *fixture) {
		other := f.process(func() bool { return false })
		save := func(o *outages.Outages, n outages.Notice) {
			t.Helper()
			if err := o.SaveNotice(t.Context(), n); err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(f.Sync(t.Context()), other.Sync(t.Context())); err != nil {
				t.Fatal(err)
			}
		}
		know := func(texts ...string) {
			t.Helper()
			for _, o := range []*outages.Outages{f.Outages, other} {
				var got []string
				for _, n := range o.Notices() {
					got = append(got, n.Text)
				}
				if strings.Join(got, "; ") != strings.Join(texts, "; ") {
					t.Errorf("known is %q, want %q", got, texts)
				}
			}
		}
		disks := outages.Notice{ID: "1", Text: "Disks", From: f.at(-60), Prefix: "EU-", Maintenance: true}
		save(f.Outages, disks)
		save(other, outages.Notice{ID: "2", Text: "Network", From: f.at(-120), Until: f.at(3600)})
		save(other, outages.Notice{ID: "3", Text: "Power", From: f.at(600), Until: f.at(3600), Maintenance: true})
		know("Network", "Disks", "Power")
		for bot, want := range map[string]time.Duration{"eu-7": f.pace, "us-7": 0} {
			if by, named := f.Held(bot, "Shop"), other.Held("x", bot); by != want || named != want {
				t.Errorf("alerts of %s are held for %v and %v", bot, by, named)
			}
		}
		disks.Until = f.at(-f.seconds()) // an interval later
		save(other, disks)
		know("Network", "Power")
		if left := f.Held("eu-7", ""); left != 0 {
			t.Errorf("after the maintenance alerts are held for %v", left)
		}
		disks.Until = time.Now()
		save(f.Outages, disks)
		if left := other.Held("eu-7", ""); left <= 0 || left > f.pace {
			t.Errorf("until the bots are seen to be back alerts are held for %v", left)
		}
		over, cancel := context.WithCancel(t.Context())
		cancel()
		if f.SaveNotice(over, outages.Notice{ID: "4", Text: "Never"}) == nil || f.Sync(over) == nil {
			t.Error("it was written")
		}
		know("Network", "Power")
	})
}
