package commands_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/discord/rest"
	"hostbot/bot/interaction"
	"hostbot/bot/staff/incident"
	"hostbot/bot/staff/support"
	"hostbot/bot/watch/alerts"
	"hostbot/commands"
	"hostbot/hostapi"
)

// helped is a world whose customers tell staff of failures.
type helped struct {
	*world
	failure incident.Incident
	told    support.Told
	err     error
	cases   []support.Case
	kept    []incident.Incident
}

// helping returns the commands, and a failure of customer 42 at the bot Shop.
func helping(t *testing.T) (*helped, *commands.Commands) {
	t.Helper()
	h := &helped{world: &world{list: account(server("a", "Shop", "CRASHED")), links: commands.Links{Support: "https://a.example/help"}}}
	h.failure = incident.Incident{
		Reference: "REF1234", UserID: "42", CustomerID: "42", Kind: "component", Route: "restart/{bot...}", At: time.Now(), BotID: "a", BotName: "Shop",
		Cause: "conflict", Operation: "restart", Code: "conflict", Status: 409,
	}
	h.staff.Incident = func(_ context.Context, code string) (incident.Incident, error) {
		if code != h.failure.Reference {
			return incident.Incident{}, incident.ErrUnknown
		}
		return h.failure, nil
	}
	keep := func(i incident.Incident) { h.kept = append(h.kept, i) }
	h.support = commands.Support{Keep: keep, Texts: mustTexts(t).For("en-US"), Tell: func(_ context.Context, c support.Case) (support.Told, error) {
		h.cases = append(h.cases, c)
		return h.told, h.err
	}}
	return h, newCommands(t, h.world)
}

// tell presses the button of a failure.
func tell(t *testing.T, c *commands.Commands, code string) (interaction.Response, error) {
	t.Helper()
	r := press("aside/support/" + code)
	r.UserName = "anna *the* <@1>"
	return answer(t, c, r).Then.Run(t.Context())
}

// TestTellSupport: staff get the failure with the bot as it is now, and the customer reads that they have it.
func TestTellSupport(t *testing.T) {
	h, c := helping(t)
	got := must(t)(tell(t, c, "REF1234"))
	wantText(t, got.Message, "Our team has the details", "**Shop**", "REF1234")
	if len(h.cases) != 1 {
		t.Fatalf("staff were told %d times", len(h.cases))
	}
	told := h.cases[0]
	wantText(t, told.Message, `anna \*the\* \<\@1> asks for help`, "`REF1234`", "<@42>", "Shop `a`", "🔴", "restart: conflict (409)")
	if ids := told.ButtonIDs(); len(ids) != 3 || ids[2] != commands.ReferenceID("REF1234") || !strings.HasPrefix(ids[1], "aside/lookup/42/") {
		t.Errorf("the buttons are %q", ids)
	}
	if n := utf8.RuneCountInString(told.ThreadName); n > rest.MaxThreadName || !strings.Contains(told.ThreadName, "Shop · REF1234") {
		t.Errorf("the thread is called %q", told.ThreadName)
	}
	if told.Reference != "REF1234" || told.CustomerID != "42" || got.Failure != nil {
		t.Errorf("told is %+v, and of trouble %v", told, got.Failure)
	}
	h.wantDone(t)
}

// TestTellSupportOfABotThatKeepsCrashing: a card from the third crash in a day and an alert of the third in ten minutes
// have the button. Staff see what they see of a failure, under one reference a day.
func TestTellSupportOfABotThatKeepsCrashing(t *testing.T) {
	crash := []any{time.Hour, hostapi.StateRunning, time.Minute, hostapi.StateCrashed}
	h, _ := helping(t)
	seen := &watched{w: h.world, spans: past(slices.Concat(crash, crash)...)}
	c := watching(t, seen)
	offered := func() string { return lastRow(answer(t, c, press("show/a"))) }
	if got := offered(); got != "Alert me next time" {
		t.Errorf("after two crashes a card offers %q", got)
	}
	seen.spans = past(slices.Concat(crash, crash, crash)...)
	if got := offered(); got != "Tell support" {
		t.Errorf("after three it offers %q", got)
	}
	now := time.Now()
	alert := alerts.Alert{CustomerID: "42", First: now, Bots: []alerts.Outage{{ServerID: "a", Name: "Shop", State: hostapi.StateCrashed, DownAt: now, Count: 3}}}
	if _, offers := buttons(c.Alert(alert))["Tell support"]; offers {
		t.Error("an alert of a third crash offers it that does not say that the bot keeps crashing")
	}
	alert.Bots[0].Before = []time.Time{now.Add(-9 * time.Minute), now.Add(-time.Minute)}
	button, offers := buttons(c.Alert(alert))["Tell support"]
	if !offers {
		t.Fatal("an alert that says so does not")
	}
	for range 2 {
		r := press(button.CustomID)
		r.UserName = "anna"
		told := must(t)(answer(t, c, r).Then.Run(t.Context()))
		wantText(t, told.Message, "Our team has the details", "**Shop**", h.kept[0].Reference)
	}
	wantText(t, h.cases[0].Message, "The bot keeps crashing", "Shop `a`", "🔴", h.kept[0].Reference)
	if one, other := h.cases[0].Reference, h.cases[1].Reference; one != other || one != h.kept[0].Reference || h.kept[0].Cause != "crashes" {
		t.Errorf("staff are told of %q and %q, and find %+v", one, other, h.kept)
	}
	h.support = commands.Support{}
	c = watching(t, seen)
	if got := offered(); got != "Contact support" {
		t.Errorf("without a channel for it a card offers %q", got)
	}
	refused(t, c, press(button.CustomID), "out of date")
}

