package commands_test

import (
	"strings"
	"testing"

	"hostbot/bot/interaction"
	"hostbot/hostapi"
)

func TestOperationThatTheServiceDoesNotHave(t *testing.T) {
	tests := map[string]struct {
		request     interaction.Request
		status      int
		code        hostapi.Code
		unsupported bool
	}{
		"405":                               {press("start/a"), 405, hostapi.CodeInternal, true},
		"501":                               {press("stop/a"), 501, hostapi.CodeInternal, true},
		"404 although the bot exists":       {press("start/a"), 404, hostapi.CodeNotFound, true},
		"turned off":                        {press("restart/a"), 0, hostapi.CodeNotOffered, true},
		"404 of a documented one":           {press("restart/a"), 404, hostapi.CodeNotFound, false},
		"refused":                           {press("stop/a"), 403, hostapi.CodeForbidden, false},
		"404 although the account is there": {submit("create/512/2048/100", newBot("Radio")), 404, hostapi.CodeNotFound, true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			c := newCommands(t, &world{list: account(server("a", "Shop", "Odd")), action: func() (string, error) {
				return "", &hostapi.Error{Code: test.code, Op: hostapi.OpStart, Status: test.status, Uncertain: test.status >= 500, Detail: "no such route"}
			}})
			last := ending(t, c, test.request)
			if got := strings.Contains(text(last.Message), "does not offer"); got != test.unsupported {
				t.Fatalf("the customer reads:\n%s", text(last.Message))
			}
			if last.Failure == nil || last.Action.Outcome != interaction.Failed {
				t.Errorf("staff are told %v, outcome %s", last.Failure, last.Action.Outcome)
			}
		})
	}
}

func TestCreateThatFindsNoAccount(t *testing.T) {
	w := &world{list: account()}
	w.action = func() (string, error) {
		w.err = &hostapi.Error{Code: hostapi.CodeNotFound, Op: hostapi.OpList, Status: 404} // it was closed in the meantime
		return "", &hostapi.Error{Code: hostapi.CodeNotFound, Op: hostapi.OpCreate, Status: 404}
	}
	last := ending(t, newCommands(t, w), submit("create/512/2048/100", newBot("Radio")))
	wantText(t, last.Message, "could not be created", "No hosting account is linked")
}
