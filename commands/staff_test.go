package commands_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"hostbot/bot/actions"
	"hostbot/bot/discord/recent"
	"hostbot/bot/discord/register"
	"hostbot/bot/discord/rest"
	"hostbot/bot/discord/shards"
	"hostbot/bot/interaction"
	"hostbot/bot/leader"
	"hostbot/bot/staff/health"
	"hostbot/bot/staff/incident"
	"hostbot/bot/staff/logchannel"
	"hostbot/bot/watch/alerts"
	"hostbot/bot/watch/outages"
	"hostbot/bot/watch/panel"
	"hostbot/commands"
	"hostbot/hostapi"
)

// by is a request of a user in staff's guild, where user 1 is staff.
func by(userID string, r interaction.Request) interaction.Request {
	r.GuildID, r.UserID = "7", userID
	return r
}

func TestStaffReadOfTheCustomerAndNotOfThemselves(t *testing.T) {
	c := newCommands(t, &world{list: account(server("4", "Twin", "RUNNING"), server("5", "Twin", "RUNNING"), server("6", "Radio", "RUNNING"))})
	nobody := by("1", command("admin lookup", map[string]string{"user": "42"}))
	explained := c.Explain(&nobody, &hostapi.Error{Code: hostapi.CodeNotFound, Op: hostapi.OpList}).Message
	wantText(t, explained, "No hosting account is linked to this user")
	options := func(bot string) map[string]string {
		return map[string]string{"user": "42", "bot": bot, "do": "restart"}
	}
	for want, request := range map[string]interaction.Request{
		"This customer doesn't have a bot called **Shop**":          command("admin action", options("Shop")),
		"Did you mean **Radio**?":                                   command("admin action", options("Rabbio")),
		"More than one of this customer's bots matches **Twin**":    command("admin action", options("Twin")),
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

// TestStaffWithoutAGuildHaveNoCommands, and what is pressed elsewhere leads nowhere.
func TestStaffWithoutAGuildHaveNoCommands(t *testing.T) {
	w := &world{list: account(server("a", "Shop", "RUNNING"))}
	c := commands.New(commands.Config{Accounts: w, Hosting: w, Actions: actions.New(actions.Config{}), Texts: mustTexts(t), Staff: commands.Staff{UserIDs: []string{"1"}}})
	if _, staff := c.Definitions(); len(staff) != 0 {
		t.Errorf("%d commands are registered", len(staff))
	}
	for _, r := range []interaction.Request{press("for/42/show/a"), command("admin status", nil)} {
		refused(t, c, by("1", r), "out of date")
	}
}

func TestStaffCommandsAreAuditedOnceWithWhatTheyAreAbout(t *testing.T) {
	_, c := shop(t, "RUNNING")
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
		"refresh":                     {"1", command("admin refresh", map[string]string{"user": "42"}), true, ""},
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
				must(t)(response.Then.Run(t.Context()))
			}
		})
	}
}

