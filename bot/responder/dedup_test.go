package responder_test

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"hostbot/bot/interaction"
)

func TestAnInteractionThatIsDeliveredAgainIsLeftAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &discord{}
		s := newResponder(slow(100*time.Millisecond, reply("hello")), d)
		served := make(chan struct{})
		go func() {
			s.Serve(command())
			close(served)
		}()
		synctest.Wait()
		s.Serve(command()) // while the first is being answered
		<-served
		<-time.After(time.Minute / 2)
		s.Serve(command())
		if want := []call{{"reply hello", 100 * time.Millisecond}}; !slices.Equal(d.calls, want) {
			t.Errorf("calls %v, want %v", d.calls, want)
		}
		s.Serve(numbered(command(), 1))
		if n := len(d.calls); n != 2 {
			t.Errorf("%d calls after another interaction", n)
		}
	})
}

func TestWhatAnotherProcessAnswersIsLeftToIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		// Where Discord takes the deferral, the other process gets no answer in.
		d := &discord{}
		s := newResponder(slow(2*time.Second, failing(interaction.ErrElsewhere)), d)
		s.Serve(command())
		if n := len(d.calls); n != 2 || d.calls[0].what != "defer reply" && d.calls[0].what != "defer" || d.calls[1].what != "edit sorry" {
			t.Errorf("calls %v", d.calls)
		}
		s.Drain(context.Background())
		for name, h := range map[string]interaction.Handler{"at once": failing(interaction.ErrElsewhere), "late": slow(2*time.Second, failing(interaction.ErrElsewhere))} {
			d := &discord{}
			if name == "late" {
				d.errs = map[string][]error{"defer update": {answered}}
			}
			s := newResponder(h, d)
			s.Serve(press())
			if s.observed[0].Outcome != "elsewhere" || len(s.staff.entries) != 0 {
				t.Errorf("%s: outcome %s, staff are told %q", name, s.observed[0].Outcome, s.staff.entries)
			}
			for _, c := range d.calls {
				if c.what != "defer update" {
					t.Errorf("%s: it sent %v", name, c)
				}
			}
			s.Drain(context.Background())
		}
	})
}
