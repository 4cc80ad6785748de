package responder_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"hostbot/bot/discord/rest"
	"hostbot/bot/interaction"
)

// request is an HTTP request that brought an event. It notes its answer among the calls.
type request struct {
	*discord
	err      error // what Respond returns
	answered bool
}

func (r *request) Respond(response []byte) error {
	var sent struct {
		Type int
		Data struct{ Content string }
	}
	if err := json.Unmarshal(response, &sent); err != nil || sent.Type == 0 || r.answered {
		r.note("a wrong answer " + string(response))
	}
	r.answered = true
	r.note("answer " + sent.Data.Content)
	return r.err
}

func (r *request) Leave() { r.give("leave") }

func (r *request) Decline() { r.give("decline") }

func (r *request) give(what string) {
	if !r.answered {
		r.note(what)
	}
	r.answered = true
}

// picture replies with a text and a file.
func picture(text string) interaction.Handler {
	return func(context.Context, *interaction.Request) (interaction.Response, error) {
		return interaction.Reply(interaction.Message{Content: text, Files: []interaction.File{{Name: "strip.png"}}}), nil
	}
}

func TestRequestIsAnsweredInlineOrLeft(t *testing.T) {
	broken := errors.New("broken pipe")
	elsewhere := failing(interaction.ErrHandledElsewhere)
	tests := map[string]struct {
		event   *interaction.Event
		handler interaction.Handler
		err     error
		errs    map[string][]error // Discord's
		want    []call
	}{
		"a reply is the answer":          {event: command(), handler: reply("hello"), want: []call{{"answer hello", 0}}},
		"so are suggestions":             {event: typing(), handler: reply("hello"), want: []call{{"answer hello", 0}}},
		"a picture is brought by a call": {event: command(), handler: picture("hello"), want: []call{{"reply hello", 0}, {"leave", 0}}},
		"an action waits for Discord's word": {event: press(), handler: then("running", acted("done")),
			want: []call{{"update running", 0}, {"leave", 0}, {"edit done", 0}}},
		"and does not happen without it": {event: press(), handler: then("running", acted("done")), errs: map[string][]error{"update": {tooLate}},
			want: []call{{"update running", 0}, {"leave", 0}, {"edit perhaps", 0}}},
		"what is blocked is explained": {event: press(), handler: then("running", acted("done")), errs: map[string][]error{"update": {moderated}},
			want: []call{{"update running", 0}, {"leave", 0}, {"reply not begun", 0}}},
		"a deferral is a call": {event: command(), handler: slow(2*time.Second, reply("hello")),
			want: []call{{"defer", 1500 * ms}, {"leave", 1500 * ms}, {"edit hello", 2 * time.Second}}},
		"a change waits for Discord's word": {event: press(), handler: deferring(updated("changed")),
			want: []call{{"defer update", 0}, {"leave", 0}, {"edit changed", 0}}},
		"and is not made without it": {event: press(), handler: deferring(updated("changed")), errs: map[string][]error{"defer update": {&rest.Error{Status: 403}}},
			want: []call{{"defer update", 0}, {"leave", 0}}},
		"a lost answer is sent again": {event: command(), handler: reply("hello"), err: broken,
			want: []call{{"answer hello", 0}, {"reply hello", 0}}},
		"and may not have been lost": {event: command(), handler: reply("hello"), err: broken, errs: map[string][]error{"reply": {answered}},
			want: []call{{"answer hello", 0}, {"reply hello", 0}}},
		"another process answers": {event: command(), handler: elsewhere, want: []call{{"leave", 0}}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := &discord{errs: test.errs}
				s := newResponder(test.handler, d)
				test.event.Inline = &request{discord: d, err: test.err}
				s.Serve(test.event)
				synctest.Wait()
				if diff := cmp.Diff(test.want, d.sent(), cmp.AllowUnexported(call{})); diff != "" {
					t.Errorf("what was said and when (-want +got):\n%s", diff)
				}
				if first := s.observed[0].First; first > test.want[0].at {
					t.Errorf("the first response took %v, want %v", first, test.want[0].at)
				}
				if err := test.err; err != nil && len(s.staff.entries) > 0 {
					t.Errorf("staff read %q", s.staff.entries)
				}
			})
		})
	}
}

// TestRequestThatCannotBeServedIsLeft: whoever sent it need not wait.
func TestRequestThatCannotBeServedIsLeft(t *testing.T) {
	d := &discord{}
	s := newResponder(reply("hello"), d)
	event := command()
	event.UserID, event.Inline = "", &request{discord: d}
	s.Serve(event)
	if diff := cmp.Diff([]string{"leave"}, whats(d.sent())); diff != "" {
		t.Errorf("said (-want +got):\n%s", diff)
	}
}

// TestStoppingDeclinesARequestBeforeAnythingIsDone, so that a proxy may send it to another replica.
func TestStoppingDeclinesARequestBeforeAnythingIsDone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &discord{}
		s := newResponder(func(context.Context, *interaction.Request) (interaction.Response, error) {
			t.Error("the handler is called")
			return interaction.Reply(say("hello")), nil
		}, d)
		s.Stop()
		event := press()
		event.Inline = &request{discord: d}
		s.Serve(event)
		if diff := cmp.Diff([]call{{"decline", 0}}, d.sent(), cmp.AllowUnexported(call{})); diff != "" {
			t.Errorf("said (-want +got):\n%s", diff)
		}
		if s.observed[0].Outcome != "elsewhere" {
			t.Errorf("observed %+v", s.observed)
		}
	})
}

// TestTimeCountsFromTheArrivalOfTheRequest: reading its body has taken some of it.
func TestTimeCountsFromTheArrivalOfTheRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &discord{}
		s := newResponder(slow(2*time.Second, reply("hello")), d)
		event := command()
		event.Inline, event.ReceivedAt = &request{discord: d}, time.Now().Add(-time.Second)
		s.Serve(event)
		if want := (call{"defer", 500 * ms}); d.sent()[0] != want {
			t.Errorf("first %v, want %v", d.sent()[0], want)
		}
	})
}

func whats(calls []call) []string {
	var list []string
	for _, c := range calls {
		list = append(list, c.what)
	}
	return list
}

// TestStoppingDeclinesARequestForWhichThereIsNoRoom has so many be refused that more are dropped.
func TestStoppingDeclinesARequestForWhichThereIsNoRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &discord{latency: time.Second}
		s := newResponder(slow(2*time.Second, reply("hello")), d)
		for i := range 2000 {
			go s.Serve(of(1, numbered(command(), i)))
		}
		synctest.Wait()
		for _, stopping := range []bool{false, true} {
			if stopping {
				s.Stop()
			}
			dropped := &request{discord: &discord{}}
			event := of(1, numbered(command(), 2000))
			event.Inline = dropped
			s.Serve(event)
			want := map[bool]string{false: "leave", true: "decline"}[stopping]
			if got := whats(dropped.sent()); !slices.Equal(got, []string{want}) {
				t.Errorf("stopping %t: said %q, want %q", stopping, got, want)
			}
		}
		s.Drain(t.Context())
		s.Close(t.Context())
	})
}
