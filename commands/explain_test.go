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
	service := func(code hostapi.Code) error {
		return fmt.Errorf("wrapped: %w", &hostapi.Error{Code: code, Op: hostapi.OpStop, Detail: "sorry, root secret is x"})
	}
	tests := []struct {
		err   error
		want  string
		fault bool
	}{
		{service(hostapi.CodeUnauthorized), "turned us away", true},
		{service(hostapi.CodeForbidden), "not allowed", true},
		{service(hostapi.CodeConflict), "busy", true},
		{service(hostapi.CodeLimitReached), "plan", true},
		{service(hostapi.CodeRateLimited), "Try again", true},
		{service(hostapi.CodeUnavailable), "cannot be reached", true},
		{service(hostapi.CodeMalformed), "makes no sense", true},
		{service(hostapi.CodeCanceled), "cut short", true},
		{service(hostapi.CodeNotFound), "no longer exists", true},
		{service(hostapi.CodeInternal), "our side", true},
		{service(hostapi.CodeNotOffered), "does not offer", false},
		{&hostapi.Error{Code: hostapi.CodeNotFound, Op: hostapi.OpList}, "No hosting account", false}, // somebody without an account
		{interaction.ErrNoRoute, "out of date", false},
		{interaction.ErrStopping, "restarting", false},
		{interaction.ErrBusy, "a few seconds", false},
		{interaction.ErrTooQuick, "That was quick", false},
		{fmt.Errorf("%w: x", interaction.ErrBlocked), "in a direct message", true},
		{fmt.Errorf("%w: x", interaction.ErrNotBegun), "so nothing was done", true},
		{fmt.Errorf("%w: %w", interaction.ErrMidway, interaction.ErrPanic), "may have been done", true},
		{interaction.ErrTooSlow, "the form could not be opened", true},
		{interaction.ErrElsewhere, "cut short", true},
		{errors.New("unforeseen"), "our side", true},
	}
	for _, test := range tests {
		e := c.Explain(&interaction.Request{Locale: "en-US", Reference: "REF1234"}, test.err)
		wantText(t, e.Message, test.want)
		if said := text(e.Message); e.Fault != test.fault || strings.Contains(said, "REF1234") != test.fault || strings.Contains(said, "secret") {
			t.Errorf("%v: fault %t:\n%s", test.err, e.Fault, said)
		}
	}
}

// The message that Discord refused holds words of the service. The short one does
// not, and says the outcome as it is.
func TestExplainSaysInShortHowAnActionEnded(t *testing.T) {
	c := newCommands(t, &world{})
	explain := func(locale string, a interaction.Action) interaction.Explanation {
		a.BotName, a.BotID = "badword", "badword"
		return c.Explain(&interaction.Request{Locale: locale, Reference: "REF1234"}, &interaction.UnshownError{Action: a, Cause: errors.New("badword")})
	}
	for outcome, want := range map[interaction.Outcome]string{
		interaction.Done: "**Restart**: done", interaction.Failed: "**Restart**: failed", interaction.Unconfirmed: "**Restart**: not confirmed",
	} {
		e := explain("en-US", interaction.Action{Name: "restart", Outcome: outcome})
		wantText(t, e.Message, want, "REF1234")
		if said := text(e.Message); strings.Contains(said, "badword") || strings.Contains(said, "went wrong") || !e.Fault {
			t.Errorf("%s: %+v", outcome, e)
		}
	}
	for _, locale := range []string{"en-US", "de", "tr"} {
		for _, action := range []string{"start", "restart", "stop", "reinstall", "startup", "delete", "create"} {
			said := text(explain(locale, interaction.Action{Name: action, Outcome: interaction.Done}).Message)
			if strings.Contains(said, "log.action") || strings.Contains(said, "error.") || strings.Contains(said, "no value") {
				t.Errorf("%s in %s: %s", action, locale, said)
			}
		}
	}
}
