package responder_test

import (
	"strconv"
	"testing"
	"testing/synctest"
	"time"
)

// snowflake is the ID of what began at a time, by a clock that is ahead of this
// machine's.
func snowflake(began time.Time, ahead time.Duration) string {
	return strconv.FormatInt((began.Add(ahead).UnixMilli()-1420070400000)<<22, 10)
}

// What arrives late is deferred the earlier for it, whatever the clocks say.
func TestAnEventThatWasDelayed(t *testing.T) {
	for name, test := range map[string]struct {
		ahead, delay, deferred time.Duration // the last after the arrival
	}{
		"not at all":         {0, 0, 1500 * time.Millisecond},
		"a little":           {0, 200 * time.Millisecond, 1300 * time.Millisecond},
		"much":               {0, 1200 * time.Millisecond, 300 * time.Millisecond},
		"too much":           {0, 10 * time.Second, 100 * time.Millisecond},
		"a clock is ahead":   {5 * time.Second, 1200 * time.Millisecond, 300 * time.Millisecond},
		"a clock is behind":  {-5 * time.Second, 1200 * time.Millisecond, 300 * time.Millisecond},
		"an ID says nothing": {-24 * time.Hour, 1200 * time.Millisecond, 1500 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				<-time.After(16 * 365 * 24 * time.Hour) // there were no IDs before 2015
				d := &discord{}
				s := newResponder(slow(5*time.Second, reply("hello")), d)
				event := func(late time.Duration) {
					e := command()
					e.ID = snowflake(time.Now().Add(-50*time.Millisecond-late), test.ahead)
					s.Serve(e)
				}
				event(time.Second) // by which the clocks seem to differ more than they do
				event(0)
				d.calls, d.started = nil, time.Now()
				event(test.delay)
				if len(d.calls) != 2 || d.calls[0] != (call{"defer", test.deferred}) {
					t.Errorf("calls %v, want it to be deferred after %v", d.calls, test.deferred)
				}
			})
		})
	}
}

func TestAClockThatIsSetIsNoDelayForLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		<-time.After(16 * 365 * 24 * time.Hour)
		d := &discord{}
		s := newResponder(slow(5*time.Second, reply("hello")), d)
		for _, ahead := range []time.Duration{0, -3 * time.Second, -3 * time.Second} {
			d.calls, d.started = nil, time.Now()
			e := command()
			e.ID = snowflake(time.Now(), ahead)
			s.Serve(e)
			<-time.After(6 * time.Minute)
		}
		if len(d.calls) != 2 || d.calls[0].at != 1500*time.Millisecond {
			t.Errorf("calls %v", d.calls)
		}
	})
}
