package commands_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/interaction"
	"hostbot/hostapi"
	"hostbot/hostapi/accounts"
)

// menus returns the select menus of a message by their placeholders.
func menus(m interaction.Message) map[string]discordgo.SelectMenu {
	found := make(map[string]discordgo.SelectMenu)
	for _, c := range m.Components {
		for _, s := range c.(discordgo.ActionsRow).Components {
			if s, ok := s.(discordgo.SelectMenu); ok {
				found[s.Placeholder] = s
			}
		}
	}
	return found
}

func chosen(m discordgo.SelectMenu) string {
	for _, o := range m.Options {
		if o.Default {
			return o.Value
		}
	}
	return ""
}

func TestCreate(t *testing.T) {
	l := account(server("a", "Shop", "RUNNING"))
	l.Account = hostapi.Account{PlanName: "Pro", PlanRAMMB: 2048, MaxServers: 3, ServerCount: 1}
	w := &world{list: l}
	c := newCommands(t, w)

	first := must(t)(ask(t, c, command("bot create", nil)))
	wantText(t, first.Message, "Create a bot", "2 bots", "1.5 GB")
	ram := menus(first.Message)["RAM"]
	if got := []string{ram.Options[0].Label, ram.Options[len(ram.Options)-1].Label, chosen(ram)}; got[0] != "RAM: 128 MB" || got[1] != "RAM: 1.5 GB" || got[2] != "512" {
		t.Errorf("the plan leaves 1.5 GB; offered and chosen: %q", got)
	}

	bigger := must(t)(ask(t, c, press(ram.CustomID, "1024")))
	faster := must(t)(ask(t, c, press(menus(bigger.Message)["CPU"].CustomID, "200")))
	if m := menus(faster.Message); chosen(m["RAM"]) != "1024" || chosen(m["CPU"]) != "200" || chosen(m["Disk"]) != "2048" {
		t.Errorf("chosen: RAM %s, CPU %s, disk %s", chosen(m["RAM"]), chosen(m["CPU"]), chosen(m["Disk"]))
	}
	form := must(t)(ask(t, c, press(buttons(faster.Message)["Continue"].CustomID)))
	if fields := inputs(t, form.Modal); len(fields) != 4 {
		t.Errorf("the form has %+v", fields)
	}

	filled := map[string]string{"name": "Radio", "language": "python", "entry": "main.py", "command": "python main.py"}
	running := must(t)(ask(t, c, submit(form.Modal.CustomID, filled)))
	wantText(t, running.Message, "Creating **Radio**")
	if buttons(running.Message)["All bots"].CustomID == "" {
		t.Error("there is no way on meanwhile")
	}
	if _, err := ask(t, c, submit(form.Modal.CustomID, filled)); err == nil {
		t.Error("the same bot is made twice at once")
	}
	last := must(t)(running.Then(t.Context()))
	wantText(t, last.Message, "**Radio** was created", "⚫ Radio")
	want := "create {Name:Radio Language:PYTHON EntryFile:main.py StartupCommand:python main.py RAMMB:1024 DiskMB:2048 CPUPercent:200} 42 "
	if len(w.done) != 1 || w.done[0] != want || w.expired != 1 {
		t.Errorf("done %q, expired %d", w.done, w.expired)
	}
	if _, err := ask(t, c, submit(form.Modal.CustomID, map[string]string{"name": " "})); err == nil {
		t.Error("an empty form was accepted")
	}
}

func TestCreateNeverAsksForMoreThanThePlanLeaves(t *testing.T) {
	l := account(server("a", "Shop", "RUNNING"))
	l.Account = hostapi.Account{PlanName: "Pro", PlanRAMMB: 768, MaxServers: 3, ServerCount: 1}
	w := &world{list: l}
	c := newCommands(t, w)
	filled := map[string]string{"name": "Radio", "language": "node", "entry": "x", "command": "y"}
	for _, sizes := range []string{"4096/2048/100", "-1/-1/-1", "x/y/z", "256/9999999/100000", "//"} {
		for _, request := range []interaction.Request{press("create/" + sizes), submit("create/"+sizes, filled)} {
			_, err := ask(t, c, request)
			if err == nil {
				t.Fatalf("%s leads on from %s", request.Kind, sizes)
			}
			e := c.Explain(&interaction.Request{Locale: "en-US"}, err)
			wantText(t, e.Message, "has changed since", "/bot create")
			if e.Fault {
				t.Error("staff are told")
			}
		}
	}
	// What was all that was left when it was chosen fits a plan that has more left now.
	must(t)(must(t)(ask(t, c, submit("create/200/2048/100", filled))).Then(t.Context()))
	if len(w.done) != 1 || !strings.Contains(w.done[0], "RAMMB:200 DiskMB:2048 CPUPercent:100") {
		t.Errorf("asked for %s", w.done)
	}
}

