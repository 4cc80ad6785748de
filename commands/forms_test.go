package commands_test

import (
	"context"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"hostbot/bot/interaction"
	"hostbot/hostapi"
)

func TestAMistakeBringsTheFormBack(t *testing.T) {
	w, c := shop(t, "RUNNING")
	for form, fields := range map[string]map[string]string{
		"create/512/2048/100": {"name": "", "language": "PYTHON", "entry": "a.py", "command": "python\na.py", "start": "true"},
		"startup/a":           {"command": "node x.js", "entry": " "},
		"delete/a":            {"name": "shop"},
	} {
		message := explained(t, c, submit(form, fields))
		back := buttons(message)["Back to the form"]
		again := inputs(t, answer(t, c, press(back.CustomID)))
		for id, want := range fields {
			input, got := again[id], again[id].Value
			if input.Default {
				got = interaction.Ticked
			}
			for _, o := range input.Options {
				if o.Default {
					got += o.Value
				}
			}
			if got != want {
				t.Errorf("%s: %s comes back as %q, was %q", form, id, got, want)
			}
		}
	}
	wide := inputs(t, answer(t, c, press("create/1024/2048/100")))
	if wide["command"].Value != "python\na.py" {
		t.Errorf("with other sizes all is to be typed anew: %+v", wide)
	}
	if fresh := inputs(t, answer(t, c, onBot("bot startup", "Shop"))); fresh["command"].Value != "node index.js" {
		t.Errorf("the command shows %q, and not today's value", fresh["command"].Value)
	}
	if stranger := press("startup/a"); inputs(t, answer(t, newCommands(t, w), stranger))["command"].Value != "node index.js" {
		t.Error("another's values are shown")
	}
}

func TestAFormIsFreshOnceItHasServedItsPurpose(t *testing.T) {
	w, c := shop(t, "RUNNING")
	typed := map[string]string{"command": "node x.js", "entry": "x.js"}
	shown := func() string { return inputs(t, answer(t, c, press("startup/a")))["command"].Value }
	w.action = func() (string, error) {
		return "", &hostapi.Error{Code: hostapi.CodeUnavailable}
	}
	end := ending(t, c, submit("startup/a", typed))
	sendable(t, end) // with one button that opens the form, and not two
	if shown() != "node x.js" {
		t.Errorf("after a failure the form has %q", shown())
	}
	end = ending(t, c, submit("create/512/2048/100", newBot("Radio")))
	sendable(t, end)
	if id := buttons(end.Message)["Back to the form"].CustomID; id != "create/512/2048/100" {
		t.Errorf("%q leads back", id)
	}
	w.action = nil
	if ending(t, c, submit("startup/a", typed)); shown() != "node index.js" {
		t.Errorf("after all went well the form has %q", shown())
	}
}

// TestARefusedFormComesBack has the service not accept what was entered.
func TestARefusedFormComesBack(t *testing.T) {
	for form, fields := range map[string]map[string]string{
		"create/512/2048/100": newBot("Radio"), "startup/a": {"command": "node x.js", "entry": "x.js"}, "delete/a": {"name": "Shop"},
	} {
		for _, words := range []string{"The name *Radio* is taken @everyone", ""} {
			w, c := shop(t, "RUNNING")
			op := map[bool]hostapi.Operation{true: hostapi.OpDelete}[form == "delete/a"]
			w.action = func() (string, error) {
				return "", &hostapi.Error{Code: hostapi.CodeInvalid, Op: op, Status: 422, Detail: `{"secret":1}`, Words: words}
			}
			if op == hostapi.OpDelete && words == "" { // which is no refusal of what was entered
				continue
			}
			end := ending(t, c, submit(form, fields))
			sendable(t, end)
			said := text(end.Message)
			if entered := strings.Contains(said, "didn't accept what you entered"); entered != (op != hostapi.OpDelete) {
				t.Errorf("%s:\n%s", form, said)
			}
			if words != "" {
				wantText(t, end.Message, "couldn't be", `The hosting service says: The name \*Radio\* is taken \@everyone`)
			}
			if strings.Contains(said, "REF1234") || strings.Contains(said, "our team") || strings.Contains(said, "secret") || strings.HasSuffix(said, "says: ") {
				t.Errorf("%s:\n%s", form, said)
			}
			if end.Action.Outcome != interaction.Refused || w.expired != 1 {
				t.Errorf("%s: staff are told %+v, expired %d", form, end.Action, w.expired)
			}
			again := inputs(t, answer(t, c, press(buttons(end.Message)["Back to the form"].CustomID)))
			for id, want := range fields {
				if got := again[id]; got.Value != want && id != "language" {
					t.Errorf("%s: %s comes back as %q, was %q", form, id, got.Value, want)
				}
			}
		}
	}
}