// TestTellSupportOfAnyBot: a failure before an action tells of the bot by what was asked for, and one
// of no bot tells of none.
func TestTellSupportOfAnyBot(t *testing.T) {
	for asked, want := range map[string]bool{"a": true, "shop": true, "nobody": false, "": false} {
		h, c := helping(t)
		h.failure.BotID, h.failure.BotName, h.failure.Asked = "", "", asked
		got := must(t)(tell(t, c, "REF1234"))
		if is := strings.Contains(text(got.Message), "Shop") && strings.Contains(text(h.cases[0].Message), "Shop `a`"); is != want {
			t.Errorf("%q: the bot is named: %v\n%s", asked, is, text(h.cases[0].Message))
		}
	}
	h, c := helping(t)
	h.world.err = &hostapi.Error{Code: hostapi.CodeUnavailable}
	must(t)(tell(t, c, "REF1234"))
	wantText(t, h.cases[0].Message, "Shop `a`", "–") // the service does not tell the state
}

// TestTellSupportIsRefused: nobody tells of another's failure, of one that is unknown or old, or of too many.
func TestTellSupportIsRefused(t *testing.T) {
	for name, test := range map[string]struct {
		change func(*helped)
		code   string
		want   string
	}{
		"another's": {func(h *helped) { h.failure.UserID = "43" }, "REF1234", "can no longer be reported"},
		"unknown":   {func(*helped) {}, "REF1235", "can no longer be reported"},
		"no code":   {func(*helped) {}, "x", "can no longer be reported"},
		"old":       {func(h *helped) { h.failure.At = time.Now().Add(-25 * time.Hour) }, "REF1234", "can no longer be reported"},
	} {
		h, c := helping(t)
		test.change(h)
		_, err := tell(t, c, test.code)
		wantExplained(t, c, err, false, test.want)
		if len(h.cases) > 0 {
			t.Errorf("%s: staff were told", name)
		}
	}
	h, c := helping(t)
	h.err = &support.LimitError{Until: time.Now().Add(time.Hour)}
	_, err := tell(t, c, "REF1234")
	wantExplained(t, c, err, false, "several failures")
}

// wantExplained fails unless an error is explained with a text, and staff are told of it or not.
func wantExplained(t *testing.T, c *commands.Commands, err error, fault bool, words ...string) interaction.Message {
	t.Helper()
	r := press("aside/support/REF1234")
	r.UserID, r.CustomerID, r.Locale, r.Reference, r.Params = "42", "42", "en-US", "NEW5678", map[string]string{"code": "REF1234"}
	if err == nil {
		t.Fatal("there is no error")
	}
	e := c.Explain(&r, err)
	if e.Fault != fault {
		t.Errorf("staff are told: %v", e.Fault)
	}
	wantText(t, e.Message, words...)
	return e.Message
}

// TestSupportCannotBeTold: the customer may press again for the failure that was first, and staff read why.
func TestSupportCannotBeTold(t *testing.T) {
	h, c := helping(t)
	h.err = errors.New("away")
	_, err := tell(t, c, "REF1234")
	m := wantExplained(t, c, err, true, "couldn't be sent to our team", "NEW5678")
	if ids := m.ButtonIDs(); len(ids) != 1 || ids[0] != "aside/support/REF1234" {
		t.Errorf("the buttons are %q", ids)
	}
	h.err, h.told = nil, support.Told{Trouble: incident.ErrNoThread}
	if got := must(t)(tell(t, c, "REF1234")); !errors.Is(got.Failure, incident.ErrNoThread) {
		t.Errorf("staff are told of %v", got.Failure)
	}
	h.told = support.Told{Already: true}
	wantText(t, must(t)(tell(t, c, "REF1234")).Message, "already has this report", "REF1234")
}

// TestWhoTellsSupport: a failure has the button for customers where it is on, and the page's link otherwise.
func TestWhoTellsSupport(t *testing.T) {
	on, with := helping(t)
	off := newCommands(t, &world{links: on.links})
	customer := interaction.Request{UserID: "42", CustomerID: "42", Locale: "en-US", Reference: "REF1234"}
	staff := customer
	staff.UserID = "1"
	for name, test := range map[string]struct {
		commands *commands.Commands
		asked    interaction.Request
		err      error
		want     string
	}{
		"on":            {with, customer, errors.New("unforeseen"), "aside/support/REF1234"},
		"off":           {off, customer, errors.New("unforeseen"), "https://a.example/help"},
		"staff":         {with, staff, errors.New("unforeseen"), ""},
		"no failure":    {with, customer, interaction.ErrBusy, ""},
		"a bigger plan": {with, customer, &hostapi.Error{Code: hostapi.CodeLimitReached}, ""},
	} {
		found := ""
		for _, component := range test.commands.Explain(&test.asked, test.err).Message.Components {
			for _, b := range component.(discordgo.ActionsRow).Components {
				button := b.(discordgo.Button)
				found += button.CustomID + button.URL
			}
		}
		if found != test.want {
			t.Errorf("%s: the button is %q, want %q", name, found, test.want)
		}
	}
	if refused(t, off, press("aside/support/REF1234"), "out of date") == "" {
		t.Error("an old button says nothing")
	}
}

// TestFailedActionLeadsToSupport: the card of an action that failed has the button as well.
func TestFailedActionLeadsToSupport(t *testing.T) {
	h, c := helping(t)
	h.action = func() (string, error) { return "", &hostapi.Error{Code: hostapi.CodeForbidden, Status: 403} }
	h.list = account(server("a", "Shop", "RUNNING"))
	got := ending(t, c, press("restart/a"))
	if ids := got.Message.ButtonIDs(); ids[len(ids)-1] != "aside/support/REF1234" {
		t.Errorf("the buttons are %q", ids)
	}
}
