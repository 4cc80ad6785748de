package responder_test

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"
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
