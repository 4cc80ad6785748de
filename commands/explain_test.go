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
	unshown := c.Explain(&interaction.Request{Reference: "REF1234"}, interaction.ErrUnshown)
	wantText(t, unshown.Message, "before you try it again", "REF1234")
	midway := c.Explain(&interaction.Request{Reference: "REF1234"}, fmt.Errorf("%w: %w", interaction.ErrMidway, interaction.ErrPanic))
	wantText(t, midway.Message, "may have been done", "REF1234")
	late := c.Explain(&interaction.Request{Reference: "REF1234"}, interaction.ErrTooSlow)
	wantText(t, late.Message, "the form could not be opened", "REF1234")
	if e := c.Explain(&interaction.Request{Reference: "REF1234"}, errors.New("x")); !e.Fault {
		t.Error("an unforeseen error is not a fault")
	}
}