// TestStaffAreAskedBeforeAnythingIsForgotten follows staff from the question to the removal,
// of which alone the log channel tells, and only where something was removed.
func TestStaffAreAskedBeforeAnythingIsForgotten(t *testing.T) {
	kept, forgotten := commands.Kept{Cached: true, Alerts: alerts.Settings{Bots: map[string]bool{"a": true, "b": false}}, Scheduled: 4, Panels: 2, Followers: 7, Follows: 3, Since: time.Now().Add(-30 * time.Hour)}, 0
	c := newCommands(t, &world{staff: commands.Staff{
		Kept: func(_ context.Context, userID string) (commands.Kept, error) {
			if userID != "42" {
				t.Errorf("asked about %s", userID)
			}
			return kept, nil
		},
		Forget: func(_ context.Context, userID string, _ func(string) interaction.Message) (commands.Forgotten, error) {
			if userID != "42" {
				t.Errorf("%s was removed", userID)
			}
			forgotten++
			return commands.Forgotten{Removal: panel.Removal{Known: forgotten == 1, Stays: []string{"8", "9"}}, Kept: kept}, nil
		},
	}})
	flush := by("1", command("admin forget", map[string]string{"user": "42"}))
	question := answer(t, c, flush)
	wantText(t, question.Message, "<@42>", "• Bots with alerts on: 1", "• Scheduled restarts: 4", "• Panels in channels: 2", "(days: 2)")
	if kept := answer(t, c, by("1", press("for/42/admin/forget/not"))); question.Audit != nil || kept.Audit != nil || forgotten != 0 {
		t.Errorf("%d removals; the log channel tells of %+v and %+v", forgotten, question.Audit, kept.Audit)
	}
	refused(t, c, by("2", press("for/42/admin/forget")), "This is for staff")
	refused(t, c, by("1", press("for/anna/admin/forget")), "")
	for i, want := range []string{"was deleted", "Nothing is stored about"} {
		removal := answer(t, c, by("1", press("for/42/admin/forget")))
		if removal.Audit != nil || forgotten != i {
			t.Errorf("before Discord has taken the answer: %d removals, audit %+v", forgotten, removal.Audit)
		}
		done, err := removal.Then.Run(t.Context())
		if err != nil || (done.Audit != nil) != (i == 0) {
			t.Errorf("removal %d: the log channel tells of %+v, %v", i, done.Audit, err)
		}
		wantText(t, done.Message, want)
		if i == 0 && done.Audit.Detail != "account true, alerts 1, restarts 0, dm false, panels 2, followers 7, follows 3, answers 0, events 0, history 2 d" {
			t.Errorf("the log channel tells of %q", done.Audit.Detail)
		}
		if told := strings.Contains(text(done.Message), "it stays in <#8>, <#9>"); told != (i == 0) {
			t.Errorf("removal %d: staff read %s", i, text(done.Message))
		}
	}
	kept = commands.Kept{DM: true} // which is something to be removed
	wantText(t, answer(t, c, flush).Message, "• The direct message channel")
	kept = commands.Kept{}
	if nothing := answer(t, c, flush); len(nothing.Message.Components) > 0 || !strings.Contains(text(nothing.Message), "Nothing is stored about") {
		t.Errorf("where nothing is kept, staff read\n%s", text(nothing.Message))
	}
}

// TestStaffReadWhatToDoWhereNotAllIsRemoved: nobody else can. One panel is not removed for now, while the
// message of another stays for good: the second is forgotten, so that the next try does not name it.
func TestStaffReadWhatToDoWhereNotAllIsRemoved(t *testing.T) {
	failure := errors.New("redis: connection refused")
	removal := panel.Removal{Known: true, Stays: []string{"8", "9"}}
	for name, test := range map[string]struct {
		unread, failure error
		removal         panel.Removal
		fault           bool
		want            []string
	}{
		"Redis does not answer":  {unread: failure, fault: true, want: []string{"stored about <@42>", "can't be read", "Nothing was deleted", "admin forget", "REF1234"}},
		"nor later":              {failure: failure, fault: true, want: []string{"Not everything", "<@42>", "admin status", "admin forget", "REF1234"}},
		"Discord fails":          {failure: &rest.Error{Status: 502}, removal: removal, fault: true, want: []string{"Not everything", "it stays in <#8>, <#9>", "REF1234"}},
		"an action does not end": {failure: actions.ErrRunning, want: []string{"still running for <@42>", "nothing was deleted", "admin forget"}},
	} {
		t.Run(name, func(t *testing.T) {
			c := newCommands(t, &world{staff: commands.Staff{
				Kept: func(context.Context, string) (commands.Kept, error) { return commands.Kept{Panels: 2}, test.unread },
				Forget: func(context.Context, string, func(string) interaction.Message) (commands.Forgotten, error) {
					return commands.Forgotten{Removal: test.removal}, test.failure
				},
			}})
			r := by("1", press("for/42/admin/forget"))
			if test.unread != nil {
				r = by("1", command("admin forget", map[string]string{"user": "42"}))
			}
			r.Reference = "REF1234"
			response, err := serve(t.Context(), t, c, &r)
			if err == nil {
				_, err = response.Then.Run(t.Context())
			}
			if err == nil {
				t.Fatal("the error is not told")
			}
			e := c.Explain(&r, err)
			if e.Fault != test.fault {
				t.Errorf("staff's log is told: %t", e.Fault)
			}
			wantText(t, e.Message, test.want...)
			if said := text(e.Message); strings.Contains(said, "support") || len(e.Message.Components) > 0 {
				t.Errorf("staff are sent to support:\n%s", said)
			}
		})
	}
}