func TestAFormThatCannotGoWellIsNotBroughtBack(t *testing.T) {
	w, c := shop(t, "RUNNING")
	for _, request := range []interaction.Request{submit("startup/b", nil), submit("create/9999/2048/100", newBot("Radio"))} {
		if b := buttons(explained(t, c, request)); len(b) != 0 {
			t.Errorf("%s leads to %v", request.Name, b)
		}
	}
	w.err = &hostapi.Error{Code: hostapi.CodeUnavailable, Op: hostapi.OpList}
	away := submit("startup/a", nil)
	_, err := ask(t, c, away)
	if b := buttons(c.Explain(&away, err).Message); b["Back to the form"].CustomID == "" {
		t.Error("what was typed is lost while the service is away")
	}
	w.err, w.action = nil, func() (string, error) { return "", &hostapi.Error{Code: hostapi.CodeNotOffered, Op: hostapi.OpDelete} }
	if end := ending(t, c, submit("delete/a", map[string]string{"name": "Shop"})); buttons(end.Message)["Back to the form"].CustomID != "" {
		t.Error("the form is offered again for what there is not")
	}
}

func TestTheLanguageSaysHowABotIsStarted(t *testing.T) {
	w := &world{list: account()}
	c := newCommands(t, w)
	form := func(language, entry, command string) interaction.Request {
		return submit("create/512/2048/100", map[string]string{"name": "Radio", "language": language, "entry": entry, "command": command})
	}
	for want, request := range map[string]interaction.Request{
		"Language:NODE EntryFile:index.js StartupCommand:node index.js":  form("NODE", "", " "),
		"Language:PYTHON EntryFile:bot.py StartupCommand:python main.py": form("PYTHON", "bot.py", ""),
		"Language:RUST EntryFile:main.rs StartupCommand:cargo run":       form("RUST", "main.rs", "cargo run"),
	} {
		ending(t, c, request)
		if done := w.done[len(w.done)-1]; !strings.Contains(done, want) {
			t.Errorf("done %q, want %q", done, want)
		}
	}
	refused(t, c, form("RUST", "main.rs", ""), "**Startup command** is missing")
	refused(t, c, form("RUST", "", "cargo run"), "**Entry file** is missing")
	refused(t, c, form("COBOL", "a", "b"), "**Language** is missing")
}

// created is a form for a bot that is to be started afterwards.
func created() interaction.Request {
	fields := newBot("Radio")
	fields["start"] = interaction.Ticked
	return submit("create/512/2048/100", fields)
}

func TestStartAfterwards(t *testing.T) {
	for name, test := range map[string]struct {
		statuses map[time.Duration]string
		fails    string // the action that the service refuses
		want     []string
		done     string
		outcomes []interaction.Outcome
	}{
		"it starts": {
			map[time.Duration]string{0: "INSTALLING", 9 * time.Second: "STOPPED", 15500 * time.Millisecond: "RUNNING"}, "",
			[]string{"✅ Created in ", "✅ Started", "🟢"}, "create start", []interaction.Outcome{interaction.Done, interaction.Done},
		},
		"it does not start": {
			map[time.Duration]string{0: "STOPPED"}, "start",
			[]string{"✅ Created in ", "❌ **Radio** couldn't be started", "REF1234"}, "create start",
			[]interaction.Outcome{interaction.Done, interaction.Failed},
		},
		"it runs already":     {map[time.Duration]string{0: "RUNNING"}, "", []string{"✅ Created in "}, "create", []interaction.Outcome{interaction.Done}},
		"it is never ready":   {map[time.Duration]string{0: "INSTALLING"}, "", []string{"is taking longer than usual", "The bot wasn't started"}, "create", []interaction.Outcome{interaction.Unconfirmed}},
		"it is suspended":     {map[time.Duration]string{0: "SUSPENDED"}, "", []string{"✅ Created in ", "The bot wasn't started"}, "create", []interaction.Outcome{interaction.Done}},
		"it was not created":  {nil, "create", []string{"couldn't be created"}, "create", []interaction.Outcome{interaction.Failed}},
		"it is not there yet": {map[time.Duration]string{0: ""}, "", []string{"✅ Created in ", "The bot wasn't started"}, "create", []interaction.Outcome{interaction.Done}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := &world{list: account(server("new", "Radio", "")), statuses: test.statuses, began: time.Now()}
				w.action = func() (string, error) {
					if strings.HasPrefix(w.done[len(w.done)-1], test.fails+" ") {
						return "", &hostapi.Error{Code: hostapi.CodeConflict, Op: hostapi.OpCreate, Status: 409}
					}
					return "INSTALLING", nil
				}
				response := answer(t, newCommands(t, w), created())
				var outcomes []interaction.Outcome
				for response.Then != nil {
					if response.Act().Action == nil || response.Act().Action.Name != []string{"create", "start"}[len(outcomes)] {
						t.Errorf("%d actions have ended, and %+v begins", len(outcomes), response.Act().Action)
					}
					response = must(t)(response.Then.Run(t.Context()))
					outcomes = append(outcomes, response.Action.Outcome)
					sendable(t, response)
					if response.Then != nil {
						wantText(t, response.Message, "✅ Created", "Starting **Radio**")
					}
				}
				wantText(t, response.Message, test.want...)
				var done []string
				for _, d := range w.done {
					action, _, _ := strings.Cut(d, " ")
					done = append(done, action)
				}
				if got := strings.Join(done, " "); got != test.done {
					t.Errorf("done %q, want %q", got, test.done)
				}
				if !slices.Equal(outcomes, test.outcomes) {
					t.Errorf("staff are told %q, want %q", outcomes, test.outcomes)
				}
			})
		})
	}
}

