package responder_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"hostbot/bot/actions"
	"hostbot/bot/discord/rest"
	"hostbot/bot/interaction"
	"hostbot/hostapi/secret"
)

// restarting acts after the first response, on a bot, and notes that with what is sent. alone is
// for an action that other processes may carry out as well.
func restarting(d *discord, alone bool) interaction.Handler {
	h := then("running", acted("done"))
	return func(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
		response, err := h(ctx, r)
		response.Then.Does = interaction.Act{Action: &interaction.Action{Name: "restart"}, Lock: lock{d, "restart", alone}}
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
		created.Then.Does = interaction.Act{Action: &interaction.Action{Name: "create"}, Lock: lock{d, "create", false}}
		created.Then.Run = func(ctx context.Context) (interaction.Response, error) {
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
		created.Then.Does = interaction.Act{Action: &interaction.Action{Name: "create"}, Lock: lock{d, "create", false}}
		created.Then.Run = func(ctx context.Context) (interaction.Response, error) {
			s.Serve(numbered(press(), 1))
			second, err := first(ctx, r)
			second.Message, second.Subject = say("created"), "the bot"
			second.Action = &interaction.Action{Name: "create", Outcome: interaction.Done}
			end := second.Then.Run
			second.Then.Run = func(ctx context.Context) (interaction.Response, error) {
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
	gone := &rest.Error{Status: 404, Code: 10008}
	for name, test := range map[string]struct {
		known   bool
		token   secret.Text
		discord *discord
		what    []string
		entries []string
		again   bool
	}{
		"with a token that is good":      {false, interactionToken, &discord{}, []string{"told restart", "edit perhaps"}, entries, false},
		"with one that is not, any more": {false, "", &discord{}, []string{"told restart"}, entries, false},
		"that staff know of":             {true, interactionToken, &discord{}, []string{"edit perhaps"}, nil, false},
		"whose end is shown":             {true, interactionToken, &discord{shown: "done"}, nil, nil, false},
		"whose message was dismissed":    {true, interactionToken, &discord{original: gone}, nil, nil, false},
		"while Discord is away":          {true, interactionToken, &discord{original: unavailable}, nil, nil, true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				s := newResponder(reply("unused"), test.discord)
				report := actions.Report{
					Request: press().Request, Action: interaction.Action{Name: "restart"}, Known: test.known, Lock: lock{test.discord, "restart", false},
				}
				report.Request.Token, report.Request.ReceivedAt = test.token, time.Now()
				if err := s.Report(ctx, report); (err != nil) != test.again {
					t.Errorf("it is to be tried again: %v", err)
				}
				if got := s.discord.whats(); !slices.Equal(got, test.what) {
					t.Errorf("what happens: %q, want %q", got, test.what)
				}
				if !slices.Equal(s.staff.entries, test.entries) {
					t.Errorf("staff are told %q, want %q", s.staff.entries, test.entries)
				}
			})
		})
	}
}

// TestReportsOfOneMessageChangeItOnce reports many actions of one interaction at the same time.
func TestReportsOfOneMessageChangeItOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &discord{latency: time.Second}
		s := newResponder(reply("unused"), d)
		var reporting sync.WaitGroup
		for i := range 10 {
			r := press().Request
			r.ID, r.ReceivedAt = fmt.Sprint(r.ID, "/", i), time.Now()
			reporting.Go(func() {
				if err := s.Report(t.Context(), actions.Report{Request: r, Action: interaction.Action{Name: "restart"}, Lock: lock{d, "restart", false}}); err != nil {
					t.Error(err)
				}
			})
		}
		reporting.Wait()
		if edits, lines := d.count("edit perhaps"), d.count("told restart"); edits != 1 || lines != 10 {
			t.Errorf("the message is changed %d times, and staff are told of %d actions", edits, lines)
		}
	})
}
