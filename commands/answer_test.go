package commands_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/actions"
	"hostbot/bot/interaction"
	"hostbot/bot/staff/incident"
	"hostbot/bot/staff/support"
	"hostbot/bot/store/record"
	"hostbot/commands"
	"hostbot/hostapi"
)

// desk has what staff answered to customer 42, and what that one replied.
type desk struct {
	answers []support.Answer
	read    string // the ID of the answer that was
	replies []interaction.Message
	err     error
}

func (d *desk) Answer(_ context.Context, a support.Answer) error {
	d.answers = append(d.answers, a)
	return d.err
}

func (d *desk) Reply(_ context.Context, customerID, id, _ string, draw func(support.Answer) interaction.Message) error {
	d.replies = append(d.replies, draw(support.Answer{ID: id, CustomerID: customerID, Reference: "REF1234"}))
	return d.err
}

func (d *desk) Read(_ context.Context, _, id string) error {
	d.read = id
	return nil
}

// answering returns commands by which staff, of whom 1 is one, answer.
func answering(t *testing.T) (*helped, *desk, *commands.Commands) {
	t.Helper()
	h, _ := helping(t)
	d := &desk{}
	h.support.Answers = d
	return h, d, newCommands(t, h.world)
}

// from is a request of somebody's in staff's guild.
func from(userID string, r interaction.Request) interaction.Request {
	r.UserID, r.GuildID, r.ChannelID, r.UserName = userID, "7", "9", "anna *the* <@1>"
	return r
}

// sends submits a form with a text, and returns what is shown in the end.
func sends(t *testing.T, c *commands.Commands, r interaction.Request) (interaction.Response, error) {
	t.Helper()
	response, err := ask(t, c, r)
	if err != nil {
		return response, err
	}
	return response.Then.Run(t.Context())
}

const answerID = "aside/answer/42/REF1234/de"

// TestStaffAnswer: a case has the button, whose form leads to an answer for the thread, wherever it was pressed.
func TestStaffAnswer(t *testing.T) {
	h, d, c := answering(t)
	r := from("42", press("aside/support/REF1234"))
	r.Locale = "de"
	wantText(t, must(t)(answer(t, c, inLanguage("en-US", r)).Then.Run(t.Context())).Message, "their answer as a direct message")
	must(t)(answer(t, c, r).Then.Run(t.Context()))
	shown := h.cases[1].Message
	wantText(t, shown, "Press Answer to write to them")
	if id := buttons(shown)["Answer"].CustomID; id != answerID {
		t.Errorf("the button is %q", id)
	}
	form := answer(t, c, from("1", press(answerID))).Modal
	if input := form.Fields[0].Input; form.CustomID != answerID || input.Style != discordgo.TextInputParagraph || input.MaxLength != support.MaxText {
		t.Errorf("the form is %+v", form)
	}
	inThread, below := from("1", submit(answerID, map[string]string{"text": " Try again. "})), from("1", submit(answerID, map[string]string{"text": "Yes?"}))
	inThread.InThread, inThread.MessageID, below.MessageID = true, "901", "902"
	for _, r := range []interaction.Request{inThread, below} {
		got := must(t)(sends(t, c, r))
		wantText(t, got.Message, "on its way")
		if got.Audit == nil || got.Audit.Detail != "REF1234" {
			t.Errorf("the log of staff has %+v", got.Audit)
		}
	}
	want := support.Answer{CustomerID: "42", Locale: "de", Reference: "REF1234", ThreadID: "9", StaffID: "1", Text: "Try again."}
	if len(d.answers) != 2 || d.answers[0] != want || d.answers[1].ThreadID != "902" {
		t.Errorf("staff answered %+v", d.answers)
	}
	d.err = record.ErrExists
	_, err := sends(t, c, inThread)
	wantExplained(t, c, err, false, "wasn't sent again")
	for _, r := range []interaction.Request{press(answerID), submit(answerID, map[string]string{"text": "Hi"})} {
		refused(t, c, from("42", r), "staff")
	}
	if len(d.answers) != 3 {
		t.Errorf("a customer answered: %+v", d.answers)
	}
}

// TestAnswerThatIsNotTaken comes back in the form, and only until it is taken.
func TestAnswerThatIsNotTaken(t *testing.T) {
	for name, id := range map[string]string{"answer": answerID, "reply": "aside/reply/a1"} {
		_, d, c := answering(t)
		typed := func() string {
			return answer(t, c, from("1", press(id))).Modal.Fields[0].Input.Value
		}
		refused(t, c, from("1", submit(id, map[string]string{"text": " \n\u200b"})), "is missing")
		d.err = errors.New("away")
		r := from("1", submit(id, map[string]string{"text": "Try again."}))
		_, err := sends(t, c, r)
		r.Locale, r.Reference = "en-US", "NEW5678"
		if m := c.Explain(&r, err).Message; buttons(m)["Back to the form"].CustomID != id {
			t.Errorf("%s: what is read is:\n%s", name, text(m))
		}
		if got := typed(); got != "Try again." {
			t.Errorf("%s: the form has %q", name, got)
		}
		d.err = nil
		must(t)(sends(t, c, from("1", submit(id, map[string]string{"text": "Try again."}))))
		if got := typed(); got != "" {
			t.Errorf("%s: the form has %q afterwards", name, got)
		}
	}
}