func TestSizesOfAnOldAccountAreShownAgain(t *testing.T) {
	l := account(server("a", "Shop", "RUNNING"))
	l.Account = hostapi.Account{PlanName: "Pro", PlanRAMMB: 2048, MaxServers: 3, ServerCount: 1}
	more := l
	more.Account.PlanRAMMB = 8192
	w := &world{list: l, old: true, update: func(context.Context) (accounts.Snapshot, error) {
		return accounts.Snapshot{List: more}, nil
	}}
	c := newCommands(t, w)
	first := must(t)(ask(t, c, command("bot create", nil)))
	wantText(t, first.Message, "Updating", "1.5 GB")
	second := must(t)(ask(t, c, press(menus(first.Message)["RAM"].CustomID, "1024")))
	if first.Subject == second.Subject {
		t.Error("the sizes that were chosen would be undone by the update of the first")
	}
	last := must(t)(second.Then(t.Context()))
	wantText(t, last.Message, "7.5 GB")
	if strings.Contains(text(last.Message), "Updating") || chosen(menus(last.Message)["RAM"]) != "1024" {
		t.Errorf("updated:\n%s", text(last.Message))
	}
}

func TestAPlanThatLimitsMemoryAlone(t *testing.T) {
	l := account(server("a", "Shop", "RUNNING"))
	l.Account = hostapi.Account{PlanName: "Pro", PlanRAMMB: 512, ServerCount: 1}
	c := newCommands(t, &world{list: l})
	_, err := ask(t, c, command("bot create", nil))
	if err == nil {
		t.Fatal("a form is shown")
	}
	explained := c.Explain(&interaction.Request{Locale: "en-US"}, err)
	wantText(t, explained.Message, "512 MB", "**Pro**")
	if strings.Contains(text(explained.Message), "of 0") {
		t.Errorf("a limit is made up:\n%s", text(explained.Message))
	}
}

func TestWhoCreatesTwiceIsNotToldOfTheWrongBot(t *testing.T) {
	c := newCommands(t, &world{list: account()})
	filled := map[string]string{"name": "Radio", "language": "node", "entry": "x", "command": "y"}
	must(t)(ask(t, c, submit("create/512/2048/100", filled)))
	filled["name"] = "Shop"
	_, err := ask(t, c, submit("create/512/2048/100", filled))
	explained := c.Explain(&interaction.Request{Locale: "en-US"}, err)
	wantText(t, explained.Message, "already being created", ":R>")
	if strings.Contains(text(explained.Message), "Shop") {
		t.Errorf("it is Radio that is being made:\n%s", text(explained.Message))
	}
}

// building is a service that takes its time to make a bot.
type building struct{ moving }

func (b *building) Create(context.Context, string, hostapi.NewServer) (hostapi.Server, error) {
	return server("a", "Shop", "INSTALLING"), nil
}

func TestANewBotIsFollowed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for end, hint := range map[string]bool{"STOPPED": true, "RUNNING": false} {
			b := &building{moving{started: time.Now(), after: map[time.Duration]string{0: "INSTALLING", 9 * time.Second: end}}}
			c := newCommandsWith(t, b, b)
			filled := map[string]string{"name": "Shop", "language": "node", "entry": "x", "command": "y"}
			last := must(t)(must(t)(ask(t, c, submit("create/512/2048/100", filled))).Then(t.Context()))
			wantText(t, last.Message, "**Shop** was created")
			if strings.Contains(text(last.Message), "Installing") {
				t.Errorf("it is said to be installing still:\n%s", text(last.Message))
			}
			if got := strings.Contains(text(last.Message), "press **Start**"); got != hint || got != (buttons(last.Message)["Start"].CustomID != "") {
				t.Errorf("%s: the customer is sent to a button: %t", end, got)
			}
		}
	})
}

func TestAFullPlanIsSaidBeforeAnythingIsFilledIn(t *testing.T) {
	for name, full := range map[string]hostapi.Account{
		"bots": {PlanName: "Pro", PlanRAMMB: 8192, MaxServers: 1, ServerCount: 1},
		"RAM":  {PlanName: "Pro", PlanRAMMB: 512, MaxServers: 9, ServerCount: 1},
	} {
		l := account(server("a", "Shop", "RUNNING"))
		l.Account = full
		c := newCommands(t, &world{list: l})
		for _, request := range []interaction.Request{command("bot create", nil), press("create/512/2048/100"), submit("create/512/2048/100", nil)} {
			_, err := ask(t, c, request)
			if err == nil {
				t.Fatalf("%s: a form is shown", name)
			}
			e := c.Explain(&interaction.Request{Locale: "en-US"}, err)
			wantText(t, e.Message, "no room", "**Pro**")
			if e.Fault {
				t.Errorf("%s: staff are told", name)
			}
		}
	}
}

func TestARefusalToCreateNamesItsReason(t *testing.T) {
	w := &world{list: account()}
	w.action = func() (string, error) {
		return "", &hostapi.Error{Code: hostapi.CodeConflict, Op: hostapi.OpCreate, Status: 409, Detail: "the name *Radio* is taken @everyone"}
	}
	c := newCommands(t, w)
	filled := map[string]string{"name": "Radio", "language": "node", "entry": "x", "command": "y"}
	r := must(t)(ask(t, c, submit("create/512/2048/100", filled)))
	last := must(t)(r.Then(t.Context()))
	wantText(t, last.Message, "could not be created", `the name \*Radio\* is taken \@everyone`, "REF1234")
	if last.Action.Outcome != interaction.Failed || last.Failure == nil {
		t.Errorf("staff are told %+v", last.Action)
	}
}
