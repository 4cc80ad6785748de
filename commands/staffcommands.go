package commands

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/incident"
	"hostbot/bot/interaction"
	"hostbot/bot/sanitize"
	"hostbot/hostapi"
	"hostbot/locale"
)

// lookup shows a page of a customer's bots with the plan below, for staff.
func (c *Commands) lookup(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
	return c.shown(ctx, r, func(l hostapi.List, a age) (interaction.Response, error) {
		response := c.botList(r, l, a).draw()
		response.Message.Embeds = append(response.Message.Embeds, c.view(r).planEmbed(l))
		return response, nil
	})
}

// actionChoices are the actions that staff can choose from.
func (s *Staff) actionChoices() []*discordgo.ApplicationCommandOptionChoice {
	texts := s.customers.texts
	var choices []*discordgo.ApplicationCommandOptionChoice
	for _, a := range actions() {
		if s.customers.hosting.Offers(a.op) {
			choices = append(choices, &discordgo.ApplicationCommandOptionChoice{
				Name:              texts.For(locale.Default).Text("button." + a.name),
				NameLocalizations: texts.Localizations("button." + a.name), Value: a.name,
			})
		}
	}
	return choices
}

// chooseAction does to a customer's bot what was chosen.
func (s *Staff) chooseAction(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
	a, ok := actionNamed(r.Options[optionAction])
	if !ok || !s.customers.hosting.Offers(a.op) {
		return interaction.Response{Audit: &interaction.Audit{Detail: r.Options[optionAction] + " " + botAsked(r)}}, badInput()
	}
	return s.act(a)(ctx, r)
}

// act does something to a customer's bot. Its end is told as an action; where it
// does not come to one, that is told here.
func (s *Staff) act(a action) interaction.Handler {
	act := s.onBehalf(s.customers.act(a))
	return func(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
		response, err := act(ctx, r)
		if err != nil {
			response.Audit = &interaction.Audit{Detail: a.name + " " + botAsked(r)}
		}
		return response, err
	}
}

// note answers with one sentence.
func (v view) note(text string) interaction.Response {
	return v.draw("", &discordgo.MessageEmbed{Description: text, Color: blurple})
}

// flush drops what is cached of a customer's account.
func (s *Staff) flush(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
	known, err := s.cfg.Forget(ctx, r.CustomerID)
	if err != nil {
		return interaction.Response{}, err
	}
	key := "staff.flush.nothing"
	if known {
		key = "staff.flush.done"
	}
	v := s.customers.view(r)
	return v.note(v.t.Format(key, args{"User": sanitize.User(r.CustomerID)})), nil
}

// reference tells what happened behind a reference that a customer was shown.
func (s *Staff) reference(ctx context.Context, r *interaction.Request) (response interaction.Response, err error) {
	v, typed := s.customers.view(r), r.Options[optionCode]
	code := incident.Clean(typed)
	asked := cmp.Or(code, typed)
	found, err := s.cfg.Incident(ctx, code)
	switch {
	case err == nil:
		response = incidentView{v, found}.draw()
	case errors.Is(err, incident.ErrUnknown):
		shown := orDash(sanitize.Code(asked, wordLimit))
		response, err = v.note(v.t.Format("staff.reference.unknown", args{"Reference": shown})), nil
	}
	response.Audit = &interaction.Audit{Detail: asked}
	return response, err
}

// status shows the health of the program and of what it depends on.
func (s *Staff) status(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
	return healthView{s.customers.view(r), s.cfg.Health(ctx)}.draw(), nil
}

// testLogs shows staff what they will read, where they will read it.
func (s *Staff) testLogs(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
	v := s.customers.view(r)
	channels := s.cfg.Health(ctx).Log
	if len(channels) == 0 {
		return v.note(v.t.Text("staff.logs.none")), nil
	}
	s.cfg.TestLogs(r)
	var names []string
	for _, ch := range channels {
		names = append(names, "<#"+ch.ID+">")
	}
	return v.note(v.t.Format("staff.logs.tested", args{"Channels": strings.Join(names, ", ")})), nil
}