// TestStaffSeeWhoseAccountItIs follows staff through the pages of a customer.
func TestStaffSeeWhoseAccountItIs(t *testing.T) {
	hostile := strings.Repeat("@everyone **x** [y](https://z) `", 20)
	for name, test := range map[string]struct{ called, author string }{
		"named":         {"Anna *A*", "Anna *A*"},
		"nameless":      {"", "Customer 42"},
		"right to left": {"آنا", "آنا"},
		"hostile":       {hostile, "@everyone **x**"},
	} {
		t.Run(name, func(t *testing.T) {
			c := newCommands(t, &world{list: account(server("a", "Shop", "RUNNING"), server("b", "Radio", "RUNNING"))})
			by := func(r interaction.Request) interaction.Response {
				r = by("1", r)
				r.TargetName = test.called
				response := answer(t, c, r)
				embed := response.Message.Embeds[0]
				if embed.Color != 0xeb459e || !strings.Contains(embed.Author.Name, test.author) {
					t.Errorf("%s is not marked: colour %#x, author %q", r.Name, embed.Color, embed.Author.Name)
				}
				if test.called != "آنا" { // which may be isolated
					sendable(t, response)
				}
				return response
			}
			list := by(command("admin lookup", map[string]string{"user": "42"})).Message
			if shown := text(list); test.called != "" && strings.Contains(shown, test.called) || strings.Contains(shown, "Your") {
				t.Errorf("the name is said again, or staff are taken for the customer:\n%s", shown)
			}
			wantText(t, by(press("for/42/show/a")).Message, "🟢 Shop\n", "Whatever you do here affects ")
			wantText(t, by(press("for/42/restart/a")).Message, "For **", "Restarting **Shop**")
			mine := command("bot list", nil)
			if own := answer(t, c, mine).Message; own.Embeds[0].Author != nil || own.Embeds[0].Title != "Your bots" {
				t.Errorf("customers see of themselves\n%s", text(own))
			}
		})
	}
}

// TestLookupSaysEachThingOnce shows staff a customer without bots: nothing is said to
// the customer there, and nothing twice.
func TestLookupSaysEachThingOnce(t *testing.T) {
	c := newCommands(t, &world{list: shopWithPlan(2048, 3)})
	lookup := command("admin lookup", map[string]string{"user": "42"})
	if got := text(answer(t, c, by("1", lookup)).Message); strings.Count(got, "512 MB of 2 GB") != 1 {
		t.Errorf("the plan is not there once:\n%s", got)
	}
	got := text(answer(t, newCommands(t, &world{list: account()}), by("1", lookup)).Message)
	if !strings.Contains(got, "This customer has no bots yet.") || strings.Contains(got, "You have") || strings.Contains(got, "you create") {
		t.Errorf("staff read\n%s", got)
	}
}

