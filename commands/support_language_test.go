package commands_test

import (
	"context"
	"errors"
	"time"

	"hostbot/bot/interaction"
	"hostbot/bot/staff/incident"
	"hostbot/bot/staff/support"
	"hostbot/commands"
	"hostbot/hostapi"
)

// support draws a failure that leads to staff, what staff read of it, and what the customer does.
func (d *drawn) support(bots func(status string, n int) hostapi.List, pages commands.Links) {
	failure := incident.Incident{
		Reference: "REF1234", UserID: "42", CustomerID: "42", Kind: "component", Route: long("r"), At: time.Now(),
		BotID: "id-0", BotName: long(wide), Cause: "support", Operation: "restart", Code: "unavailable", Status: 503,
	}
	told, err := support.Told{}, error(nil)
	w := &world{list: bots("RUNNING", 1), links: pages}
	w.staff.Incident = func(context.Context, string) (incident.Incident, error) { return failure, nil }
	w.support = commands.Support{Keep: func(incident.Incident) {}, Texts: mustTexts(d.t).For(d.locale), Tell: func(_ context.Context, c support.Case) (support.Told, error) {
		d.see(interaction.Reply(c.Message))
		return told, err
	}}
	c := newCommands(d.t, w)
	tell := press("aside/support/REF1234")
	d.explain(c, interaction.Request{UserID: "42", CustomerID: "42"}, errors.New("unforeseen"))
	d.ask(c, tell)
	d.ask(c, press("aside/crashes/id-0"))
	failure.BotID = ""
	d.ask(c, tell)
	told.Already = true
	d.ask(c, tell)
	for _, err = range []error{&support.LimitError{Until: time.Now().Add(time.Hour)}, errors.New("away")} {
		d.ask(c, tell)
	}
	failure.UserID = "43"
	d.ask(c, tell)
}
