package responder_test

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"hostbot/bot/actions/recovery"
	"hostbot/bot/discord/rest"
	"hostbot/bot/interaction"
)

// restarting acts after the first response, on a bot. unshared is as
// interaction.Response has it.
func restarting(unshared bool) interaction.Handler {
	h := then("running", acted("done"))
	return func(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
		response, err := h(ctx, r)
		response.Begins, response.Unshared = &interaction.Action{Name: "restart"}, unshared
		return response, err
	}
}

func (d *discord) whats() (whats []string) {
	for _, c := range d.sent() {
		whats = append(whats, c.what)
	}
	return whats
}

func TestRecordIsKeptFromBeforeTheFirstResponseUntilTheEndIsTold(t *testing.T) {
	s := newResponder(restarting(false), &discord{})
	s.Serve(press())
	want := []string{"record restart " + interactionToken, "update running", "edit done", "remove the record"}
	if got := s.discord.whats(); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestASecondActionIsRecordedInPlaceOfTheFirst has an action go on with another one
// once it has ended.
func TestASecondActionIsRecordedInPlaceOfTheFirst(t *testing.T) {
	first := restarting(false)
	s := newResponder(func(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
		created, err := first(ctx, r)
		created.Begins = &interaction.Action{Name: "create"}
		created.Then = func(ctx context.Context) (interaction.Response, error) {
			second, err := first(ctx, r)
			second.Message = say("created")
			second.Action = &interaction.Action{Name: "create", Outcome: interaction.Done}
			return second, err
		}
		return created, err
	}, &discord{})
	s.Serve(press())
	want := []string{
		"record create " + interactionToken, "update running", "remove the record",
		"record restart " + interactionToken, "edit created", "edit done", "remove the record",
	}
	if got := s.discord.whats(); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if want := []string{"action create", "action restart"}; !slices.Equal(s.staff.entries, want) {
		t.Errorf("staff are told %q, want %q", s.staff.entries, want)
	}
}

// TestUnsharedActionNeedsACertainAcknowledgement has Discord take a first response
// and not say so. What it says to the next try may then be about another process's.
func TestUnsharedActionNeedsACertainAcknowledgement(t *testing.T) {
	for name, test := range map[string]struct {
		unshared  bool
		overtaken string
		errs      []error
		end       string // "": none
	}{
		"certain":                             {unshared: true, end: "edit done"},
		"certain after a failure":             {unshared: true, errs: []error{unavailable}, end: "edit done"},
		"uncertain":                           {unshared: true, errs: []error{unavailable, answered}, end: "edit sorry"},
		"uncertain, and another process acts": {unshared: true, overtaken: "done", errs: []error{unavailable, answered}},
		"uncertain, and no other process has": {errs: []error{unavailable, answered}, end: "edit done"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newResponder(restarting(test.unshared), &discord{errs: map[string][]error{"update": test.errs}, overtaken: test.overtaken})
				s.Serve(press())
				for _, end := range []string{"edit done", "edit sorry"} {
					if n := s.discord.count(end); n != 0 != (end == test.end) {
						t.Errorf("%d times %q, want %q alone", n, end, test.end)
					}
				}
			})
		})
	}
}

func TestUnsharedActionNeedsACertainDeferral(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &discord{errs: map[string][]error{"defer update": {unavailable, answered}}}
		s := newResponder(slow(1600*ms, restarting(true)), d)
		s.Serve(press())
		if d.count("edit done") != 0 || d.count("follow up sorry") != 1 {
			t.Errorf("%q", d.whats())
		}
	})
}

func TestFinishTellsStaffAndTheCaller(t *testing.T) {
	for name, test := range map[string]struct {
		token string
		told  []string
	}{
		"with a token that is good":      {token: interactionToken, told: []string{"edit perhaps"}},
		"with one that is not, any more": {},
	} {
		t.Run(name, func(t *testing.T) {
			s := newResponder(restarting(false), &discord{})
			e := press()
			e.ReceivedAt = time.Now()
			record := recovery.Record{Request: e.Request, Action: interaction.Action{Name: "restart"}}
			record.To = rest.Callback{InteractionID: e.ID, ApplicationID: "2"}
			if test.token != "" {
				record.To.Token = e.Token
			}
			s.Finish(record)
			if got := s.discord.whats(); !slices.Equal(got, test.told) {
				t.Errorf("the caller is told %q, want %q", got, test.told)
			}
			if want := []string{"failure " + interaction.ErrInterrupted.Error(), "action restart"}; !slices.Equal(s.staff.entries, want) {
				t.Errorf("staff are told %q, want %q", s.staff.entries, want)
			}
		})
	}
}
