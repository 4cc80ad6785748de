package responder_test

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"hostbot/bot/actions"
	"hostbot/bot/interaction"
	"hostbot/hostapi/secret"
)

// restarting acts after the first response, on a bot, and notes that with what is sent. alone is
// for an action that other processes may carry out as well.
func restarting(d *discord, alone bool) interaction.Handler {
	h := then("running", acted("done"))
	return func(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
		response, err := h(ctx, r)
		response.Starts, response.Lock = &interaction.Action{Name: "restart"}, lock{d, "restart", alone}
		return response, err
	}
}

func (d *discord) whats() (whats []string) {
	for _, c := range d.sent() {
		whats = append(whats, c.what)
	}
	return whats
}

func TestRecordIsKeptUntilTheEndIsTold(t *testing.T) {
	d := &discord{}
	s := newResponder(restarting(d, false), d)
	s.Serve(press())
	want := []string{"update running", "told restart", "edit done", "close restart"}
	if got := s.discord.whats(); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestASecondActionIsRecordedInPlaceOfTheFirst has an action go on with another one
// once it has ended.
func TestASecondActionIsRecordedInPlaceOfTheFirst(t *testing.T) {
	d := &discord{}
	first := restarting(d, false)
	s := newResponder(func(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
		created, err := first(ctx, r)
		created.Starts, created.Lock = &interaction.Action{Name: "create"}, lock{d, "create", false}
		created.Then = func(ctx context.Context) (interaction.Response, error) {
			second, err := first(ctx, r)
			second.Message = say("created")
			second.Action = &interaction.Action{Name: "create", Outcome: interaction.Done}
			return second, err
		}
		return created, err
	}, d)
	s.Serve(press())
	want := []string{
		"update running", "told create", "close create", "edit created", "told restart", "edit done", "close restart",
	}
	if got := s.discord.whats(); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if want := []string{"action create", "action restart"}; !slices.Equal(s.staff.entries, want) {
		t.Errorf("staff are told %q, want %q", s.staff.entries, want)
	}
}

// TestASecondActionIsCarriedOutThoughTheCallerHasMovedOn has something else put into the message
// while the first action runs: the end of both is told in one message of its own.
func TestASecondActionIsCarriedOutThoughTheCallerHasMovedOn(t *testing.T) {
	d := &discord{}
	first := restarting(d, false)
	var s *server
	s = newResponder(func(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
		if r.ID != "1" {
			other := interaction.Update(say("another page"))
			other.Subject = "another page"
			return other, nil
		}
		created, err := first(ctx, r)
		created.Subject = "the bot"
		created.Starts, created.Lock = &interaction.Action{Name: "create"}, lock{d, "create", false}
		created.Then = func(ctx context.Context) (interaction.Response, error) {
			s.Serve(numbered(press(), 1))
			second, err := first(ctx, r)
			second.Message, second.Subject = say("created"), "the bot"
			second.Action = &interaction.Action{Name: "create", Outcome: interaction.Done}
			end := second.Then
			second.Then = func(ctx context.Context) (interaction.Response, error) {
				r, err := end(ctx)
				r.Subject = "the bot"
				return r, err
			}
			return second, err
		}
		return created, err
	}, d)
	s.Serve(press())
	if d.count("edit created") != 0 || d.count("edit done") != 0 || d.count("follow up created") != 0 || d.count("follow up done") != 1 {
		t.Errorf("%q", d.whats())
	}
	if want := []string{"action create", "action restart"}; !slices.Equal(s.staff.entries, want) {
		t.Errorf("staff are told %q, want %q", s.staff.entries, want)
	}
}

// TestStaffAreNotToldOfWhatWasReported has another process report an action that goes on.
func TestStaffAreNotToldOfWhatWasReported(t *testing.T) {
	d := &discord{}
	starting := restarting(d, false)
	s := newResponder(func(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
		response, err := starting(ctx, r)
		end := response.Then
		response.Then = func(ctx context.Context) (interaction.Response, error) {
			r, err := end(ctx)
			r.Reported, r.Failure = true, errRefused
			return r, err
		}
		return response, err
	}, d)
	s.Serve(press())
	if len(s.staff.entries) > 0 {
		t.Errorf("staff are told %q", s.staff.entries)
	}
	if n := d.count("edit done"); n != 1 {
		t.Errorf("the caller is told %d times", n)
	}
}

// notConfirmed says that an action may have been carried out, as explain has it.
const notConfirmed = "edit unconfirmed, in short"

// TestActionThatOthersMayCarryOutNeedsACertainAcknowledgement has Discord take a first response
// and not say so. What it says to the next try may then be about another process's.
func TestActionThatOthersMayCarryOutNeedsACertainAcknowledgement(t *testing.T) {
	for name, test := range map[string]struct {
		alone bool
		waits []time.Duration // for Discord's answers, in the order of what is sent
		errs  []error         // in the order of the answers
		end   string
	}{
		"certain":                             {alone: true, end: "edit done"},
		"certain after a failure":             {alone: true, errs: []error{unavailable}, end: "edit done"},
		"uncertain":                           {alone: true, errs: []error{unavailable, answered}, end: notConfirmed},
		"not to be had":                       {alone: true, errs: []error{unavailable, unavailable, unavailable, unavailable, unavailable, unavailable}, end: notConfirmed},
		"uncertain, and no other process has": {errs: []error{unavailable, answered}, end: "edit done"},
		"slow, and what is sent beside it is refused, and then itself": {
			alone: true, waits: []time.Duration{1500 * ms}, errs: []error{answered, answered}, end: "", // as another process has answered
		},
		"silent, and what is sent beside it is refused": {
			alone: true, waits: []time.Duration{time.Hour}, errs: []error{answered}, end: notConfirmed,
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := &discord{waits: test.waits, errs: map[string][]error{"update": test.errs}}
				s := newResponder(restarting(d, test.alone), d)
				s.Serve(press())
				for _, end := range []string{"edit done", "edit sorry", notConfirmed} {
					if n := s.discord.count(end); n != 0 != (end == test.end) {
						t.Errorf("%d times %q, want %q alone", n, end, test.end)
					}
				}
			})
		})
	}
}

