package commands_test

import (
	"context"
	"errors"
	"strings"
	"time"

	"hostbot/bot/interaction"
	"hostbot/bot/staff/incident"
	"hostbot/bot/staff/support"
	"hostbot/bot/store/record"
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
	tell := press("aside/support/REF1234")
	d.ask(withoutStaff(d.t, w), tell)
	desk := &desk{}
	w.support.Answers = desk
	c := newCommands(d.t, w)
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
	d.answers(w, desk)
}

// answers draws what staff answer and the customer replies, with the longest texts.
func (d *drawn) answers(w *world, desk *desk) {
	d.t.Helper()
	c := newCommands(d.t, w)
	a := support.Answer{ID: "0123456789abcdef01", Locale: d.locale, Reference: "REF1234", StaffID: "42", Text: strings.Repeat("*", support.MaxText), At: time.Now()}
	for _, said := range []interaction.Message{c.SupportAnswer(a), c.AnswerNote(a, true), c.AnswerNote(a, false)} {
		d.see(interaction.Reply(said))
	}
	w.support.Brand = long("B")
	d.see(interaction.Reply(newCommands(d.t, w).SupportAnswer(a)))
	const answerID, replyID, readID = "aside/answer/42/REF1234/en-US", "aside/reply/0123456789abcdef01", "aside/unread"
	typed := map[string]string{"text": a.Text}
	staffs := func(r interaction.Request) interaction.Request { r.UserID, r.GuildID = "1", "7"; return r }
	for _, r := range []interaction.Request{staffs(press(answerID)), press(replyID), staffs(submit(answerID, typed)), submit(replyID, typed), press(readID)} {
		d.ask(c, r)
	}
	for _, m := range desk.replies {
		d.see(interaction.Reply(m))
	}
	for _, desk.err = range []error{errors.New("away"), support.ErrEnded, record.ErrExists} {
		for _, r := range []interaction.Request{staffs(submit(answerID, typed)), submit(replyID, typed)} {
			d.ask(c, r)
		}
	}
	w.beside = map[string]string{"answer:0123456789abcdef01": `{"text": "` + strings.Repeat(wide, support.MaxText) + `"}`}
	d.ask(c, command("bot list", nil))
	d.ask(c, press(readID))
	w.list.Servers = nil
	d.ask(c, command("bot list", nil))
}