// TestLookupShowsWhatHappenedLately has more happen than fits.
func TestLookupShowsWhatHappenedLately(t *testing.T) {
	at := time.Unix(1_700_000_000, 0)
	events := []incident.Event{
		{At: at, Cause: "unreachable", Reference: "REFAAAA"},
		{At: at, Action: "restart", Outcome: interaction.Failed, BotName: "*Shop*", Cause: "conflict", Status: 409, Reference: "REFBBBB", ByStaff: true},
		{At: at, Action: "stop", Outcome: interaction.Done, BotName: "Radio"},
		{At: at, Action: "juggle", Outcome: interaction.Done},
	}
	c := newCommands(t, &world{list: shopWithPlan(2048, 3), staff: commands.Staff{Recent: func(_ context.Context, userID string) ([]incident.Event, error) {
		if userID != "42" {
			t.Errorf("asked about %s", userID)
		}
		return events, nil
	}}})
	lookup := by("1", command("admin lookup", map[string]string{"user": "42"}))
	wantText(t, answer(t, c, lookup).Message, "Recent actions and failures\n"+
		"❗ <t:1700000000:R> · Hosting service: no answer · `REFAAAA`\n"+
		"❌ <t:1700000000:R> · Restart · \\*Shop\\* · Hosting service: not possible in the bot's current state (409) · 🛟 · `REFBBBB`\n"+
		"✅ <t:1700000000:R> · Stop · Radio\n✅ <t:1700000000:R>")
	for range 10 {
		events = append(events, incident.Event{At: at, Action: "restart", Outcome: interaction.Failed, BotName: strings.Repeat("*", 99), Cause: "conflict", Status: 409, Reference: "REFBBBB"})
	}
	sendable(t, answer(t, c, lookup))
	events = nil
	if got := text(answer(t, c, lookup).Message); strings.Contains(got, "Recent actions") {
		t.Errorf("where nothing happened, staff read\n%s", got)
	}
}

// TestLookupOutlivesAPanicBesideIt has what is read beside the account panic.
func TestLookupOutlivesAPanicBesideIt(t *testing.T) {
	c := newCommands(t, &world{list: shopWithPlan(2048, 3), staff: commands.Staff{Recent: func(context.Context, string) ([]incident.Event, error) {
		panic("a mistake")
	}}})
	lookup := by("1", command("admin lookup", map[string]string{"user": "42"}))
	if _, err := ask(t, c, lookup); !errors.Is(err, interaction.ErrPanic) {
		t.Errorf("%v", err)
	}
}

// TestLookupIDFits has a name in it that is as long and odd as can be.
func TestLookupIDFits(t *testing.T) {
	if id := commands.LookupID("18446744073709551615", strings.Repeat("😀\u202e", 99)); utf8.RuneCountInString(id) > 70 || strings.Contains(id, "\u202e") {
		t.Errorf("the custom ID is %q", id)
	}
}

// TestReferenceSaysTheBotAndNoDurationOfNothing shows staff on which bot an action
// failed, never 0.0 s, and the service's words without what Discord would make of them.
func TestReferenceSaysTheBotAndNoDurationOfNothing(t *testing.T) {
	for took, want := range map[time.Duration]string{time.Millisecond: "Attempts\n2, < 0.1 s in total", time.Second: "Attempts\n2, 1.0 s in total"} {
		shard := map[time.Duration]string{time.Second: "3"}[took] // none where it came over HTTP
		c := newCommands(t, &world{staff: commands.Staff{Incident: func(context.Context, string) (incident.Incident, error) {
			return incident.Incident{
				Reference: "ABCDEFG", UserID: "42", CustomerID: "42", BotID: "id-1", BotName: "*Shop*", Operation: "restart", Attempts: 2, Took: took, Failed: took,
				Answer: "the **node** is @everyone down", Shard: shard,
			}, nil
		}}})
		m := answer(t, c, by("1", command("admin reference", map[string]string{"code": " abcdefg"}))).Message
		wantText(t, m, want, "Bot\n\\*Shop\\* `id-1`", `the \*\*node\*\* is \@everyone down`)
		if shown := strings.Contains(text(m), "Shard"); shown != (shard != "") {
			t.Errorf("the shard is shown: %t\n%s", shown, text(m))
		}
		if strings.Contains(text(m), "0.0 s") {
			t.Errorf("staff read\n%s", text(m))
		}
	}
}

