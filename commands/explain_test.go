package commands_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"hostbot/bot/interaction"
	"hostbot/hostapi"
)

func TestExplain(t *testing.T) {
	c := newCommands(t, &world{})
	service := func(code hostapi.Code) error {
		return errors.Join(errors.New("wrapped"), &hostapi.Error{Code: code, Op: hostapi.OpStop, Detail: "sorry, root secret is x"})
	}
	unshown := func(o interaction.Outcome) error {
		a := interaction.Action{Name: "restart", Outcome: o, BotName: "secret", BotID: "secret"}
		return &interaction.UnshownError{Action: a, Cause: errors.New("secret")}
	}
	for _, test := range []struct {
		err   error
		want  string
		fault bool
	}{
		{service(hostapi.CodeLimitReached), "plan", true},
		{service(hostapi.CodeRateLimited), "Try again", true},
		{service(hostapi.CodeUnavailable), "cannot be reached", true},
		{&hostapi.Error{Code: hostapi.CodeUnavailable, Status: 500}, "reports a problem of its own", true},
		{&hostapi.Error{Code: hostapi.CodeUnavailable, Status: 502}, "cannot be reached", true},
		{&hostapi.Error{Code: hostapi.CodeUnavailable, Status: 504}, "did not answer in time", true},
		{hostapi.Interrupted(expired(t), hostapi.OpStop), "did not answer in time", true},
		{&hostapi.Error{Code: hostapi.CodeRateLimited, RetryAfter: time.Minute}, ":T>", true},
		{service(hostapi.CodeCanceled), "cut short", true},
		{service(hostapi.CodeNotFound), "no longer exists", true},
		{service(hostapi.CodeNotOffered), "does not offer", false},
		{&hostapi.Error{Code: hostapi.CodeNotFound, Op: hostapi.OpList}, "No hosting account", false}, // somebody without an account
		{interaction.ErrNoRoute, "out of date", false},
		{interaction.ErrStopping, "restarting", false},
		{interaction.ErrBusy, "a few seconds", false},
		{interaction.ErrTooQuick, "That was quick", false},
		{interaction.ErrBlocked, "in a direct message", true},
		{interaction.ErrNotBegun, "so nothing was done", true},
		{errors.Join(interaction.ErrMidway, interaction.ErrPanic), "may have been done", true},
		{interaction.ErrTooSlow, "the form could not be opened", true},
		{interaction.ErrElsewhere, "cut short", true},
		{unshown(interaction.Done), "**Restart**: done", true}, // in words of our own alone
		{unshown(interaction.Failed), "**Restart**: failed", true},
		{unshown(interaction.Unconfirmed), "**Restart**: not confirmed", true},
		{errors.New("unforeseen"), "our side", true},
	} {
		e := c.Explain(&interaction.Request{Locale: "en-US", Reference: "REF1234"}, test.err)
		wantText(t, e.Message, test.want)
		if said := text(e.Message); e.Fault != test.fault || strings.Contains(said, "REF1234") != test.fault || strings.Contains(said, "secret") {
			t.Errorf("%v: fault %t:\n%s", test.err, e.Fault, said)
		}
	}
}
