package commands_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/interaction"
	"hostbot/hostapi"
)

// newBot is the filled-in form for a bot.
func newBot(name string) map[string]string {
	return map[string]string{"name": name, "language": "python", "entry": "main.py", "command": "python main.py"}
}

// chosen returns the chosen value of a select menu, and the labels of all.
func chosen(m discordgo.SelectMenu) (value string, labels []string) {
	for _, o := range m.Options {
		if labels = append(labels, o.Label); o.Default {
			value = o.Value
		}
	}
	return value, labels
}

// wantSizes fails unless these sizes are chosen.
func wantSizes(t *testing.T, m interaction.Message, want ...string) {
	t.Helper()
	var got []string
	for _, menu := range []string{"RAM", "Disk", "CPU"} {
		value, _ := chosen(menus(m)[menu])
		got = append(got, value)
	}
	if !slices.Equal(got, want) {
		t.Errorf("chosen are %q, want %q", got, want)
	}
}

func TestCreate(t *testing.T) {
	w := &world{list: shopWithPlan(2048, 3)}
	c := newCommands(t, w)
	first := answer(t, c, command("bot create", nil))
	wantText(t, first.Message, "Create a bot", "2 bots", "1.5 GB")
	wantSizes(t, first.Message, "512", "2048", "100")
	if _, labels := chosen(menus(first.Message)["RAM"]); labels[0] != "RAM: 128 MB" || labels[len(labels)-1] != "RAM: 1.5 GB" {
		t.Errorf("the plan leaves 1.5 GB; offered: %q", labels)
	}
	bigger := answer(t, c, press(menus(first.Message)["RAM"].CustomID, "1024"))
	faster := answer(t, c, press(menus(bigger.Message)["CPU"].CustomID, "200"))
	wantSizes(t, faster.Message, "1024", "2048", "200")
	form := answer(t, c, press(buttons(faster.Message)["Continue"].CustomID))
	if fields := inputs(t, form); len(fields) != 4 {
		t.Errorf("the form has %+v", fields)
	}

	running := answer(t, c, submit(form.Modal.CustomID, newBot("Radio")))
	wantText(t, running.Message, "Creating **Radio**")
	if buttons(running.Message)["All bots"].CustomID == "" {
		t.Error("no button leads on while it runs")
	}
	if said := refused(t, c, submit(form.Modal.CustomID, newBot("Shop")), "already being created", ":R>"); strings.Contains(said, "Shop") {
		t.Errorf("it is Radio that is being created:\n%s", said)
	}
	last := must(t)(running.Then(t.Context()))
	wantText(t, last.Message, "**Radio** was created", "⚫ Radio")
	want := "create {Name:Radio Language:PYTHON EntryFile:main.py StartupCommand:python main.py RAMMB:1024 DiskMB:2048 CPUPercent:200} 42 "
	if len(w.done) != 1 || w.done[0] != want || w.expired != 1 {
		t.Errorf("done %q, expired %d", w.done, w.expired)
	}
	refused(t, c, submit(form.Modal.CustomID, newBot(" ")), "cannot be used")
}

func TestCreateNeverAsksForMoreThanThePlanLeaves(t *testing.T) {
	w := &world{list: shopWithPlan(768, 3)}
	c := newCommands(t, w)
	for _, sizes := range []string{"4096/2048/100", "-1/-1/-1", "x/y/z", "256/9999999/100000", "//"} {
		for _, request := range []interaction.Request{press("create/" + sizes), submit("create/"+sizes, newBot("Radio"))} {
			refused(t, c, request, "has changed since", "/bot create")
		}
	}
	if len(w.done) != 0 {
		t.Errorf("asked for %s", w.done)
	}
}

func TestSizesOfAnOldAccountAreShownAgain(t *testing.T) {
	c := newCommands(t, &world{list: shopWithPlan(2048, 3), old: true, update: becoming(shopWithPlan(8192, 3))})
	first := answer(t, c, command("bot create", nil))
	wantText(t, first.Message, "Updating", "1.5 GB")
	second := answer(t, c, press(menus(first.Message)["RAM"].CustomID, "1024"))
	if first.Subject == second.Subject {
		t.Error("the update of the first would undo the choice")
	}
	last := must(t)(second.Then(t.Context()))
	wantText(t, last.Message, "7.5 GB")
	wantSizes(t, last.Message, "1024", "2048", "100")
	if strings.Contains(text(last.Message), "Updating") {
		t.Errorf("updated:\n%s", text(last.Message))
	}
}

func TestFullPlanIsSaidBeforeAnythingIsFilledIn(t *testing.T) {
	for name, full := range map[string]hostapi.List{"bots": shopWithPlan(8192, 1), "RAM": shopWithPlan(512, 9), "RAM alone": shopWithPlan(512, 0)} {
		t.Run(name, func(t *testing.T) {
			c := newCommands(t, &world{list: full})
			for _, request := range []interaction.Request{command("bot create", nil), press("create/512/2048/100"), submit("create/512/2048/100", nil)} {
				if said := refused(t, c, request, "no ", "**Pro**"); strings.Contains(said, "of 0") {
					t.Errorf("a limit is made up:\n%s", said)
				}
			}
		})
	}
}

// building is a service that takes its time to create a bot.
type building struct{ moving }

func (b *building) Create(context.Context, string, hostapi.NewServer) (hostapi.Server, error) {
	return server("a", "Shop", "INSTALLING"), nil
}

func TestNewBotIsFollowed(t *testing.T) {
	for end, hint := range map[string]bool{"STOPPED": true, "RUNNING": false} {
		synctest.Test(t, func(t *testing.T) {
			b := &building{moving{started: time.Now(), after: map[time.Duration]string{0: "INSTALLING", 9 * time.Second: end}}}
			last := ending(t, newCommandsWith(t, b, b), submit("create/512/2048/100", newBot("Shop")))
			wantText(t, last.Message, "**Shop** was created")
			if strings.Contains(text(last.Message), "Installing") {
				t.Errorf("it is said to be installing still:\n%s", text(last.Message))
			}
			if got := strings.Contains(text(last.Message), "press **Start**"); got != hint || got != (buttons(last.Message)["Start"].CustomID != "") {
				t.Errorf("%s: the customer is sent to a button: %t", end, got)
			}
		})
	}
}

func TestNewBotThatIsNotListedYetWasCreated(t *testing.T) {
	w := &world{list: account()}
	c := newCommandsWith(t, w, &building{})
	synctest.Test(t, func(t *testing.T) {
		last := ending(t, c, submit("create/512/2048/100", newBot("Shop")))
		wantText(t, last.Message, "**Shop** was created")
		if last.Action.Outcome != interaction.Done || last.Action.BotID != "a" {
			t.Errorf("staff are told %+v", last.Action)
		}
	})
}

func TestCreateSaysWhyItWasRefused(t *testing.T) {
	w := &world{list: account(), action: func() (string, error) {
		return "", &hostapi.Error{Code: hostapi.CodeConflict, Op: hostapi.OpCreate, Status: 409, Detail: "the name *Radio* is taken @everyone"}
	}}
	last := ending(t, newCommands(t, w), submit("create/512/2048/100", newBot("Radio")))
	wantText(t, last.Message, "could not be created", `the name \*Radio\* is taken \@everyone`, "REF1234")
	if last.Action.Outcome != interaction.Failed || last.Failure == nil {
		t.Errorf("staff are told %+v", last.Action)
	}
}