// failingCalls returns calls of which the last failed.
func failingCalls(reason string, fails, calls int) recent.Summary {
	return recent.Summary{Calls: calls, Fails: fails, Last: recent.Last{Failed: time.Now(), Reason: reason, FailedSince: time.Unix(1_700_000_000, 0)}}
}

// refusal is what Redis answers that can do nothing.
type refusal string

func (r refusal) Error() string { return string(r) }
func (refusal) RedisError()     {}

// TestDeadLettersAreTriedAgainByAButton of the status, which is audited like the command.
func TestDeadLettersAreTriedAgainByAButton(t *testing.T) {
	report := health.Report{Leader: "eu-1", Shards: []shards.Status{{Ready: true}}}
	retried := 0
	c := newCommands(t, &world{staff: commands.Staff{
		Health:    func(context.Context) health.Report { return report },
		RetryDead: func(context.Context) error { retried++; return nil },
	}})
	pressed := by("1", press("admin/status/retry"))
	if m := answer(t, c, by("1", command("admin status", nil))).Message; slices.Contains(m.ButtonIDs(), pressed.Name) {
		t.Error("there is the button without a dead letter")
	}
	report.Queues = []leader.Queue{{Kind: "panels", Due: 2, Late: 1, Dead: 1}, {Kind: "alerts"}}
	report.Dead = []leader.Letter{{Kind: "panels", ID: "*7*", Reason: "panic: *no*", Since: time.Unix(1, 0)}}
	m := answer(t, c, by("1", command("admin status", nil))).Message
	wantText(t, m, "Pending work\n`panels`: due 2 · late 1 · set aside 1", "Set aside\n`panels *7*` <t:1:R> panic: \\*no\\*", "💡 This bot tries it again once a day")
	if !slices.Contains(m.ButtonIDs(), pressed.Name) || strings.Contains(text(m), "alerts") {
		t.Errorf("the buttons are %q below\n%s", m.ButtonIDs(), text(m))
	}
	if _, err := serve(t.Context(), t, c, new(by("2", press("admin/status/retry")))); err == nil || retried > 0 {
		t.Errorf("somebody else tries them again: %v", err)
	}
	response := answer(t, c, pressed)
	if response.Audit == nil || retried > 0 {
		t.Errorf("it is not audited, or begins before Discord has the answer: %+v, %d", response.Audit, retried)
	}
	wantText(t, ending(t, c, pressed).Message, "🔁 What was set aside is being tried again", "Set aside")
	if retried != 1 {
		t.Errorf("they are tried again %d times", retried)
	}
}