// TestAnswerSaysWhoWroteIt: the host, and no person. Nobody is mentioned in it, and nothing looks like what it is not.
func TestAnswerSaysWhoWroteIt(t *testing.T) {
	h, _, c := answering(t)
	a := support.Answer{ID: "a1", CustomerID: "42", Reference: "REF1234", StaffID: "1", At: time.Now(), Text: "Hi <@42>,\n[try](https://a.example/x) @everyone\n\nhttps://a.example/y"}
	const shown = "Hi \\<\\@42>,\n\\[try\\](https://a.example/x) \\@everyone\n\nhttps://a.example/y"
	m := c.SupportAnswer(a)
	wantText(t, m, "**Our team** has answered you about `REF1234`", shown)
	if strings.Contains(text(m), "1>") || buttons(m)["Reply"].CustomID != "aside/reply/a1" {
		t.Errorf("the message is:\n%s", text(m))
	}
	h.support.Brand = "Example *Hosting*"
	wantText(t, newCommands(t, h.world).SupportAnswer(a), `**Example \*Hosting\*** has answered you`)
	for sent, said := range map[bool]string{true: "got it as a direct message", false: "doesn't accept direct messages"} {
		wantText(t, c.AnswerNote(a, sent), "<@1> answered", said, shown)
	}
}

// TestCustomerReplies: staff read it with the buttons of the case, and with nothing in it that looks like what it is not.
func TestCustomerReplies(t *testing.T) {
	_, d, c := answering(t)
	r := from("42", submit("aside/reply/a1", map[string]string{"text": "See https://evil.example,\n# <@&7>"}))
	wantText(t, must(t)(sends(t, c, r)).Message, "has your reply")
	m := d.replies[0]
	wantText(t, m, `anna \*the\* \<\@1> replied: `+"`REF1234`", "See https\\://evil.example,\n\\# \\<\\@&7>\n\n<@42> `42`")
	if ids := m.ButtonIDs(); len(ids) != 3 || ids[0] != "aside/answer/42/REF1234/en-US" || ids[2] != commands.ReferenceID("REF1234") {
		t.Errorf("the buttons are %q", ids)
	}
	for err, want := range map[error]string{support.ErrEnded: "conversation is closed", incident.ErrNoThread: "couldn't be sent to our team"} {
		d.err = err
		_, got := sends(t, c, r)
		wantExplained(t, c, got, !errors.Is(err, support.ErrEnded), want)
	}
}

// TestUnreadAnswerIsAboveTheBots: list and card show how it begins, until the customer has read all of it. Staff who look
// the customer up do not see it.
func TestUnreadAnswerIsAboveTheBots(t *testing.T) {
	h, d, c := answering(t)
	h.beside = map[string]string{
		"answer:b2": `{"id": "b2", "text": "Later", "at": "2026-11-28T18:00:00Z"}`, "answer:c3": "garbage", "shop:state": "sent",
		"answer:a1": `{"id": "a1", "text": "Try *again*.", "at": "2026-11-28T17:00:00Z", "reference": "REF1234"}`,
	}
	for _, bots := range []hostapi.List{account(), account(server("a", "Shop", "CRASHED")), account(server("a", "Shop", "RUNNING"), server("b", "Radio", "RUNNING"))} {
		h.list = bots
		m := answer(t, c, command("bot list", nil)).Message
		wantText(t, m, `**Our team** has answered you: Try \*again\*.`)
		if id := buttons(m)["Read answer"].CustomID; id != "aside/unread" {
			t.Errorf("the button is %q", id)
		}
	}
	lookedUp := answer(t, c, by("1", press(commands.LookupID("42", "anna"))))
	if _, shown := buttons(lookedUp.Message)["Read answer"]; shown || strings.Contains(text(lookedUp.Message), "answered") {
		t.Error("staff read it in the customer's place")
	}

	shown := answer(t, c, press("aside/unread"))
	wantText(t, shown.Message, "has answered you about", `Try \*again\*.`)
	if buttons(shown.Message)["Reply"].CustomID != "aside/reply/a1" || d.read != "" {
		t.Errorf("before Discord has taken it, %q is read", d.read)
	}
	if end := must(t)(shown.Then.Run(t.Context())); d.read != "a1" || text(end.Message) != text(shown.Message) {
		t.Errorf("%q is read, and then shown is:\n%s", d.read, text(end.Message))
	}
	h.beside = nil
	wantText(t, answer(t, c, press("aside/unread")).Message, "no unread answers here")
}

// TestNobodyAnswersWithoutAGuildOfStaff: nobody could use the buttons.
func TestNobodyAnswersWithoutAGuildOfStaff(t *testing.T) {
	h, _, _ := answering(t)
	m := must(t)(tell(t, withoutStaff(t, h.world), "REF1234")).Message
	if strings.Contains(text(m), "direct message") || len(h.cases[0].Components) > 0 {
		t.Errorf("the customer reads:\n%s\nand staff:\n%s", text(m), text(h.cases[0].Message))
	}
	wantText(t, h.cases[0].Message, "the way you usually do")
}

// withoutStaff returns commands of a host who has no guild of staff.
func withoutStaff(t *testing.T, w *world) *commands.Commands {
	t.Helper()
	return commands.New(commands.Config{
		Accounts: w, Hosting: w, Actions: actions.New(actions.Config{}), Texts: mustTexts(t), Support: w.support, Staff: commands.Staff{Incident: w.staff.Incident},
	})
}
