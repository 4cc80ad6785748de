package commands_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"hostbot/bot/interaction"
	"hostbot/hostapi"
)

func TestExplain(t *testing.T) {
	c := newCommands(t, &world{})
	for code, want := range map[hostapi.Code]string{
		hostapi.CodeUnauthorized: "turned us away", hostapi.CodeForbidden: "not allowed", hostapi.CodeConflict: "busy",
		hostapi.CodeLimitReached: "plan", hostapi.CodeRateLimited: "Try again", hostapi.CodeUnavailable: "cannot be reached",
		hostapi.CodeMalformed: "makes no sense", hostapi.CodeCanceled: "cut short", hostapi.CodeInternal: "our side", "else": "our side",
	} {
		e := c.Explain(&interaction.Request{Locale: "en-US", Reference: "REF1234"}, fmt.Errorf("wrapped: %w", &hostapi.Error{Code: code, Op: hostapi.OpList, Detail: "sorry, root password is x"}))
		wantText(t, e.Message, want, "REF1234")
		if !e.Fault {
			t.Errorf("staff are not told of %s", code)
		}
		if strings.Contains(text(e.Message), "password") {
			t.Errorf("%s shows the customer what is for staff", code)
		}
	}
	e := c.Explain(&interaction.Request{Locale: "de"}, &hostapi.Error{Code: hostapi.CodeNotFound, Op: hostapi.OpList})
	wantText(t, e.Message, "Discord")
	if e.Fault {
		t.Error("somebody without an account is no fault")
	}
	for _, err := range []error{interaction.ErrNoRoute, interaction.ErrStopping, interaction.ErrBusy, interaction.ErrTooQuick} {
		if e := c.Explain(&interaction.Request{}, err); e.Fault || text(e.Message) == "" {
			t.Errorf("%v: %+v", err, e)
		}
	}
	blocked := c.Explain(&interaction.Request{Reference: "REF1234"}, fmt.Errorf("%w: %w", interaction.ErrBlocked, errors.New("x")))
	wantText(t, blocked.Message, "Discord does not accept", "direct message", "REF1234")
	notBegun := c.Explain(&interaction.Request{Reference: "REF1234"}, fmt.Errorf("%w: %w", interaction.ErrNotBegun, errors.New("x")))
	wantText(t, notBegun.Message, "nothing was done", "direct message", "REF1234")
	midway := c.Explain(&interaction.Request{Reference: "REF1234"}, fmt.Errorf("%w: %w", interaction.ErrMidway, interaction.ErrPanic))
	wantText(t, midway.Message, "may have been done", "REF1234")
	late := c.Explain(&interaction.Request{Reference: "REF1234"}, interaction.ErrTooSlow)
	wantText(t, late.Message, "the form could not be opened", "REF1234")
	if e := c.Explain(&interaction.Request{Reference: "REF1234"}, errors.New("x")); !e.Fault {
		t.Error("an unforeseen error is not a fault")
	}
}

// What Discord has refused holds words of the service. How an action ended is then
// said without them, and as it is.
func TestHowAnActionEndedInShort(t *testing.T) {
	c := newCommands(t, &world{})
	for outcome, want := range map[interaction.Outcome]string{
		interaction.Done: "**Restart**: done", interaction.Failed: "**Restart**: failed", interaction.Unconfirmed: "**Restart**: not confirmed",
	} {
		err := &interaction.UnshownError{Action: interaction.Action{Name: "restart", BotName: "badword", BotID: "badword", Outcome: outcome}, Cause: errors.New("badword")}
		e := c.Explain(&interaction.Request{Locale: "en-US", Reference: "REF1234"}, err)
		wantText(t, e.Message, want, "REF1234")
		if said := text(e.Message); strings.Contains(said, "badword") || strings.Contains(said, "went wrong") || !e.Fault {
			t.Errorf("%s: %+v", outcome, e)
		}
	}
	for _, language := range []string{"en-US", "de", "tr"} {
		for _, action := range []string{"start", "restart", "stop", "reinstall", "startup", "delete", "create"} {
			e := c.Explain(&interaction.Request{Locale: language}, &interaction.UnshownError{Action: interaction.Action{Name: action, Outcome: interaction.Done}, Cause: errors.New("x")})
			if said := text(e.Message); strings.Contains(said, "log.action") || strings.Contains(said, "error.") || strings.Contains(said, "no value") {
				t.Errorf("%s in %s: %s", action, language, said)
			}
		}
	}
}
