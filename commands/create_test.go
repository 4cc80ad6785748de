package commands_test

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"hostbot/bot/interaction"
	"hostbot/hostapi"
)

// newBot is the filled-in form for a bot.
func newBot(name string) map[string]string {
	return map[string]string{"name": name, "language": "PYTHON", "entry": "bot.py", "command": "python -u bot.py"}
}

// wantSizes fails unless these sizes are chosen.
func wantSizes(t *testing.T, m interaction.Message, want ...string) {
	t.Helper()
	var got []string
	for _, menu := range []string{"RAM", "Disk", "CPU"} {
		for _, o := range menus(m)[menu].Options {
			if o.Default {
				got = append(got, o.Value)
			}
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("chosen are %q, want %q", got, want)
	}
}

func TestCreate(t *testing.T) {
	w := &world{list: shopWithPlan(2048, 3)}
	c := newCommands(t, w)
	first := answer(t, c, command("bot create", nil))
	wantText(t, first.Message, "Create a bot", "2 more bots", "1.5 GB")
	wantSizes(t, first.Message, "512", "2048", "100")
	if ram := menus(first.Message)["RAM"].Options; ram[0].Label != "RAM: 128\u00a0MB" || ram[len(ram)-1].Label != "RAM: 1.5\u00a0GB" {
		t.Errorf("the plan leaves 1.5 GB; offered: %+v", ram)
	}
	if cpu := menus(first.Message)["CPU"].Options; cpu[1].Label != "CPU: 1\u00a0vCPU" {
		t.Errorf("offered: %+v", cpu)
	}
	bigger := answer(t, c, press(menus(first.Message)["RAM"].CustomID, "1024"))
	faster := answer(t, c, press(menus(bigger.Message)["CPU"].CustomID, "200"))
	wantSizes(t, faster.Message, "1024", "2048", "200")
	form := answer(t, c, press(buttons(faster.Message)["Continue"].CustomID))
	fields := inputs(t, form)
	if options := fields["language"].Options; len(fields) != 5 || len(options) != 3 || !options[0].Default || options[1].Description != "python main.py · main.py" {
		t.Errorf("the form has %+v", fields)
	}
	if *fields["entry"].Required || *fields["command"].Required || !*fields["name"].Required {
		t.Error("what the language says must be entered, or the name need not be")
	}

	running := answer(t, c, submit(form.Modal.CustomID, newBot("Radio")))
	wantText(t, running.Message, "Creating **Radio**")
	if buttons(running.Message)["All bots"].CustomID == "" {
		t.Error("no button leads on while it runs")
	}
	if said := refused(t, c, submit(form.Modal.CustomID, newBot("Shop")), "already being created", ":R>"); strings.Contains(said, "Shop") {
		t.Errorf("it is Radio that is being created:\n%s", said)
	}
	last := must(t)(running.Then.Run(t.Context()))
	wantText(t, last.Message, "⚫ Radio\n✅ Created.")
	want := "create {Name:Radio Language:PYTHON EntryFile:bot.py StartupCommand:python -u bot.py RAMMB:1024 DiskMB:2048 CPUPercent:200} "
	if len(w.done) != 1 || w.done[0] != want || w.expired != 1 {
		t.Errorf("done %q, expired %d", w.done, w.expired)
	}
	refused(t, c, submit(form.Modal.CustomID, newBot(" ")), "**Name** is missing")
}

func TestCreateNeverAsksForMoreThanThePlanLeaves(t *testing.T) {
	w := &world{list: shopWithPlan(768, 3)}
	c := newCommands(t, w)
	for _, sizes := range []string{"4096/2048/100", "-1/-1/-1", "x/y/z", "256/9999999/100000", "//"} {
		for _, request := range []interaction.Request{press("create/" + sizes), submit("create/"+sizes, newBot("Radio"))} {
			refused(t, c, request, "have changed in the meantime", "/bot create")
		}
	}
	for _, full := range []hostapi.List{shopWithPlan(8192, 1), shopWithPlan(512, 9), shopWithPlan(512, 0)} {
		w.list = full
		for _, request := range []interaction.Request{command("bot create", nil), press("create/512/2048/100"), submit("create/512/2048/100", nil)} {
			if said := refused(t, c, request, "no ", "**Pro**"); strings.Contains(said, "of 0") {
				t.Errorf("a limit is made up:\n%s", said)
			}
		}
	}
	w.wantDone(t)
}

func TestCreateOfAnOldAccountIsShownAgain(t *testing.T) {
	c := newCommands(t, &world{list: shopWithPlan(2048, 3), old: true, update: becoming(shopWithPlan(8192, 3))})
	first := answer(t, c, command("bot create", nil))
	second := answer(t, c, press(menus(first.Message)["RAM"].CustomID, "1024"))
	if first.Subject == second.Subject {
		t.Error("the update of the first would undo the choice")
	}
	last := must(t)(second.Then.Run(t.Context()))
	wantText(t, last.Message, "7.5 GB")
	wantSizes(t, last.Message, "1024", "2048", "100")
}

func TestCreateFollowsTheBot(t *testing.T) {
	for end, hint := range map[string]bool{"STOPPED": true, "RUNNING": false, "": false} { // "": it is not listed yet
		synctest.Test(t, func(t *testing.T) {
			w := &world{list: account(server("new", "Shop", "")), began: time.Now(), action: func() (string, error) { return "INSTALLING", nil }}
			w.statuses = map[time.Duration]string{0: "INSTALLING", 9 * time.Second: end}
			last := ending(t, newCommands(t, w), submit("create/512/2048/100", newBot("Shop")))
			wantText(t, last.Message, "✅ Created in ")
			if end != "" && strings.Contains(text(last.Message), "Installing") {
				t.Errorf("it is said to be installing still:\n%s", text(last.Message))
			}
			if got := strings.Contains(text(last.Message), "press **Start**"); got != hint || got && buttons(last.Message)["Start"].Disabled {
				t.Errorf("%q: the customer is sent to a button: %t", end, got)
			}
			if last.Action.Outcome != interaction.Done || last.Action.BotID != "new" {
				t.Errorf("staff are told %+v", last.Action)
			}
		})
	}
}