func TestActionThatOthersMayCarryOutNeedsACertainDeferral(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &discord{errs: map[string][]error{"defer update": {unavailable, answered}}}
		s := newResponder(slow(1600*ms, restarting(d, true)), d)
		s.Serve(press())
		if d.count("edit done") != 0 || d.count("follow up unconfirmed, in short") != 1 {
			t.Errorf("%q", d.whats())
		}
	})
}

func TestReportTellsStaffAndTheCaller(t *testing.T) {
	entries := []string{"failure " + interaction.ErrInterrupted.Error(), "action restart"}
	for name, test := range map[string]struct {
		report  actions.Report
		token   secret.Text
		caller  []string
		entries []string
	}{
		"with a token that is good":      {actions.Report{}, interactionToken, []string{"edit perhaps"}, entries},
		"with one that is not, any more": {actions.Report{}, "", nil, entries},
		"that staff know of":             {actions.Report{Told: true}, interactionToken, []string{"edit perhaps"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			s := newResponder(reply("unused"), &discord{})
			test.report.Request, test.report.Action = press().Request, interaction.Action{Name: "restart"}
			test.report.Request.Token, test.report.Request.ReceivedAt = test.token, time.Now()
			s.Report(test.report)
			if got := s.discord.whats(); !slices.Equal(got, test.caller) {
				t.Errorf("the caller is told %q, want %q", got, test.caller)
			}
			if !slices.Equal(s.staff.entries, test.entries) {
				t.Errorf("staff are told %q, want %q", s.staff.entries, test.entries)
			}
		})
	}
}
