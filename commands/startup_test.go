package commands_test

import (
	"strings"
	"testing"
	"testing/synctest"

	"hostbot/bot/interaction"
	"hostbot/hostapi"

	"github.com/bwmarrin/discordgo"
)

func TestStartupIsFilledInAndChanged(t *testing.T) {
	w := &world{list: account(server("a", "Shop", "RUNNING"))}
	w.list.Servers[0].StartupCommand = " node index.js\n"
	c := newCommands(t, w)
	fields := inputs(t, answer(t, c, press("startup/a")))
	if len(fields) != 2 || fields["command"].Value != "node index.js" || fields["entry"].Value != "index.js" || fields["command"].Style != discordgo.TextInputShort {
		t.Errorf("the modal has %+v", fields)
	}
	for missing, fields := range map[string]map[string]string{"Startup command": {"command": " ", "entry": "x"}, "Entry file": {"command": "x"}} {
		refused(t, c, submit("startup/a", fields), "**"+missing+"** is missing")
	}
	same := answer(t, c, submit("startup/a", map[string]string{"command": fields["command"].Value + " ", "entry": fields["entry"].Value}))
	wantText(t, same.Message, "Nothing was changed")

	changed := map[string]string{"command": "npm ci\nnode main.js", "entry": "main.js"}
	refused(t, c, submit("startup/b", changed), "no longer exists")
	first := answer(t, c, submit("startup/a", changed))
	wantText(t, first.Message, "Changing the startup settings of **Shop**")
	if same.Then != nil || same.Form != interaction.FormUpdate || len(w.done) != 0 {
		t.Fatalf("done too early: %q", w.done)
	}
	last := must(t)(first.Then.Run(t.Context()))
	wantText(t, last.Message, "✅ Startup settings changed.", "node main.js`", "`main.js`", "🟢 Shop")
	if len(w.done) != 1 || w.done[0] != "startup npm ci\nnode main.js main.js a" || w.expired != 1 {
		t.Errorf("done %q, expired %d", w.done, w.expired)
	}
	w.list.Servers[0].StartupCommand = changed["command"]
	if fields := inputs(t, answer(t, c, onBot("bot startup", "Shop"))); fields["command"].Style != discordgo.TextInputParagraph || fields["command"].Value != changed["command"] {
		t.Errorf("two lines would come back as one: %+v", fields["command"])
	}
}

// smart are startups as a phone makes them, with what was meant and what the customer reads.
var smart = []struct{ command, entry, plainCommand, plainEntry, said string }{
	{"node —max-old-space-size=256 “index.js”", "index.js", `node --max-old-space-size=256 "index.js"`, "index.js", "`—` `“` `”`"},
	{"python3 –u bot.py", "bot.py", "python3 -u bot.py", "bot.py", "`–`"},
	{"node ‑‑inspect ‘a.js’", "a.js", "node --inspect 'a.js'", "a.js", "`‑` `‘` `’`"},
	{"node\u00a0index.js", "index.js", "node index.js", "index.js", "`U+00A0`"},
	{"go run ./…", "main.go", "go run ./...", "main.go", "`…`"},
	{"node a.js", "“a.js”", "node a.js", `"a.js"`, "`“` `”`"},
	{"node\u200b a.js ——x", "a—b.js", "node a.js --x", "a--b.js", "`U+200B` `—`"},
	{"node «\u00a0a.js\u00a0»", "a.js", `node "a.js"`, "a.js", "`«` `U+00A0` `»`"},
}

