package commands_test

import (
	"strings"
	"testing"

	"hostbot/bot/interaction"
	"hostbot/hostapi"
)

func TestWhatIsTurnedOffIsNeitherRegisteredNorShown(t *testing.T) {
	w := &world{list: account(server("a", "Shop", "")), lacking: map[hostapi.Operation]bool{
		hostapi.OpStart: true, hostapi.OpStop: true, hostapi.OpRestart: true, hostapi.OpReinstall: true,
		hostapi.OpUpdateStartup: true, hostapi.OpDelete: true, hostapi.OpCreate: true,
	}}
	c := newCommands(t, w)
	var names []string
	for _, o := range c.Definitions()[0].Options {
		names = append(names, o.Name)
	}
	if got := strings.Join(names, " "); got != "list show" {
		t.Errorf("registered: %s", got)
	}
	card := must(t)(ask(t, c, press("show/a")))
	if b := buttons(card.Message); len(b) != 2 || len(card.Message.Components) != 1 {
		t.Errorf("buttons %v", b)
	}
}

func TestAnOperationThatTheServiceLacks(t *testing.T) {
	tests := map[string]struct {
		request interaction.Request
		status  int
		code    hostapi.Code
		lacks   bool
	}{
		"405":                        {press("start/a"), 405, hostapi.CodeInternal, true},
		"501":                        {press("stop/a"), 501, hostapi.CodeInternal, true},
		"404 although the bot lives": {press("start/a"), 404, hostapi.CodeNotFound, true},
		"turned off":                 {press("restart/a"), 0, hostapi.CodeNotOffered, true},
		"404 of a documented one":    {press("restart/a"), 404, hostapi.CodeNotFound, false},
		"refused":                    {press("stop/a"), 403, hostapi.CodeForbidden, false},
		"create":                     {submit("create/512/2048/100", map[string]string{"name": "n", "language": "l", "entry": "e", "command": "c"}), 404, hostapi.CodeNotFound, true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			w := &world{list: account(server("a", "Shop", "Odd"))}
			w.action = func() (string, error) {
				return "", &hostapi.Error{Code: test.code, Op: hostapi.OpStart, Status: test.status, Uncertain: test.status >= 500, Detail: "no such route"}
			}
			c := newCommands(t, w)
			var failures int
			for range 3 {
				last := must(t)(must(t)(ask(t, c, test.request)).Then(t.Context()))
				if last.Failure == nil {
					t.Error("what happened can not be found by its reference")
				}
				if !last.Told {
					failures++
				}
				if got := strings.Contains(text(last.Message), "does not offer"); got != test.lacks {
					t.Fatalf("the customer reads:\n%s", text(last.Message))
				}
				if last.Action.Outcome != interaction.Failed {
					t.Errorf("outcome %s", last.Action.Outcome)
				}
			}
			if test.lacks && failures != 1 {
				t.Errorf("staff are told %d times", failures)
			}
		})
	}
}

func TestACreationThatFindsNoAccount(t *testing.T) {
	w := &world{list: account()}
	w.action = func() (string, error) {
		w.err = &hostapi.Error{Code: hostapi.CodeNotFound, Op: hostapi.OpList, Status: 404} // it was closed in the meantime
		return "", &hostapi.Error{Code: hostapi.CodeNotFound, Op: hostapi.OpCreate, Status: 404}
	}
	c := newCommands(t, w)
	running := must(t)(ask(t, c, submit("create/512/2048/100", map[string]string{"name": "n", "language": "l", "entry": "e", "command": "c"})))
	last := must(t)(running.Then(t.Context()))
	wantText(t, last.Message, "could not be created", "No hosting account is linked")
}
