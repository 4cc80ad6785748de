package responder_test

import (
	"context"
	"slices"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"hostbot/bot/interaction"
)

// of returns an event of a certain user.
func of(user int, event *interaction.Event) *interaction.Event {
	event.UserID = strconv.Itoa(user)
	return event
}

// count returns how many calls of a kind were sent.
func (d *discord) count(what string) int {
	n := 0
	for _, c := range d.sent() {
		if c.what == what {
			n++
		}
	}
	return n
}

func TestTooManyAreRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &discord{}
		s := newResponder(slow(time.Second, reply("hello")), d)
		for user := range 2000 {
			go s.Serve(of(user, numbered(command(), user)))
		}
		synctest.Wait()
		s.Serve(of(3000, numbered(command(), 3000)))
		if n := d.count("reply sorry"); n != 1 {
			t.Errorf("%d were refused, want the last", n)
		}
		s.Drain(t.Context())
	})
}

func TestAFloodOfOneUserLeavesTheOthersAsFastAsBefore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &discord{}
		s := newResponder(slow(time.Second, reply("hello")), d)
		for i := range 5000 {
			go s.Serve(of(1, numbered(command(), i)))
		}
		synctest.Wait()
		s.Serve(of(2, numbered(command(), 5000)))
		if calls := d.sent(); !slices.Contains(calls, call{"reply hello", time.Second}) {
			t.Error("another user had to wait")
		}
		synctest.Wait()
		if n := d.count("reply hello"); n != 10+1 {
			t.Errorf("%d were served, want 10 of the flood and the other", n)
		}
		s.Serve(of(1, numbered(command(), 5001)))
		if n := d.count("reply hello"); n != 10+2 {
			t.Error("after the flood the user was not served")
		}
		s.Drain(t.Context())
		s.Close(t.Context())
		if d.count("reply sorry") == 0 {
			t.Error("nobody was told to be slower")
		}
	})
}

func TestRefusalsAreBoundedToo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &discord{latency: 500 * time.Millisecond}
		s := newResponder(slow(time.Second, reply("hello")), d)
		for i := range 5000 {
			go s.Serve(of(1, numbered(command(), i)))
		}
		synctest.Wait() // until all of them are there
		s.Drain(t.Context())
		s.Close(t.Context())
		if sorry := d.count("reply sorry"); sorry != 200 {
			t.Errorf("%d were told at once to be slower", sorry)
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		if len(s.observed) != 5000 {
			t.Errorf("%d of 5000 were observed", len(s.observed))
		}
	})
}

func TestActionsThatRunTakeNoShare(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &discord{}
		s := newResponder(then("running", slow(time.Minute, acted("done"))), d)
		for i := range 30 {
			go s.Serve(of(1, numbered(press(), i)))
			synctest.Wait()
		}
		if n := d.count("update running"); n != 30 {
			t.Errorf("%d actions run, want 30", n)
		}
		s.Drain(t.Context())
		if n := d.count("edit done"); n != 30 {
			t.Errorf("%d actions ended, want 30", n)
		}
	})
}

func TestWhatDoesNotEndIsLeftBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		wedged := make(chan struct{})
		s := newResponder(then("running", func(context.Context, *interaction.Request) (interaction.Response, error) {
			<-wedged // whatever the context says
			return interaction.Response{}, nil
		}), &discord{})
		served := make(chan struct{})
		go func() {
			defer close(served)
			s.Serve(press())
		}()
		synctest.Wait()
		started := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		s.Drain(ctx)
		if took := time.Since(started); took > 14*time.Second {
			t.Errorf("it took %v", took)
		}
		close(wedged)
		<-served
	})
}

func TestThoseWhoComeWhileStoppingAreTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &discord{latency: 500 * time.Millisecond}
		s := newResponder(reply("hello"), d)
		s.Drain(t.Context())
		go s.Serve(command())
		synctest.Wait()
		s.Close(t.Context())
		if calls := d.sent(); !slices.Equal(calls, []call{{"reply sorry", 2500 * time.Millisecond}}) {
			t.Errorf("calls %v, want one after another process could have answered", calls)
		}
	})
}
