package responder_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"hostbot/bot/interaction"
)

// A look at a bot that began before an action does not hide how that ended,
// whichever of them was begun first.
func TestAnOlderLookDoesNotHideHowAnActionEnded(t *testing.T) {
	of := func(text string, action *interaction.Action) interaction.Response {
		r := interaction.Update(say(text))
		r.Subject, r.Action = "the bot", action
		return r
	}
	work := func(first string, after time.Duration, end interaction.Response) interaction.Handler {
		return func(context.Context, *interaction.Request) (interaction.Response, error) {
			r := of(first, nil)
			r.Then = change(func(context.Context) (interaction.Response, error) {
				<-time.After(after)
				return end, nil
			})
			return r, nil
		}
	}
	look := work("as it was", 5*time.Second, of("newer", nil))
	act := work("restarting", 2*time.Second, of("not restarted", &interaction.Action{Name: "restart", Outcome: interaction.Failed}))
	for name, handlers := range map[string][]interaction.Handler{
		"the look first":   {look, act},
		"the action first": {act, look},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := &discord{}
				begun := 0
				s := newResponder(func(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
					begun++
					return handlers[begun-1](ctx, r)
				}, d)
				for i := range handlers {
					go s.Serve(numbered(press(), i))
					<-time.After(time.Second)
				}
				<-time.After(time.Minute)
				calls := d.sent()
				if last := calls[len(calls)-1].what; last != "edit not restarted" {
					t.Errorf("the last is %q of %v", last, calls)
				}
			})
		})
	}
}

// TestTheLastChangeIsSeen has several changes be made at once: the page shows the last one
// that was made, whichever was asked for first, and what went wrong is told beside it.
func TestTheLastChangeIsSeen(t *testing.T) {
	for name, test := range map[string]struct {
		asked []interaction.Handler // a second after each other
		shown string
		aside int
	}{
		"the first takes longer":         {[]interaction.Handler{slow(5*time.Second, updated("one")), updated("two")}, "edit one", 0},
		"the second takes longer":        {[]interaction.Handler{slow(2*time.Second, updated("one")), slow(5*time.Second, updated("two"))}, "edit two", 0},
		"the first fails":                {[]interaction.Handler{slow(2*time.Second, failing(errRefused)), slow(5*time.Second, updated("two"))}, "edit two", 1},
		"the caller has moved on":        {[]interaction.Handler{slow(5*time.Second, updated("one")), nil}, "update elsewhere", 0},
		"and is told that it has failed": {[]interaction.Handler{slow(5*time.Second, failing(errRefused)), nil}, "follow up sorry", 1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := &discord{}
				begun := 0
				s := newResponder(func(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
					if begun++; test.asked[begun-1] == nil {
						return interaction.Update(say("elsewhere")), nil
					}
					return deferring(test.asked[begun-1])(ctx, r)
				}, d)
				for i := range test.asked {
					go s.Serve(numbered(press(), i))
					<-time.After(time.Second)
				}
				<-time.After(time.Minute)
				calls := d.sent()
				if last := calls[len(calls)-1].what; last != test.shown || d.count("follow up sorry") != test.aside {
					t.Errorf("the last is %q of %v", last, calls)
				}
			})
		})
	}
}

// TestASlowAnswerToACommandDoesNotHideWhatWasPressedInItsMessage has another process answer a command
// first, whose message the caller presses something in at once.
func TestASlowAnswerToACommandDoesNotHideWhatWasPressedInItsMessage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &discord{errs: map[string][]error{"reply": {unavailable, answered}}}
		page := func(r interaction.Response) interaction.Response {
			r.Subject = "the page"
			return r
		}
		s := newResponder(func(_ context.Context, r *interaction.Request) (interaction.Response, error) {
			if !r.InMessage() {
				<-time.After(time.Second)
				return page(interaction.Reply(say("remove it?"))), nil
			}
			response := page(interaction.Update(say("removing")))
			response.Then = change(func(context.Context) (interaction.Response, error) {
				<-time.After(2 * time.Second)
				return page(interaction.Update(say("removed"))), nil
			})
			return response, nil
		}, d)
		asked, pressed := numbered(command(), 0), numbered(press(), 1)
		pressed.Message = asked.Message
		go s.Serve(asked)
		<-time.After(500 * ms)
		s.Serve(pressed)
		if d.count("edit removed") != 1 {
			t.Errorf("the end of what was pressed is not shown: %v", d.sent())
		}
	})
}