// TestHealthSaysWhatToDo has each thing be wrong that staff can do something about.
func TestHealthSaysWhatToDo(t *testing.T) {
	well := health.Report{Leader: "eu-1", Shards: []shards.Status{{Ready: true}}, Window: time.Minute, Log: []logchannel.Status{{Channel: "9"}}}
	for want, change := range map[string]func(*health.Report){
		"✅ All is well": func(*health.Report) {},
		"🔴 **No command or button reaches this bot · since <t:1700000000:t> (<t:1700000000:R>) · status 502**\n\n⚠️ Discord sends commands and buttons to `bot.example.com`, but": func(h *health.Report) {
			h.Arrival = register.Arrival{Fault: register.Unanswered, Host: "bot.example.com", Answer: "status 502", Since: time.Unix(1_700_000_000, 0)}
		},
		"⚠️ A connection to Discord was lost":       func(h *health.Report) { h.Shards = []shards.Status{{}} },
		"⚠️ Read the latest failures in the errors": func(h *health.Report) { h.Service = failingCalls("503", 1, 2) },
		"🔴 **Hosting service unreachable · since <t:1700000000:t> (<t:1700000000:R>) · connection reset · 36 of 88 failed**": func(h *health.Report) {
			h.Service, h.DownSince = failingCalls("connection reset", 36, 88), time.Unix(1_700_000_000, 0)
		},
		"🔴 **4 of the last 60 interactions not answered in time · since <t:1700000000:t> (<t:1700000000:R>) · Discord 502**": func(h *health.Report) { h.Responses = failingCalls("Discord 502", 4, 60) },
		"✅ All is well. There's nothing to do.\n🟢 Hosting service recovered · <t:1700000100:t> (<t:1700000100:R>) · 503 · 1 of 2 failed": func(h *health.Report) {
			h.Service = failingCalls("503", 1, 2)
			h.Service.Failed, h.Service.Recovered = time.Unix(1_700_000_050, 0), time.Unix(1_700_000_100, 0)
		},
		"🔴 **12 bots have gone down since <t:1700000000:t> (customers: 9)**": func(h *health.Report) {
			h.Outage = outages.Outage{Bots: 12, Customers: 9, First: time.Unix(1_700_000_000, 0)}
		},
		"⚠️ Panels and alerts pause":              func(h *health.Report) { h.Requests, h.Invalid = 9_000, rest.FewerFrom },
		"Failed calls in 10 min: 12 of 4000 (0%)": func(h *health.Report) { h.Requests, h.Invalid = 4_000, 12 },
		"discord\n⚠️ all requests but answers to": func(h *health.Report) { h.PausedUntil = time.Now().Add(time.Minute) },
		"⚠️ 0: 🔴 not connected\n1: 🟢 ": func(h *health.Report) {
			h.Shards = []shards.Status{{}, {ID: 1, Ready: true}}
		},
		"⚠️ Redis isn't responding":                            func(h *health.Report) { h.RedisErr = errors.New("refused") },
		"⚠️ Redis answers but refuses writes":                  func(h *health.Report) { h.RedisErr = refusal("OOM command not allowed") },
		"🔴 **Redis refuses writes · OOM command not allowed**": func(h *health.Report) { h.RedisErr = refusal("OOM command not allowed") },
		"🔴 **Hosting service: 30 of 40 accounts not found (404) · since <t:1700000000:t> (<t:1700000000:R>)**": func(h *health.Report) {
			h.Missing = health.Missing{Accounts: 30, Of: 40, Since: time.Unix(1_700_000_000, 0)}
		},
		"🔴 **Accounts that the hosting service had and can no longer find: 30 · since": func(h *health.Report) {
			h.Missing = health.Missing{Accounts: 30, Since: time.Unix(1_700_000_000, 0)}
		},
		"⚠️ Customers are told that no hosting account": func(h *health.Report) { h.Missing = health.Missing{Accounts: 30, Of: 40} },
		"💡 Set REDIS_URL":                            func(h *health.Report) { h.RedisEmbedded = true },
		"⚠️ <#9> · This bot needs these permissions": func(h *health.Report) { h.Log = []logchannel.Status{{Channel: "9", Trouble: "403", Forbidden: true}} },
		"⚠️ <#9> · Discord rejects what":             func(h *health.Report) { h.Log = []logchannel.Status{{Channel: "9", Trouble: "404"}} },
		"⚠️ <#9> · Entries are late": func(h *health.Report) {
			h.Log = []logchannel.Status{{Channel: "9", Waiting: 1, Oldest: time.Unix(1, 0)}}
		},
	} {
		report := well
		change(&report)
		c := newCommands(t, &world{staff: commands.Staff{Health: func(context.Context) health.Report { return report }}})
		got := answer(t, c, by("1", command("admin status", nil))).Message
		wantText(t, got, want)
		if wrong := strings.Contains(text(got), "⚠️"); wrong == strings.Contains(text(got), "All is well") && !report.RedisEmbedded {
			t.Errorf("staff read that all is well and that it is not, or neither:\n%s", text(got))
		}
	}
}
