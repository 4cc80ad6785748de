package responder_test

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/discord/rest"
	"hostbot/bot/interaction"
)

// TestServe runs on a clock of its own: times are exact and take no time.
func TestServe(t *testing.T) {
	const deferral = 1500 * time.Millisecond
	keep := func(context.Context, *interaction.Request) (interaction.Response, error) {
		return interaction.Keep(), nil
	}
	tests := map[string]struct {
		event   *interaction.Event
		handler interaction.Handler
		errs    map[string][]error // Discord's, by kind of call
		calls   []call
		staff   []string
		outcome string
	}{
		"in time": {
			event: command(), handler: slow(time.Second, reply("hello")),
			calls: []call{{"reply hello", time.Second}}, outcome: "ok",
		},
		"a slow command is deferred and edited": {
			event: command(), handler: slow(5*time.Second, reply("hello")),
			calls: []call{{"defer", deferral}, {"edit hello", 5 * time.Second}}, outcome: "ok",
		},
		"a slow press is deferred and its message edited": {
			event: press(), handler: slow(5*time.Second, acted("done")),
			calls: []call{{"defer update", deferral}, {"edit done", 5 * time.Second}},
			staff: []string{"action restart"}, outcome: "ok",
		},
		"a reply to a slow press leaves its message alone": {
			event: press(), handler: slow(5*time.Second, reply("hello")),
			calls: []call{{"defer update", deferral}, {"follow up hello", 5 * time.Second}}, outcome: "ok",
		},
		"a press that is to change nothing": {
			event: press(), handler: slow(time.Second, keep), calls: []call{{"keep ", time.Second}}, outcome: "ok",
		},
		"a slow press that is to change nothing": {
			event: press(), handler: slow(5*time.Second, keep), calls: []call{{"defer update", deferral}}, outcome: "ok",
		},
		// What was chosen in a menu can be chosen again once its message is updated.
		"a reply to what was chosen in a menu": {
			event: choose("do"), handler: reply("hello"), calls: []call{{"reset", 0}, {"follow up hello", 0}}, outcome: "ok",
		},
		"a refusal of what was chosen in a menu": {
			event: choose("do"), handler: failing(errRefused), calls: []call{{"reset", 0}, {"follow up sorry", 0}}, outcome: "refused",
		},
		"a choice in a menu whose message stays": {
			event: choose(aside), handler: reply("hello"), calls: []call{{"reset", 0}, {"follow up hello", 0}}, outcome: "ok",
		},
		"a slow choice in a menu whose message stays": {
			event: choose(aside), handler: slow(5*time.Second, reply("hello")),
			calls: []call{{"reset", deferral}, {"follow up hello", 5 * time.Second}}, outcome: "ok",
		},
		"a choice in a menu whose message stays, with an old answer and then a new one": {
			event: choose(aside), handler: renewed("old", "new"),
			calls: []call{{"reset", 0}, {"follow up old", 0}, {"edit further new", time.Second}}, outcome: "ok",
		},
		"a choice in a menu that Discord has perhaps taken note of": {
			event: choose(aside), handler: reply("hello"), errs: map[string][]error{"reset": slices.Repeat([]error{unavailable}, 9)},
			calls: []call{
				{"reset", 0}, {"reset", 170 * time.Millisecond}, {"reset", 510 * time.Millisecond}, {"reset", 1190 * time.Millisecond},
				{"reset", 2550 * time.Millisecond}, {"follow up hello", 2550 * time.Millisecond},
			},
			outcome: "ok",
		},
		"a slow reply to what was chosen in a menu": {
			event: choose("do"), handler: slow(5*time.Second, reply("hello")),
			calls: []call{{"reset", deferral}, {"follow up hello", 5 * time.Second}}, outcome: "ok",
		},
		"a choice in a menu that updates its message": {
			event: choose("do"), handler: updated("page"), calls: []call{{"update page", 0}}, outcome: "ok",
		},
		"a choice in a menu that changes something": {
			event: choose("do"), handler: deferring(slow(time.Second, updated("changed"))),
			calls: []call{{"reset", 0}, {"edit changed", time.Second}}, outcome: "ok",
		},
		"a form is opened under an ID of its own": {
			event: press(), handler: func(context.Context, *interaction.Request) (interaction.Response, error) {
				return interaction.Open(&interaction.Dialog{CustomID: "form/a"}), nil
			},
			calls: []call{{"modal form/a#0000000000001", 0}}, outcome: "ok",
		},
		"suggestions are never deferred": {
			event: typing(), handler: slow(2*time.Second, func(context.Context, *interaction.Request) (interaction.Response, error) {
				return interaction.Suggest(nil), nil
			}),
			calls: []call{{"suggest ", 2 * time.Second}}, outcome: "ok",
		},
		"work goes on after the first response": {
			event: press(), handler: then("running", slow(time.Minute, acted("done"))),
			calls: []call{{"update running", 0}, {"edit done", time.Minute}},
			staff: []string{"action restart"}, outcome: "ok",
		},
		"work that goes on fails": {
			event: press(), handler: then("running", failing(errors.New("broken"))),
			calls: []call{{"update running", 0}, {"edit sorry", 0}},
			staff: []string{"failure broken"}, outcome: "failed",
		},
		"a change is made once Discord has taken note of a press": {
			event: press(), handler: deferring(slow(time.Second, updated("changed"))),
			calls: []call{{"defer update", 0}, {"edit changed", time.Second}}, outcome: "ok",
		},
		"and of a command": {
			event: command(), handler: deferring(reply("changed")),
			calls: []call{{"defer", 0}, {"edit changed", 0}}, outcome: "ok",
		},
		"a change of which Discord takes note late": {
			event: press(), handler: slow(5*time.Second, deferring(updated("changed"))),
			calls: []call{{"defer update", deferral}, {"edit changed", 5 * time.Second}}, outcome: "ok",
		},
		"a change leads to a page that is updated": {
			event: press(), handler: deferring(then("old", slow(time.Second, acted("new")))),
			calls: []call{{"defer update", 0}, {"edit old", 0}, {"edit new", time.Second}},
			staff: []string{"action restart"}, outcome: "ok",
		},
		"a change that fails leaves the message alone": {
			event: press(), handler: deferring(failing(errRefused)),
			calls: []call{{"defer update", 0}, {"follow up sorry", 0}}, outcome: "refused",
		},
		"nothing is changed for a caller who was answered elsewhere": {
			event: press(), handler: deferring(updated("changed")), errs: map[string][]error{"defer update": {answered}},
			calls: []call{{"defer update", 0}}, outcome: "ok",
		},
		"nothing is changed where Discord refuses to take note": {
			event: press(), handler: deferring(updated("changed")), errs: map[string][]error{"defer update": {&rest.Error{Status: 403}}},
			calls: []call{{"defer update", 0}},
			staff: []string{"failure the caller could not be told: discord: status 403: "}, outcome: "unanswered",
		},
		"what the caller can mend is not told to staff": {
			event: command(), handler: failing(errRefused),
			calls: []call{{"reply sorry", 0}}, outcome: "refused",
		},
		"a fault is": {
			event: press(), handler: failing(errors.New("broken")),
			calls: []call{{"reply sorry", 0}},
			staff: []string{"failure broken"}, outcome: "failed",
		},
		"a panic is a fault": {
			event: command(), handler: func(context.Context, *interaction.Request) (interaction.Response, error) { panic("oh") },
			calls: []call{{"reply sorry", 0}},
			staff: []string{"failure interaction: handler panicked: oh"}, outcome: "failed",
		},
		"a handler that makes no response": {
			event: command(), handler: failing(nil),
			calls: []call{{"reply sorry", 0}},
			staff: []string{"failure interaction: the handler made no response"}, outcome: "failed",
		},
		"work that makes no response": {
			event: press(), handler: then("running", failing(nil)),
			calls: []call{{"update running", 0}, {"edit sorry", 0}},
			staff: []string{"failure interaction: the handler made no response"}, outcome: "failed",
		},
		"nobody knows what came of work that panics": {
			event: press(), handler: then("running", func(context.Context, *interaction.Request) (interaction.Response, error) { panic("oh") }),
			calls: []call{{"update running", 0}, {"edit perhaps", 0}},
			staff: []string{"failure interaction: broke off midway: interaction: handler panicked: oh"}, outcome: "failed",
		},
		"an answer that was lost is no failure": {
			event: command(), handler: reply("hello"), errs: map[string][]error{"reply": {unavailable, answered}},
			calls: []call{{"reply hello", 0}, {"reply hello", 170 * time.Millisecond}}, outcome: "ok",
		},
		"another process answers": {event: press(), handler: failing(interaction.ErrHandledElsewhere), outcome: "elsewhere"},
		"another process answers and was faster": {
			event: press(), handler: slow(2*time.Second, failing(interaction.ErrHandledElsewhere)), errs: map[string][]error{"defer update": {answered}},
			calls: []call{{"defer update", deferral}}, outcome: "elsewhere",
		},
		"another process gets no answer in after this one's deferral": {
			event: command(), handler: slow(2*time.Second, failing(interaction.ErrHandledElsewhere)),
			calls: []call{{"defer", deferral}, {"edit sorry", 2 * time.Second}},
			staff: []string{"failure interaction: another process answers it"}, outcome: "failed",
		},
		"nothing is done for a caller who was answered elsewhere": {
			event: press(), handler: then("running", acted("done")), errs: map[string][]error{"update": {answered}},
			calls: []call{{"update running", 0}}, outcome: "ok",
		},
		"what may not have been taken is not corrected where it promises nothing": {
			event: command(), handler: reply("hello"), errs: map[string][]error{"reply": {tooLate}},
			calls: []call{{"reply hello", 0}},
			staff: []string{"failure the caller could not be told: discord: status 404, code 10062: "}, outcome: "unanswered",
		},
		"a deferral that Discord says not to know is corrected": {
			event: command(), handler: slow(2*time.Second, reply("hello")), errs: map[string][]error{"defer": {tooLate}},
			calls: []call{{"defer", deferral}, {"edit sorry", 2 * time.Second}},
			staff: []string{"failure the caller could not be told: discord: status 404, code 10062: "}, outcome: "unanswered",
		},
		"a correction of what Discord does not know is not repeated": {
			event: press(), handler: then("running", acted("done")), errs: map[string][]error{"update": {tooLate}, "edit": {unknown}},
			calls: []call{{"update running", 0}, {"edit perhaps", 0}},
			staff: []string{"failure the caller could not be told: discord: status 404, code 10062: "}, outcome: "unanswered",
		},
		"what Discord finds malformed is replaced": {
			event: command(), handler: reply("x"), errs: map[string][]error{"reply": {malformed}},
			calls: []call{{"reply x", 0}, {"reply sorry", 0}},
			staff: []string{"failure discord: status 400, code 50035: "}, outcome: "failed",
		},
		"a message that is moderated says the end in other words": {
			event: press(), handler: then("running", slow(time.Minute, acted("done"))), errs: map[string][]error{"edit": {moderated}},
			calls: []call{{"update running", 0}, {"edit done", time.Minute}, {"edit done, in short", time.Minute}},
			staff: []string{
				"action restart",
				"failure interaction: how an action ended cannot be shown: discord: status 400, code 200000: Message was blocked by automatic moderation",
			}, outcome: "failed",
		},
		"so does one that is too large": {
			event: press(), handler: then("running", acted("done")), errs: map[string][]error{"edit": {&rest.Error{Status: 413, Code: 40005}}},
			calls: []call{{"update running", 0}, {"edit done", 0}, {"edit done, in short", 0}},
			staff: []string{"action restart", "failure interaction: how an action ended cannot be shown: discord: status 413, code 40005: "}, outcome: "failed",
		},
		"a first response that is moderated does nothing and says so": {
			event: press(), handler: then("running", acted("done")), errs: map[string][]error{"update": {moderated}},
			calls: []call{{"update running", 0}, {"reply not begun", 0}},
			staff: []string{
				"failure interaction: discord does not take that something begins: discord: status 400, code 200000: Message was blocked by automatic moderation",
			}, outcome: "failed",
		},
		"an answer that is moderated": {
			event: command(), handler: reply("hello"), errs: map[string][]error{"reply": {moderated}},
			calls: []call{{"reply hello", 0}, {"reply blocked", 0}},
			staff: []string{
				"failure interaction: discord does not take the response: discord: status 400, code 200000: Message was blocked by automatic moderation",
			}, outcome: "failed",
		},
		"an answer that is refused for another reason": {
			event: command(), handler: reply("hello"), errs: map[string][]error{"reply": {&rest.Error{Status: 400, Code: rest.CodeWrongChannelType}}},
			calls: []call{{"reply hello", 0}, {"reply blocked", 0}},
			staff: []string{
				"failure interaction: discord does not take the response: discord: status 400, code 50024: ",
			}, outcome: "failed",
		},
		"a token that Discord does not know yet": {
			event: press(), handler: then("running", acted("done")), errs: map[string][]error{"edit": {unknown, unknown}},
			calls: []call{{"update running", 0}, {"edit done", 0}, {"edit done", time.Second}, {"edit done", 3 * time.Second}},
			staff: []string{"action restart"}, outcome: "ok",
		},
		"a token that Discord does not know for ten seconds": { // discord-api-docs#7220
			event: press(), handler: then("running", acted("done")), errs: map[string][]error{"edit": {unknown, unknown, unknown, unknown}},
			calls: []call{{"update running", 0}, {"edit done", 0}, {"edit done", time.Second}, {"edit done", 3 * time.Second}, {"edit done", 7 * time.Second}, {"edit done", 15 * time.Second}},
			staff: []string{"action restart"}, outcome: "ok",
		},
		"a token that Discord does not know for good": {
			event: press(), handler: then("running", acted("done")), errs: map[string][]error{"edit": slices.Repeat([]error{unknown}, 7)},
			calls: []call{
				{"update running", 0}, {"edit done", 0}, {"edit done", time.Second}, {"edit done", 3 * time.Second}, {"edit done", 7 * time.Second},
				{"edit done", 15 * time.Second}, {"edit done", 31 * time.Second},
			},
			staff: []string{"action restart", "failure the caller could not be told: discord: status 404, code 10015: "}, outcome: "unanswered",
		},
		"a wait that is longer than the token lives": {
			event: press(), handler: then("running", slow(14*time.Minute, acted("done"))),
			errs:  map[string][]error{"edit": {&rest.Error{Status: 429, RetryAfter: 90 * time.Second}}},
			calls: []call{{"update running", 0}, {"edit done", 14 * time.Minute}},
			staff: []string{"action restart", "failure the caller could not be told: discord: status 429: "}, outcome: "unanswered",
		},
		"an edit that is blocked is not taken for one of a message that was dismissed": {
			event: press(), handler: then("running", acted("done")),
			errs:  map[string][]error{"edit": {&rest.Error{Status: 403, Code: rest.CodeUnknownMessage}}},
			calls: []call{{"update running", 0}, {"edit done", 0}},
			staff: []string{"action restart", "failure the caller could not be told: discord: status 403, code 10008: "}, outcome: "unanswered",
		},
		"an edit is repeated until Discord is back": {
			event: press(), handler: then("running", acted("done")),
			errs:  map[string][]error{"edit": {&rest.Error{Status: 429, RetryAfter: 7 * time.Second}}},
			calls: []call{{"update running", 0}, {"edit done", 0}, {"edit done", 7 * time.Second}},
			staff: []string{"action restart"}, outcome: "ok",
		},
		"a response that may have been taken is corrected where it is refused later": {
			event: press(), handler: then("running", acted("done")), errs: map[string][]error{"update": {unavailable, tooLate}},
			calls: []call{{"update running", 0}, {"update running", 170 * time.Millisecond}, {"edit sorry", 170 * time.Millisecond}},
			staff: []string{"failure the caller could not be told: discord: status 404, code 10062: "}, outcome: "unanswered",
		},
		"suggestions that come too late are not told to staff": {
			event: typing(), handler: slow(time.Hour, reply("x")), errs: map[string][]error{"suggest": {tooLate}},
			calls: []call{{"suggest ", 2 * time.Second}}, outcome: "unanswered",
		},
		"a slow press whose work fails later": {
			event: press(), handler: slow(2*time.Second, then("running", failing(errors.New("broken")))),
			calls: []call{{"defer update", deferral}, {"edit running", 2 * time.Second}, {"edit sorry", 2 * time.Second}},
			staff: []string{"failure broken"}, outcome: "failed",
		},
		"what was entered is refused, which is no failure": {
			event: press(), handler: then("running", refusing("typed")),
			calls: []call{{"update running", 0}, {"edit not accepted", 0}},
			staff: []string{"action create"}, outcome: "refused",
		},
		"an answer beside a message is sent until Discord says that it has it": {
			event: press(), handler: slow(2*time.Second, reply("hello")), errs: map[string][]error{"follow up": {&rest.Error{Status: 503, Uncertain: true, RetryAfter: 7 * time.Second}}},
			calls:   []call{{"defer update", deferral}, {"follow up hello", 2 * time.Second}, {"follow up hello", 9 * time.Second}},
			outcome: "ok",
		},
		"a message that was dismissed": {
			event: press(), handler: then("running", acted("done")),
			errs:  map[string][]error{"edit": {&rest.Error{Status: 404, Code: rest.CodeUnknownMessage}}},
			calls: []call{{"update running", 0}, {"edit done", 0}},
			staff: []string{"action restart"}, outcome: "ok",
		},
		"what explains an error may fail as well": {
			event: command(), handler: failing(errUnspeakable),
			staff: []string{"failure interaction: handler panicked: unspeakable"}, outcome: "",
		},
		"an event without data": {
			event: event(discordgo.InteractionApplicationCommand, `"data":7`), handler: reply("x"),
			calls: []call{{"reply sorry", 0}},
			staff: []string{"failure interaction: event is incomplete"}, outcome: "failed",
		},
		"an event without anything": {
			event: &interaction.Event{}, handler: reply("x"),
			staff: []string{"unreadable interaction: event is incomplete"}, outcome: "unanswered",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := &discord{errs: test.errs}
				s := newResponder(test.handler, d)
				s.Serve(test.event)
				if !slices.Equal(d.calls, test.calls) {
					t.Errorf("calls %v, want %v", d.calls, test.calls)
				}
				if !slices.Equal(s.staff.entries, test.staff) {
					t.Errorf("staff read %q, want %q", s.staff.entries, test.staff)
				}
				if test.outcome != "" && (len(s.observed) != 1 || s.observed[0].Outcome != test.outcome) {
					t.Errorf("observed %+v, want outcome %q", s.observed, test.outcome)
				}
				if bytes.Contains(s.log.Bytes(), []byte("typed")) {
					t.Errorf("the log holds what was entered: %s", s.log.String())
				}
				if bytes.Contains(s.log.Bytes(), []byte(interactionToken)) {
					t.Errorf("the log holds the interaction's token: %s", s.log.String())
				}
			})
		})
	}
}

