package commands_test

import (
	"errors"
	"testing"

	"hostbot/bot/actions"
	"hostbot/bot/interaction"
	"hostbot/hostapi/redistest"
)

// TestARepeatedFormKeepsNothing has the event of a form come again, to another process, once a bot
// was created by it: the plan is full by then, which is nobody's to read.
func TestARepeatedFormKeepsNothing(t *testing.T) {
	redistest.Each(t, func(t *testing.T, address string) {
		shared := func() *actions.Actions {
			return actions.New(actions.Config{Redis: redistest.Connect(t, address), Timing: actions.DefaultTiming()})
		}
		w := &world{list: account(server("a", "Shop", "RUNNING")), actions: shared()}
		form := submit("create/512/2048/100", map[string]string{"name": "Radio", "language": "NODE"})
		form.ID = "1"
		ending(t, newCommands(t, w), form)

		w.actions, w.list.Account.MaxServers = shared(), 1
		c := newCommands(t, w)
		if _, err := ask(t, c, form); !errors.Is(err, interaction.ErrHandledElsewhere) {
			t.Errorf("the repeated event: %v", err)
		}
		w.list.Account.MaxServers = 100
		if got := inputs(t, answer(t, c, press("create/512/2048/100")))["name"].Value; got != "" {
			t.Errorf("the form opens with %q", got)
		}
		w.wantDone(t, "create {Name:Radio Language:NODE EntryFile:index.js StartupCommand:node index.js RAMMB:512 DiskMB:2048 CPUPercent:100} ")
	})
}

// TestAFormThatIsRefusedWhileAnotherRunsIsAnswered: this interaction counts as one that has acted,
// as this process decides for it, and was not carried out elsewhere.
func TestAFormThatIsRefusedWhileAnotherRunsIsAnswered(t *testing.T) {
	server := redistest.StartMiniredis(t)
	w := &world{list: account(), actions: actions.New(actions.Config{Redis: redistest.Connect(t, server.URL()), Timing: actions.DefaultTiming()})}
	c := newCommands(t, w)
	form := submit("create/512/2048/100", map[string]string{"name": "Radio", "language": "NODE"})
	form.ID = "1"
	answer(t, c, form)
	form.ID, form.Fields = "2", map[string]string{"name": "Wiki", "language": "NODE"}
	refused(t, c, form, "⏳")
	if got := inputs(t, answer(t, c, press("create/512/2048/100")))["name"].Value; got != "Wiki" {
		t.Errorf("the form opens with %q", got)
	}
}
