package commands_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"hostbot/bot/actionlock"
	"hostbot/bot/incident"
	"hostbot/bot/interaction"
	"hostbot/commands"
)

// office is where staff work: in guild 7, where user 1 is staff. Customer 42 is
// the one of the world.
type office struct {
	*world
	incident *incident.Incident
}

func (o *office) forget(context.Context, string) (bool, error) { return true, nil }

func (o *office) findIncident(context.Context, string) (incident.Incident, error) {
	if o.incident == nil {
		return incident.Incident{}, incident.ErrUnknown
	}
	return *o.incident, nil
}

func (o *office) open(t *testing.T) *commands.Commands {
	t.Helper()
	return commands.New(o.world, o.world, actionlock.New(nil), loadTexts(t), commands.Staff{
		GuildID: "7", UserIDs: []string{"1"}, Forget: o.forget, Incident: o.findIncident,
	})
}

// asked sends a request of a user in staff's guild through staff's routes.
func asked(t *testing.T, c *commands.Commands, userID string, r interaction.Request) (interaction.Request, interaction.Response, error) {
	t.Helper()
	router := interaction.NewRouter()
	c.Route(router)
	if err := router.Err(); err != nil {
		t.Fatal(err)
	}
	r.GuildID, r.UserID, r.CustomerID, r.Reference, r.Locale = "7", userID, userID, "REF1234", "en-US"
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	response, err := router.Route(&r)(ctx, &r)
	return r, response, err
}

func TestStaffReadOfTheCustomerAndNotOfThemselves(t *testing.T) {
	o := &office{world: &world{list: account(server("4", "Twin", "RUNNING"), server("5", "Twin", "RUNNING"), server("6", "Radio", "RUNNING"))}}
	c := o.open(t)
	options := func(bot string) map[string]string {
		return map[string]string{"user": "42", "bot": bot, "do": "restart"}
	}
	for want, request := range map[string]interaction.Request{
		"This customer has no bot **Shop**":                         command("admin action", options("Shop")),
		"Did you mean **Radio**?":                                   command("admin action", options("Radoi")),
		"Several of this customer's bots are called **Twin**":       command("admin action", options("Twin")),
		"Look the customer up again with `/admin lookup`":           press("for/42/restart/9"),
		"the bot no longer exists. Look the customer up again with": press("for/42/show/9"),
	} {
		r, _, err := asked(t, c, "1", request)
		if err == nil {
			t.Fatalf("%s was answered", request.Name)
		}
		m := c.Explain(&r, err).Message
		wantText(t, m, want, "Staff view** of <@42>")
		if got := text(m); strings.Contains(got, "You have") || strings.Contains(got, "your bots") {
			t.Errorf("staff are taken for the customer:\n%s", got)
		}
	}
}

func TestStaffCommandsAreAuditedOnceWithWhatTheyAreAbout(t *testing.T) {
	o := &office{world: &world{list: account(server("a", "Shop", "RUNNING"))}}
	c := o.open(t)
	suggest := interaction.Request{Kind: interaction.Autocomplete, Name: "admin action", Focused: "bot", Options: map[string]string{"user": "42", "bot": "s"}}
	tests := map[string]struct {
		user    string
		request interaction.Request
		audit   bool
		detail  string
	}{
		"lookup":                      {"1", command("admin lookup", map[string]string{"user": "42"}), true, ""},
		"a bot is opened":             {"1", press("for/42/open", "a"), true, "a"},
		"a bot is looked at":          {"1", press("for/42/show/a"), true, "a"},
		"action":                      {"1", command("admin action", map[string]string{"user": "42", "bot": "a", "do": "restart"}), false, ""},
		"action that is not begun":    {"1", command("admin action", map[string]string{"user": "42", "bot": "b", "do": "restart"}), true, "restart b"},
		"action that there is not":    {"1", command("admin action", map[string]string{"user": "42", "bot": "a", "do": "delete"}), true, "delete a"},
		"button":                      {"1", press("for/42/stop/a"), false, ""},
		"button of a bot that's gone": {"1", press("for/42/stop/b"), true, "stop b"},
		"reference":                   {"1", command("admin reference", map[string]string{"code": "abc-defg"}), true, "ABCDEFG"},
		"no reference":                {"1", command("admin reference", map[string]string{"code": "what?"}), true, "what?"},
		"suggestions":                 {"1", suggest, false, ""},
		"suggestions for others":      {"2", suggest, false, ""},
		"command of others":           {"2", command("admin status", nil), true, ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			_, response, err := asked(t, c, test.user, test.request)
			audit := response.Audit
			if (audit != nil) != test.audit {
				t.Fatalf("audit %+v, error %v", audit, err)
			}
			if audit != nil && (audit.Detail != test.detail || audit.Refused != (test.user == "2")) {
				t.Errorf("audit %+v, want detail %q", audit, test.detail)
			}
			if response.Then != nil {
				must(t)(response.Then(t.Context()))
			}
		})
	}
}

func TestReferenceThatIsNotKnownIsShownAsItWasTyped(t *testing.T) {
	c := (&office{world: &world{}}).open(t)
	for typed, want := range map[string]string{"abc-defg": "`ABCDEFG`", " what `?` ": "`what ˋ?ˋ`", "": "–"} {
		_, response, err := asked(t, c, "1", command("admin reference", map[string]string{"code": typed}))
		wantText(t, must(t)(response, err).Message, "Nothing is known of "+want)
	}
}

func TestReferenceShowsAllThatIsKnown(t *testing.T) {
	o := &office{world: &world{}, incident: &incident.Incident{
		Reference: "ABCDEFG", UserID: "42", CustomerID: "42", Kind: "command", Route: "bot restart", At: time.Unix(1_700_000_000, 0),
		Operation: "restart", Code: "unavailable", Status: 503, Attempts: 1, Uncertain: true,
		Answer: strings.Repeat("*a", 1000), Detail: strings.Repeat("b ", 400) + "and the end",
	}}
	c := o.open(t)
	_, response, err := asked(t, c, "1", command("admin reference", map[string]string{"code": "ABCDEFG"}))
	m := must(t)(response, err).Message
	wantText(t, m, "restart: unavailable (503)", "may have been carried out", "and the end")
	sendable(t, interaction.Reply(m))
}
