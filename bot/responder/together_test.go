package responder_test

import (
	"context"
	"slices"
	"testing"

	"hostbot/bot/discord/rest"
	"hostbot/bot/interaction"
)

// together acts on two bots at the same time and shows the progress once.
func together(d *discord) interaction.Handler {
	ended := func(bot string) interaction.Ended {
		return interaction.Ended{
			Request: &interaction.Request{ID: "1/" + bot}, Lock: lock{d, bot, false},
			Action: interaction.Action{Name: bot, Outcome: interaction.Done},
		}
	}
	show := func(text string) interaction.Response {
		r := interaction.Update(say(text))
		r.Subject = "all"
		return r
	}
	return func(context.Context, *interaction.Request) (interaction.Response, error) {
		first := show("both")
		first.Then = change(func(context.Context) (interaction.Response, error) {
			half := show("half")
			half.Ended = []interaction.Ended{ended("shop")}
			locks := []interaction.Lock{lock{d, "shop", false}, lock{d, "radio", false}}
			half.Then = &interaction.Work{Does: interaction.Batch{Locks: locks}, Run: func(context.Context) (interaction.Response, error) {
				last := show("all")
				failed := ended("radio")
				failed.Failure = errRefused
				last.Ended = []interaction.Ended{failed}
				return last, nil
			}}
			return half, nil
		})
		return first, nil
	}
}

func TestStaffAreToldOfEachOfSeveralActions(t *testing.T) {
	t.Parallel()
	for name, errs := range map[string][]error{
		"progress that is shown": nil, "progress that is lost": {unavailable}, "a message that is gone for a moment": {&rest.Error{Status: 404, Code: 10008}},
	} {
		d := &discord{errs: map[string][]error{"edit": errs}}
		s := newResponder(together(d), d)
		s.Serve(press())
		want := []string{
			"update both", "told shop", "edit half", "told radio", "edit all", "close shop", "close radio",
		}
		if got := d.whats(); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
		if want := []string{"action shop", "failure refused", "action radio"}; !slices.Equal(s.staff.entries, want) {
			t.Errorf("%s: staff are told %q, want %q", name, s.staff.entries, want)
		}
	}
}

func TestNobodyIsToldToTryAgainWhatWasDoneToSeveralBots(t *testing.T) {
	t.Parallel()
	d := &discord{errs: map[string][]error{"edit": {nil, moderated}}}
	newResponder(together(d), d).Serve(press())
	if d.count("edit perhaps") != 1 {
		t.Errorf("%q", d.whats())
	}
}

// TestTheEndOfSeveralActionsIsToldToWhoHasMovedOn has something else put into the message meanwhile.
func TestTheEndOfSeveralActionsIsToldToWhoHasMovedOn(t *testing.T) {
	t.Parallel()
	d := &discord{}
	acting := together(d)
	var s *server
	moved := false
	s = newResponder(func(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
		if r.ID != "1" {
			other := interaction.Update(say("another page"))
			other.Subject = "another page"
			return other, nil
		}
		response, err := acting(ctx, r)
		then := response.Then.Run
		response.Then.Run = func(ctx context.Context) (interaction.Response, error) {
			if !moved {
				moved = true
				s.Serve(numbered(press(), 1))
			}
			return then(ctx)
		}
		return response, err
	}, d)
	s.Serve(press())
	if d.count("edit half") != 0 || d.count("edit all") != 0 || d.count("follow up all") != 1 {
		t.Errorf("%q", d.whats())
	}
}