func TestDrainWaitsAndThenHasTheLastSaid(t *testing.T) {
	limited := &rest.Error{Status: 429, RetryAfter: 110 * time.Second}
	for name, test := range map[string]struct {
		work interaction.Handler
		errs map[string][]error
		want []call
	}{
		"by work that is cancelled": {
			work: func(ctx context.Context, _ *interaction.Request) (interaction.Response, error) {
				<-ctx.Done()
				return interaction.Update(say("not confirmed")), nil
			},
			want: []call{{"update running", 0}, {"edit not confirmed", 10 * time.Second}},
		},
		"by an edit that was to wait": {
			work: acted("done"), errs: map[string][]error{"edit": {limited, limited}},
			want: []call{{"update running", 0}, {"edit done", 0}, {"edit done", 10 * time.Second}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := &discord{errs: test.errs}
				s := newResponder(then("running", test.work), d)
				go s.Serve(press())
				synctest.Wait()
				ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
				defer cancel()
				s.Drain(ctx)
				if calls := d.sent(); !slices.Equal(calls, test.want) {
					t.Errorf("calls %v, want %v", calls, test.want)
				}
			})
		})
	}
}

// What counts is when an event arrived, whatever its ID and the clocks say. Only
// what Discord replays to a session that resumes is older than that.
func TestAnEventIsDeferredInTimeAfterItsArrival(t *testing.T) {
	for name, test := range map[string]struct {
		clock    time.Duration // by which this machine's was set forward
		replayed bool
		deferred time.Duration // after the arrival
	}{
		"that arrives":                  {deferred: 1500 * ms},
		"after the clock was set":       {clock: 20 * time.Second, deferred: 1500 * ms},
		"that is replayed":              {replayed: true, deferred: 100 * ms},
		"that is replayed after a step": {clock: 20 * time.Second, replayed: true, deferred: 100 * ms},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				<-time.After(16 * 365 * 24 * time.Hour) // Discord's IDs begin with 2015
				d := &discord{}
				s := newResponder(slow(5*time.Second, reply("hello")), d)
				made := func(at time.Time) *interaction.Event {
					e := command()
					e.ID = strconv.FormatInt((at.UnixMilli()-1420070400000)<<22, 10)
					e.Message = e.ID
					return e
				}
				s.Serve(made(time.Now()))
				d.calls, d.started = nil, time.Now()
				e := made(time.Now().Add(-test.clock))
				e.Replayed = test.replayed
				s.Serve(e)
				if len(d.calls) != 2 || d.calls[0] != (call{"defer", test.deferred}) {
					t.Errorf("calls %v, want it to be deferred after %v", d.calls, test.deferred)
				}
			})
		})
	}
}
