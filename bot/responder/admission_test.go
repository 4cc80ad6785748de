package responder_test

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"hostbot/bot/interaction"
)

// Two thousand customers a second come while the hosting service takes 2 s for each of
// 256 at a time. Those who came first are served; the others are told at once.
func TestAFloodIsAnswered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const perTick, ticks, latency = 20, 250, 100 * ms
		<-time.After(16 * 365 * 24 * time.Hour) // Discord's IDs begin with 2015
		service := make(chan struct{}, 256)
		d := &discord{latency: latency}
		s := newResponder(func(context.Context, *interaction.Request) (interaction.Response, error) {
			service <- struct{}{}
			defer func() { <-service }()
			<-time.After(2 * time.Second)
			return interaction.Reply(say("hello")), nil
		}, d)
		for i := range ticks {
			for j := range perTick {
				go s.Serve(of(i*perTick+j, sentAsOne(int64(j), 0, command())))
			}
			<-time.After(10 * ms)
		}
		s.Drain(t.Context())
		s.Close(t.Context())
		if n := len(s.observed); n != perTick*ticks {
			t.Errorf("%d were observed", n)
		}
		served := 0
		for _, o := range s.observed {
			if o.First <= 0 || o.First > 3*time.Second {
				t.Fatalf("a first response after %v", o.First)
			}
			if o.Outcome == "ok" {
				served++
			} else if o.First != latency {
				t.Fatalf("somebody was told after %v that they are not served", o.First)
			}
		}
		if served < 1000 {
			t.Errorf("%d were served", served)
		}
	})
}

func TestAFloodOfOneUserLeavesTheOthersAsFastAsBefore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &discord{latency: 500 * ms}
		s := newResponder(slow(time.Second, reply("hello")), d)
		for i := range 5000 {
			go s.Serve(of(1, numbered(command(), i)))
		}
		synctest.Wait()
		s.Serve(of(2, numbered(command(), 5000)))
		if calls := d.sent(); !slices.Contains(calls, call{"reply hello", 1500 * ms}) {
			t.Error("another user had to wait")
		}
		synctest.Wait()
		if served, refused := d.count("reply hello"), d.count("reply sorry"); served != 40+1 || refused != 1000 {
			t.Errorf("%d were served and %d told to be slower, want 40 of the flood and the other, and as many as memory is kept for", served, refused)
		}
		s.Serve(of(1, numbered(command(), 5001)))
		if n := d.count("reply hello"); n != 40+2 {
			t.Error("after the flood the user was not served")
		}
	})
}

func TestAUserMayHaveThirtyActionsRunning(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &discord{}
		s := newResponder(then("running", slow(time.Minute, acted("done"))), d)
		for i := range 30 {
			go s.Serve(numbered(press(), i))
		}
		synctest.Wait()
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
		go s.Serve(press())
		synctest.Wait()
		started := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		s.Drain(ctx)
		if took := time.Since(started); took > 14*time.Second || !slices.Contains(s.staff.entries, "stuck") {
			t.Errorf("it took %v, and staff read %q", took, s.staff.entries)
		}
		close(wedged)
	})
}

func TestThoseWhoComeWhileStoppingAreTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &discord{latency: 500 * ms}
		s := newResponder(reply("hello"), d)
		s.Drain(t.Context())
		go s.Serve(command())
		synctest.Wait()
		s.Close(t.Context())
		if calls := d.sent(); !slices.Equal(calls, []call{{"reply sorry", 2500 * ms}}) {
			t.Errorf("calls %v, want one after another process could have answered", calls)
		}
	})
}

// TestAcceptedInteractionsRunAtOnce. A goroutine that stays behind fails the test.
func TestAcceptedInteractionsRunAtOnce(t *testing.T) {
	const atOnce = 200
	synctest.Test(t, func(t *testing.T) {
		began, release := make(chan struct{}, atOnce), make(chan struct{})
		d := &discord{}
		s := newResponder(func(_ context.Context, _ *interaction.Request) (interaction.Response, error) {
			began <- struct{}{}
			<-release
			return interaction.Reply(say("hello")), nil
		}, d)
		for i := range atOnce {
			s.Accept(of(1000+i, numbered(command(), i)))
		}
		for range atOnce { // none waits for another, or this waits for ever
			<-began
		}
		close(release)
		synctest.Wait()
		if n := d.count("reply hello"); n != atOnce {
			t.Errorf("%d were answered, want %d", n, atOnce)
		}
	})
}
