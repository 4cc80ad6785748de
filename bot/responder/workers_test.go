package responder_test

import (
	"context"
	"runtime"
	"testing"
	"testing/synctest"

	"hostbot/bot/interaction"
)

func TestAcceptedInteractionsRunAtOnceAndLeaveFewGoroutines(t *testing.T) {
	const atOnce, mayStay = 200, 32 + 10 // such as others' that are about to end
	synctest.Test(t, func(t *testing.T) {
		began, release := make(chan struct{}, atOnce), make(chan struct{})
		d := &discord{}
		s := newResponder(func(_ context.Context, _ *interaction.Request) (interaction.Response, error) {
			began <- struct{}{}
			<-release
			return interaction.Reply(say("hello")), nil
		}, d)
		before := runtime.NumGoroutine()
		for round := range 3 {
			for i := range atOnce {
				s.Accept(of(1000+i, numbered(command(), round*atOnce+i)))
			}
			for range atOnce { // none waits for another, or this waits for ever
				<-began
			}
			for range atOnce {
				release <- struct{}{}
			}
			synctest.Wait()
			if n := d.count("reply hello"); n != (round+1)*atOnce {
				t.Errorf("%d were answered, want %d", n, (round+1)*atOnce)
			}
			if n := runtime.NumGoroutine() - before; n > mayStay {
				t.Errorf("%d goroutines stay", n)
			}
		}
		s.Close(t.Context()) // or the workers are still there at the test's end, which fails it
	})
}
