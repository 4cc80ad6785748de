package commands_test

import (
	"strings"
	"testing"

	"hostbot/bot/interaction"
)

// by is a request of a user in staff's guild, where user 1 is staff.
func by(userID string, r interaction.Request) interaction.Request {
	r.GuildID, r.UserID = "7", userID
	return r
}

func TestStaffReadOfTheCustomerAndNotOfThemselves(t *testing.T) {
	c := newCommands(t, &world{list: account(server("4", "Twin", "RUNNING"), server("5", "Twin", "RUNNING"), server("6", "Radio", "RUNNING"))})
	options := func(bot string) map[string]string {
		return map[string]string{"user": "42", "bot": bot, "do": "restart"}
	}
	for want, request := range map[string]interaction.Request{
		"This customer has no bot **Shop**":                         command("admin action", options("Shop")),
		"Did you mean **Radio**?":                                   command("admin action", options("Rabbio")),
		"Several of this customer's bots may be meant by **Twin**":  command("admin action", options("Twin")),
		"Look the customer up again with `/admin lookup`":           press("for/42/restart/9"),
		"the bot no longer exists. Look the customer up again with": press("for/42/show/9"),
	} {
		r := by("1", request)
		_, err := serve(t.Context(), t, c, &r)
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
	c := newCommands(t, &world{list: account(server("a", "Shop", "RUNNING"))})
	onBehalf := func(bot, do string) interaction.Request {
		return command("admin action", map[string]string{"user": "42", "bot": bot, "do": do})
	}
	suggest := typing("admin action", "s")
	suggest.Options["user"] = "42"
	tests := map[string]struct {
		user    string
		request interaction.Request
		audit   bool
		detail  string
	}{
		"lookup":                      {"1", command("admin lookup", map[string]string{"user": "42"}), true, ""},
		"a bot is opened":             {"1", press("for/42/open", "a"), true, "a"},
		"a bot is looked at":          {"1", press("for/42/show/a"), true, "a"},
		"action":                      {"1", onBehalf("a", "restart"), false, ""},
		"action that is not begun":    {"1", onBehalf("b", "restart"), true, "restart b"},
		"action that there is not":    {"1", onBehalf("a", "delete"), true, "delete a"},
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
			response, err := ask(t, c, by(test.user, test.request))
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
