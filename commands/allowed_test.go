package commands_test

import (
	"strings"
	"testing"

	"hostbot/bot/interaction"
)

// ways are all requests that ask for an action on bot a, by what they are called.
func ways(action string) map[string]interaction.Request {
	ways := map[string]interaction.Request{
		"command": onBot("bot "+action, "a"), "the only bot": command("bot "+action, nil),
		"menu": press(action, "a"), "button": press(action + "/a"), "alert": press("aside/act/" + action + "/a"),
		"staff's command": by("1", command("admin action", map[string]string{"user": "42", "bot": "a", "do": action})),
		"staff's button":  by("1", press("for/42/"+action+"/a")),
	}
	if action == "reinstall" {
		ways["confirmation"] = press("packages/a")
	}
	return ways
}

// TestStateAllowsTheSameEverywhere asks for each action in each state in all ways: what the card's
// button is disabled for is refused with the reason, and anything else is done. A crashed bot has one button
// that helps, and may be started all the same.
func TestStateAllowsTheSameEverywhere(t *testing.T) {
	const locked, busy, idle = "We've suspended this bot.", "busy with something else", "**Shop** isn't running."
	for status, refusals := range map[string]map[string]string{
		"SUSPENDED":   {"restart": locked, "stop": locked, "start": locked, "reinstall": locked},
		"STARTING":    {"restart": busy, "start": busy, "reinstall": busy},
		"STOPPING":    {"restart": busy, "stop": busy, "start": busy, "reinstall": busy},
		"INSTALLING":  {"restart": busy, "stop": busy, "start": busy, "reinstall": busy},
		"RUNNING":     {"start": "already running"},
		"STOPPED":     {"restart": idle, "stop": "already stopped"},
		"CRASHED":     {"stop": idle},
		"Hibernating": {}, "": {},
	} {
		card := buttons(answer(t, newCommands(t, &world{list: account(server("a", "Shop", status))}), press("show/a")).Message)
		for action, label := range map[string]string{"restart": "Restart", "stop": "Stop", "start": "Start", "reinstall": "Reinstall packages"} {
			if why := refusals[action]; card[label].Disabled != (why != "" || status == "CRASHED" && action == "start") {
				t.Errorf("%q: %s is disabled: %t", status, label, card[label].Disabled)
			}
			for way, r := range ways(action) {
				w := &world{list: account(server("a", "Shop", status))}
				response, err := ask(t, newCommands(t, w), r)
				switch why := refusals[action]; {
				case err != nil:
					t.Errorf("%q: %s by %s: %v", status, action, way, err)
				case why == "" && response.Then == nil && !strings.Contains(text(response.Message), "may be offline"):
					t.Errorf("%q: %s by %s is refused:\n%s", status, action, way, text(response.Message))
				case why != "":
					wantText(t, response.Message, why, "Shop")
					if response.Then != nil || len(w.done) > 0 {
						t.Errorf("%q: %s by %s acts", status, action, way)
					}
				}
			}
		}
	}
}

// TestStaleStateRefusesNothing has a bot's state change on the hosting service's side.
func TestStaleStateRefusesNothing(t *testing.T) {
	for _, test := range []struct{ action, cached, now string }{
		{"restart", "SUSPENDED", "RUNNING"}, {"start", "SUSPENDED", "STOPPED"}, {"stop", "STOPPING", "RUNNING"}, {"reinstall", "SUSPENDED", "STOPPED"},
	} {
		w := &world{list: account(server("a", "Shop", test.cached)), changed: test.now}
		ending(t, newCommands(t, w), onBot("bot "+test.action, "a"))
		w.wantDone(t, test.action+" a")
	}
	w := &world{list: account(server("a", "Shop", "SUSPENDED")), silent: true}
	if answer(t, newCommands(t, w), onBot("bot restart", "a")).Then == nil {
		t.Error("it is refused although the service does not tell whether it is so still")
	}
}
