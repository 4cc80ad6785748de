package discordtest_test

import (
	"encoding/json"
	"testing"

	"hostbot/bot/discordtest"
)

// The response to a command names the command. Responses to components and
// follow-ups do not.
func TestResponseNamesItsCommand(t *testing.T) {
	s := newStage(t, discordtest.Config{})
	s.register(`[{"name":"bot","description":"d","options":[{"type":1,"name":"show","description":"d"}]}]`).want(t, 200, 0)
	named := func(got answer) (id, name, user string) {
		t.Helper()
		got.want(t, 200, 0)
		var message struct {
			Interaction struct {
				ID   string
				Name string
				User struct{ Username string }
			}
		}
		if err := json.Unmarshal([]byte(got.text), &message); err != nil {
			t.Fatal(err)
		}
		return message.Interaction.ID, message.Interaction.Name, message.Interaction.User.Username
	}
	r, err := s.anna.Start("/bot show", nil)
	if err != nil {
		t.Fatal(err)
	}
	e := s.wire.interaction()
	s.do("POST", e.path(), `{"type":4,"data":{"content":"hello","components":`+oneButton+`}}`).want(t, 204, 0)
	if id, name, user := named(s.do("GET", e.hook(s.discord)+"/messages/@original", "")); id != e.ID || name != "bot show" || user != "anna" {
		t.Errorf("the response names %s %q of %q", id, name, user)
	}
	if _, name, _ := named(s.do("POST", e.hook(s.discord), `{"content":"more"}`)); name != "" {
		t.Errorf("a follow-up names %q", name)
	}
	pressed, _ := s.press(r, "Go")
	s.do("POST", pressed.path(), `{"type":4,"data":{"content":"pressed"}}`).want(t, 204, 0)
	if _, name, _ := named(s.do("GET", pressed.hook(s.discord)+"/messages/@original", "")); name != "" {
		t.Errorf("the response to a button names %q", name)
	}
}