func TestAPhonesPunctuationIsTakenAsTypedAndSaid(t *testing.T) {
	for _, test := range smart {
		fields := map[string]string{"name": "Radio", "language": "PYTHON", "command": test.command, "entry": test.entry}
		for _, form := range []string{"startup/a", "create/512/2048/100"} {
			w := &world{list: account(server("a", "Shop", "RUNNING"))}
			c := newCommands(t, w)
			end := ending(t, c, submit(form, fields))
			sendable(t, end)
			wantText(t, end.Message, "Your phone may have replaced some characters: "+test.said+". Your bot may not start with them.")
			if done := w.done[0]; !strings.Contains(done, test.command) || !strings.Contains(done, test.entry) {
				t.Errorf("done %q", done)
			}
			id := map[string]string{"startup/a": "a", "create/512/2048/100": "new"}[form]
			w.list = account(server(id, "Shop", "RUNNING"))
			w.list.Servers[0].StartupCommand, w.list.Servers[0].EntryFile = test.command, test.entry
			opened := inputs(t, answer(t, c, press(buttons(end.Message)["Use plain characters"].CustomID)))
			if got := opened["command"].Value; got != test.plainCommand {
				t.Errorf("offered %q, want %q", got, test.plainCommand)
			}
			if got := opened["entry"].Value; got != test.plainEntry {
				t.Errorf("offered %q, want %q", got, test.plainEntry)
			}
			if len(w.done) != 1 {
				t.Errorf("done before the customer sent the form: %q", w.done)
			}
			end = ending(t, c, submit("startup/"+id, map[string]string{"command": test.plainCommand, "entry": test.plainEntry}))
			if m := end.Message; strings.Contains(text(m), "phone") || buttons(m)["Use plain characters"].CustomID != "" {
				t.Errorf("plain characters are said to be others:\n%s", text(m))
			}
			same := answer(t, c, submit("startup/"+id, map[string]string{"command": test.command, "entry": test.entry}))
			wantText(t, same.Message, "Nothing was changed", test.said)
			sendable(t, same)
			if buttons(same.Message)["Use plain characters"].CustomID == "" {
				t.Error("a form that was sent once more does not lead on")
			}
		}
	}
}

func TestOtherScriptsAreNotAPhonesPunctuation(t *testing.T) {
	for _, meant := range []string{"node бот.js", "python café.py", "python3 データー.py", "node 机器人.js", "python بوت.py", `node -e "console.log('a--b')" | tee log`, "node 🤖.js", "node `which x`"} {
		for _, form := range []string{"startup/a", "create/512/2048/100"} {
			_, c := shop(t, "RUNNING")
			end := ending(t, c, submit(form, map[string]string{"name": "it’s", "language": "NODE", "command": meant, "entry": "é.js"}))
			if strings.Contains(text(end.Message), "phone") {
				t.Errorf("%q:\n%s", meant, text(end.Message))
			}
		}
	}
}

func TestAPhonesPunctuationIsSaidWhereNothingCanBeChanged(t *testing.T) {
	w := &world{list: account(), off: map[hostapi.Operation]bool{hostapi.OpUpdateStartup: true}}
	fields := newBot("Radio")
	fields["command"] = "python —u bot.py"
	end := ending(t, newCommands(t, w), submit("create/512/2048/100", fields))
	wantText(t, end.Message, "Your phone")
	if buttons(end.Message)["Use plain characters"].CustomID != "" {
		t.Error("a form is offered that there is not")
	}
}

// TestAPhonesPunctuationIsSaidOnceTheBotWasStarted: it may be why the bot does not start.
func TestAPhonesPunctuationIsSaidOnceTheBotWasStarted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &world{list: account(server("new", "Radio", "STOPPED"))}
		w.action = func() (string, error) {
			if strings.HasPrefix(w.done[len(w.done)-1], "start ") {
				return "", &hostapi.Error{Code: hostapi.CodeConflict, Op: hostapi.OpStart, Status: 409}
			}
			return "STOPPED", nil
		}
		r := created()
		r.Fields["command"] = "python —u bot.py"
		response := answer(t, newCommands(t, w), r)
		for response.Then != nil {
			response = must(t)(response.Then.Run(t.Context()))
			sendable(t, response)
		}
		wantText(t, response.Message, "couldn't be started", "Your phone")
		if buttons(response.Message)["Use plain characters"].CustomID != "plain/new" {
			t.Errorf("nothing leads to the form: %v", buttons(response.Message))
		}
	})
}

// TestChangedStartupNamesTheButtonThatCanBePressed names Restart only if it can be pressed.
func TestChangedStartupNamesTheButtonThatCanBePressed(t *testing.T) {
	for status, restarts := range map[string]bool{"RUNNING": true, "CRASHED": true, "STOPPED": false, "STARTING": false} {
		_, c := shop(t, status)
		m := ending(t, c, submit("startup/a", map[string]string{"command": "node x.js", "entry": "x.js"})).Message
		wantText(t, m, "✅ Startup settings changed.")
		if b := buttons(m)["Restart"]; b.Disabled == restarts || strings.Contains(text(m), "Press **Restart**") != restarts {
			t.Errorf("%s: Restart is disabled: %t\n%s", status, b.Disabled, text(m))
		}
	}
}
