package commands

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/interaction"
	"hostbot/bot/sanitize"
	"hostbot/bot/staff/support"
	"hostbot/bot/store/record"
	"hostbot/hostapi/accounts"
)

// Answers are what staff answer to customers who told them of a failure, as package support says.
type Answers interface {
	// Answer returns record.ErrExists where the same was answered before.
	Answer(ctx context.Context, a support.Answer) error
	Reply(ctx context.Context, customerID, id, text string, draw func(support.Answer) interaction.Message) error
	Read(ctx context.Context, customerID, id string) error
}

const (
	// idAnswer is for staff to answer a customer: the user's ID, the reference and the customer's locale follow.
	idAnswer = interaction.ReplyPrefix + "answer/"
	// idReply is for the customer to reply to an answer, whose ID follows, and idUnread to read what could not be sent.
	idReply  = interaction.ReplyPrefix + "reply/"
	idUnread = interaction.ReplyPrefix + "unread"

	inputText = "text" // of the form of an answer, of a reply and of a notice
)

// answerer is who answers: the host's name, or "Our team".
func (v view) answerer() string {
	return cmp.Or(sanitize.Markdown(v.commands.support.Brand, wordLimit), v.t.Text("answer.team"))
}

// caseRow are staff's buttons under what a customer wrote, or told them of.
func (c *Commands) caseRow(v view, reference string) []discordgo.MessageComponent {
	if c.staff.GuildID == "" { // nobody could use them
		return nil
	}
	r := v.asked
	return []discordgo.MessageComponent{row(
		v.button(discordgo.PrimaryButton, "button.answer", idAnswer+r.UserID+"/"+reference+"/"+r.Locale, false),
		v.button(discordgo.SecondaryButton, "button.lookup", LookupID(r.UserID, r.UserName), false),
		v.button(discordgo.SecondaryButton, "button.reference", ReferenceID(reference), false),
	)}
}

// askText makes the handler that opens the form of an answer or a reply.
func (c *Commands) askText(form string) interaction.Handler {
	return func(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
		v, input := c.view(r), interaction.TextInput(inputText, c.typed(ctx, r).or(inputText, ""), true)
		input.Style, input.MaxLength = discordgo.TextInputParagraph, support.MaxText
		return interaction.Open(&interaction.Dialog{
			CustomID: r.Name, Title: v.t.Text("modal." + form + ".title"),
			Fields: []interaction.Field{v.formField("modal."+form+".text", "modal."+form+".hint", input)},
		}), nil
	}
}

// written makes the handler of that form. send is called with what was typed.
func (c *Commands) written(form string, send func(ctx context.Context, r *interaction.Request, text string) (interaction.Response, error)) interaction.Handler {
	return c.filled(func(_ context.Context, r *interaction.Request) (interaction.Response, error) {
		text := strings.TrimSpace(r.Fields[inputText])
		if sanitize.Lines(text, support.MaxText) == "" {
			return interaction.Response{}, missing("modal." + form + ".text")
		}
		return interaction.Defer("", func(ctx context.Context) (interaction.Response, error) { return send(ctx, r, text) }), nil
	})
}

// answer has a customer get what staff typed.
func (c *Commands) answer(ctx context.Context, r *interaction.Request, text string) (interaction.Response, error) {
	threadID := r.ChannelID
	if !r.InThread { // a thread has the ID of the message from which it was started
		threadID = r.MessageID
	}
	switch err := c.support.Answers.Answer(ctx, support.Answer{
		CustomerID: r.CustomerID, Locale: r.Params["locale"], Reference: r.Params["code"], ThreadID: threadID, StaffID: r.UserID, Text: text,
	}); {
	case errors.Is(err, record.ErrExists):
		return interaction.Response{}, refuse("the same was answered before", "answer.already")
	case err != nil:
		return interaction.Response{}, refuseForNow("redis does not take an answer: "+err.Error(), "answer.unsaved")
	}
	v := c.view(r)
	response := v.note("💬 " + v.t.Text("answer.on_its_way"))
	response.Audit = &interaction.Audit{Detail: r.Params["code"]}
	return response, nil
}