func TestStartAfterwardsIsOnlyOfferedWhereThereIsSuchAThing(t *testing.T) {
	w := &world{list: account(), off: map[hostapi.Operation]bool{hostapi.OpStart: true}}
	c := newCommands(t, w)
	if fields := inputs(t, answer(t, c, press("create/512/2048/100"))); len(fields) != 4 {
		t.Errorf("the form has %v", maps.Keys(fields))
	}
	if end := ending(t, c, created()); end.Then != nil || len(w.done) != 1 {
		t.Errorf("done %q", w.done)
	}
}

func TestTheFormOfADeletionNamesTheBot(t *testing.T) {
	long := strings.Repeat("Ä very long name ", 5)
	c := newCommands(t, &world{list: account(server("a", "Shop", "RUNNING"), server("b", long, "RUNNING"))})
	for locale, want := range map[string]string{"en-US": "Delete Shop for good?", "de": "Shop endgültig löschen?", "tr": "Shop kalıcı olarak silinsin mi?"} {
		if title := answer(t, c, inLanguage(locale, press("delete/a"))).Modal.Title; title != want {
			t.Errorf("%s: the title is %q, want %q", locale, title, want)
		}
		form := answer(t, c, inLanguage(locale, press("delete/b")))
		sendable(t, form)
		if n := utf8.RuneCountInString(form.Modal.Title); n != 45 {
			t.Errorf("%s: the title %q has %d characters, and room for 45", locale, form.Modal.Title, n)
		}
	}
}

// inputs returns the inputs of a form that Discord takes, by their custom IDs.
func inputs(t *testing.T, r interaction.Response) map[string]interaction.Input {
	t.Helper()
	sendable(t, r)
	found := make(map[string]interaction.Input)
	for _, f := range r.Modal.Fields {
		found[f.Input.CustomID] = f.Input
	}
	return found
}

func TestDeleteWantsTheName(t *testing.T) {
	long := strings.Repeat("long ", 40)
	w := &world{list: account(server("a", "My Shop", "RUNNING"), server("b", long, "RUNNING"), server("c", "", "RUNNING"))}
	c := newCommands(t, w)
	named := func(name string) map[string]string { return map[string]string{"name": name} }
	for _, typed := range []string{"", "Shop", "my", long, "a", "yes", "my shop", "MY SHOP"} {
		refused(t, c, submit("delete/a", named(typed)), "isn't the name of **My Shop**", "nothing was deleted")
	}
	shown := inputs(t, answer(t, c, press("delete/b")))["name"].Placeholder // can be typed
	for _, right := range []struct{ id, typed string }{
		{"a", "  My  Shop "}, {"b", shown}, {"b", long}, {"c", "c"},
	} {
		first := answer(t, c, submit("delete/"+right.id, named(right.typed)))
		wantText(t, first.Message, "Deleting")
		last := must(t)(first.Then.Run(t.Context()))
		wantText(t, last.Message, "was deleted")
		if b := buttons(last.Message); len(b) != 1 || b["All bots"].CustomID != "list/with/" {
			t.Errorf("offered afterwards: %v", b)
		}
		if done := w.done[len(w.done)-1]; done != "delete "+right.id || w.deleted != right.id || w.expired != len(w.done) {
			t.Errorf("done %q, expired %d of %d times", done, w.expired, len(w.done))
		}
	}
}

// TestWatcherKnowsWhatIsAboutToBeDone has actions on a bot that may stop it for a moment.
func TestWatcherKnowsWhatIsAboutToBeDone(t *testing.T) {
	for _, test := range []struct {
		request interaction.Request
		status  string
		want    string
	}{
		{press("restart/a"), "RUNNING", "restart of a for 42"},
		{press("start/a"), "STOPPED", "start of a for 42"},
		{submit("startup/a", map[string]string{"command": "node x.js", "entry": "x.js"}), "RUNNING", "startup of a for 42"},
		{submit("delete/a", map[string]string{"name": "Shop"}), "RUNNING", "delete of a for 42"},
		{submit("delete/a", map[string]string{"name": "Shop"}), "STOPPED", ""}, // it stays expected that it was stopped
		{submit("create/512/2048/100", newBot("Radio")), "RUNNING", ""},
	} {
		w, expected := &world{list: account(server("a", "Shop", test.status))}, ""
		w.watch.NoteAction = func(_ context.Context, customerID, serverID, action string) {
			if len(w.done) > 0 {
				t.Errorf("%s is told of when it is done", action)
			}
			expected += action + " of " + serverID + " for " + customerID
		}
		ending(t, newCommands(t, w), test.request)
		if len(w.done) != 1 || expected != test.want {
			t.Errorf("%q, %s: expected %q, want %q", w.done, test.status, expected, test.want)
		}
	}
}