// SupportAnswer draws the direct message with an answer. Who answered is the content, which a phone shows in its
// notification (see Alert).
func (c *Commands) SupportAnswer(a support.Answer) interaction.Message {
	v := c.view(&interaction.Request{Locale: a.Locale})
	embed := answerEmbed(a.Text, blurple)
	embed.Timestamp = a.At.Format(time.RFC3339Nano)
	return interaction.Message{
		Content:    "💬 " + v.t.Format("answer.from", args{"Who": v.answerer(), "Reference": sanitize.Code(a.Reference, wordLimit)}),
		Embeds:     []*discordgo.MessageEmbed{embed},
		Components: []discordgo.MessageComponent{row(v.button(discordgo.PrimaryButton, "button.reply", idReply+a.ID, false))},
	}
}

// answerEmbed shows what staff typed. An address in it can be pressed, as the reader sees where it leads.
func answerEmbed(text string, color int) *discordgo.MessageEmbed {
	return &discordgo.MessageEmbed{Description: strings.ReplaceAll(sanitize.Lines(text, support.MaxText), `\://`, "://"), Color: color}
}

// AnswerNote draws what staff read in the thread of an answer.
func (c *Commands) AnswerNote(a support.Answer, sent bool) interaction.Message {
	key, color := "log.support.sent", green
	if !sent {
		key, color = "log.support.unsent", orange
	}
	return interaction.Message{
		Content: "💬 " + c.support.Texts.Format(key, args{"Staff": sanitize.Mention(a.StaffID)}),
		Embeds:  []*discordgo.MessageEmbed{answerEmbed(a.Text, color)},
	}
}

// reply writes to staff what a customer typed below an answer.
func (c *Commands) reply(ctx context.Context, r *interaction.Request, text string) (interaction.Response, error) {
	v := c.view(r)
	switch err := c.support.Answers.Reply(ctx, r.UserID, r.Params["id"], text, func(a support.Answer) interaction.Message {
		v := v
		v.t = c.support.Texts
		said := args{"User": cmp.Or(sanitize.Markdown(r.UserName, nameLimit), sanitize.Mention(r.UserID)), "Reference": "`" + a.Reference + "`"}
		return interaction.Message{
			Content:    "💬 " + v.t.Format("log.support.reply", said),
			Embeds:     []*discordgo.MessageEmbed{{Description: paragraphs(sanitize.Lines(text, support.MaxText), sanitize.User(r.UserID)), Color: blurple}},
			Components: c.caseRow(v, a.Reference),
		}
	}); {
	case errors.Is(err, support.ErrEnded):
		return interaction.Response{}, refuse(err.Error(), "reply.ended")
	case err != nil:
		return interaction.Response{}, &untoldError{err}
	}
	return v.note("✅ " + v.t.Text("reply.sent")), nil
}

// withUnread adds to what a customer opens the beginning of an answer that could not be sent, and the button that shows
// all of it.
func (v view) withUnread(s accounts.Snapshot, response interaction.Response) interaction.Response {
	const longest = 200
	a, m := support.Unread(s.Beside), &response.Message
	if a == nil || v.asked.ByStaff() {
		return response
	}
	line := "💬 " + v.t.Format("answer.unread", args{"Who": v.answerer(), "Text": sanitize.Markdown(a.Text, longest)})
	m.Embeds[0].Description = paragraphs(line, m.Embeds[0].Description)
	m.Components = withButton(m.Components, v.button(discordgo.PrimaryButton, "button.read_answer", idUnread, false))
	return response
}

// readAnswer shows the caller an answer that could not be sent. Once Discord has taken that, it counts as read.
func (c *Commands) readAnswer(_ context.Context, r *interaction.Request, s accounts.Snapshot) (interaction.Response, error) {
	a := support.Unread(s.Beside)
	if a == nil { // no refusal, for which a newer account would be waited for
		v := c.view(r)
		return v.note(v.t.Text("answer.none")), nil
	}
	a.Locale = r.Locale
	shown := interaction.Reply(c.SupportAnswer(*a))
	response := shown
	response.Then = &interaction.Work{Does: interaction.Change{}, Run: func(ctx context.Context) (interaction.Response, error) {
		_ = c.support.Answers.Read(ctx, r.UserID, a.ID) // if Redis does not take it, it can be read once more
		return shown, nil
	}}
	return response, nil
}
