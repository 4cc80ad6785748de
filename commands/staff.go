package commands

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/interaction"
	"hostbot/bot/sanitize"
	"hostbot/bot/staff/health"
	"hostbot/bot/staff/incident"
)

// Staff says who the company's staff are, and what their commands need beside the
// customers'. By these they help customers: they see what a customer sees, act on a
// customer's behalf, and look behind references. The log channel tells of each use.
type Staff struct {
	// Staff are these users and members with one of these roles, in one guild. Without
	// a guild there are no commands for staff.
	GuildID string
	UserIDs []string
	RoleIDs []string

	// Kept returns what is kept of a customer, and Forget removes it. Where there is a
	// channel to the customer, it says so there, with what goodbye draws for their locale.
	Kept   func(ctx context.Context, userID string) (Kept, error)
	Forget func(ctx context.Context, userID string, goodbye func(locale string) interaction.Message) (Forgotten, error)
	// Incident tells what happened behind a reference. The error is
	// incident.ErrUnknown where nothing is known of it.
	Incident func(ctx context.Context, code string) (incident.Incident, error)
	// Recent returns what a customer did lately and what failed, the latest first. It may be nil.
	Recent func(ctx context.Context, customerID string) ([]incident.Event, error)
	// TestLogs writes one entry of each kind to the log channels, marked as a test.
	TestLogs func(*interaction.Request)
	Health   func(context.Context) health.Report
	// RetryDead has the leader try all dead letters again.
	RetryDead func(context.Context) error
}

// includes reports whether the caller is staff, by what Discord attests of them now.
func (s Staff) includes(r *interaction.Request) bool {
	return s.GuildID != "" && r.GuildID == s.GuildID && (slices.Contains(s.UserIDs, r.UserID) ||
		slices.ContainsFunc(s.RoleIDs, func(role string) bool { return slices.Contains(r.RoleIDs, role) }))
}

// staffAlone lets only staff through. The log channel tells of other callers, though not
// at every key that they press.
func (c *Commands) staffAlone(h interaction.Handler) interaction.Handler {
	return func(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
		if c.staff.includes(r) {
			return h(ctx, r)
		}
		var response interaction.Response
		if r.Kind != interaction.Autocomplete {
			response.Audit = &interaction.Audit{Refused: true}
		}
		if r.GuildID != c.staff.GuildID { // a log channel may be anywhere
			return response, refuse("the caller is not in staff's guild", "staff.elsewhere")
		}
		return response, refuse("the caller is not staff", "staff.denied")
	}
}

// audited has the log channel tell of the use of a staff's command.
func audited(h interaction.Handler) interaction.Handler {
	return func(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
		response, err := h(ctx, r)
		if response.Audit == nil {
			response.Audit = &interaction.Audit{Detail: botAsked(r)}
		}
		return response, err
	}
}

// botAsked returns what a request says of the bot that it is about, if any: the
// route does not tell what was typed, chosen or pressed.
func botAsked(r *interaction.Request) string {
	return cmp.Or(r.Options[optionBot], r.Params["bot"], r.Value())
}

// forCustomer has a handler serve the customer whom staff mean, as if the customer had
// asked: the user of a context menu, of a staff view's component, or of an option.
func (c *Commands) forCustomer(h interaction.Handler) interaction.Handler {
	return func(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
		customerID := cmp.Or(r.TargetID, r.Params["user"], r.Options[optionUser])
		if !interaction.IsSnowflake(customerID) {
			return interaction.Response{}, badInput()
		}
		r.CustomerID, r.TargetName = customerID, cmp.Or(r.TargetName, r.Params["name"])
		return h(ctx, r)
	}
}

// chooseAction does to a customer's bot what was chosen.
func (c *Commands) chooseAction(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
	a, ok := actionNamed(r.Options[optionAction])
	if !ok {
		return interaction.Response{Audit: &interaction.Audit{Detail: r.Options[optionAction] + " " + botAsked(r)}}, badInput()
	}
	return c.actForCustomer(a)(ctx, r)
}

// actForCustomer is act for staff. An action that begins is told of when it ends.
func (c *Commands) actForCustomer(a action) interaction.Handler {
	act := c.forCustomer(c.act(a))
	return func(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
		response, err := act(ctx, r)
		if err != nil || response.Act().Action == nil {
			response.Audit = &interaction.Audit{Detail: a.name + " " + botAsked(r)}
		}
		return response, err
	}
}

// LookupID returns the custom ID of a button that looks a customer up, and
// ReferenceID that of one that tells what is behind a reference. They may be in any
// message: whoever presses one must be staff, and is answered beside it. The name is
// to be shown, and may be empty.
func LookupID(customerID, name string) string {
	const longest = 30 // of 100 characters, of which Discord may count some twice
	return interaction.ReplyPrefix + "lookup/" + customerID + "/" + sanitize.Plain(name, longest)
}

// ReferencesID is the custom ID of a menu of references, as ReferenceID is that of one.
const ReferencesID = interaction.ReplyPrefix + "reference"

// ReferenceID is described at LookupID.
func ReferenceID(code string) string { return interaction.ReplyPrefix + "reference/" + code }

// note answers with one sentence.
func (v view) note(text string) interaction.Response {
	return v.draw("", &discordgo.MessageEmbed{Description: text, Color: blurple})
}

// reference tells what happened behind a reference that a customer was shown.
func (c *Commands) reference(ctx context.Context, r *interaction.Request) (response interaction.Response, err error) {
	v, typed := c.view(r), cmp.Or(r.Options[optionCode], r.Params["code"], r.Value())
	code := incident.Clean(typed)
	asked := cmp.Or(code, typed)
	found, err := c.staff.Incident(ctx, code)
	switch {
	case err == nil:
		response = v.drawIncident(found)
	case errors.Is(err, incident.ErrUnknown):
		shown := orDash(sanitize.Code(asked, wordLimit))
		response, err = v.note(v.t.Format("staff.reference.unknown", args{"Reference": shown})), nil
	}
	response.Audit = &interaction.Audit{Detail: asked}
	return response, err
}

// status shows the health of the program and of what it depends on.
func (c *Commands) status(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
	return c.view(r).drawHealth(c.staff.Health(ctx)), nil
}

// retryDead has all dead letters be tried again, and shows the health as it is then. If Redis does not
// take that, the health says so.
func (c *Commands) retryDead(_ context.Context, r *interaction.Request) (interaction.Response, error) {
	return interaction.Defer("", func(ctx context.Context) (interaction.Response, error) {
		err := c.staff.RetryDead(ctx)
		v := c.view(r)
		response := v.drawHealth(c.staff.Health(ctx))
		if embed := response.Message.Embeds[0]; err == nil {
			embed.Description = paragraphs("🔁 "+v.t.Text("staff.status.retried"), embed.Description)
		}
		return response, nil
	}), nil
}

// testLogs shows staff what they will read, where they will read it.
func (c *Commands) testLogs(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
	v, channels := c.view(r), c.staff.Health(ctx).Log
	if len(channels) == 0 {
		return v.note(v.t.Text("staff.logs.none")), nil
	}
	var names []string
	for _, ch := range channels {
		names = append(names, "<#"+ch.Channel+">")
	}
	return interaction.Defer("", func(context.Context) (interaction.Response, error) {
		c.staff.TestLogs(r)
		return v.note(v.t.Format("staff.logs.tested", args{"Channels": strings.Join(names, " · ")})), nil
	}), nil
}

// staffColor is that of a customer's pages, so that staff do not take them for their own.
const staffColor = 0xeb459e

// mark says on a page whose account it is and, above buttons, for whom they act.
func (v view) mark(embed *discordgo.MessageEmbed, pressable bool) {
	embed.Color = staffColor
	embed.Author = &discordgo.MessageEmbedAuthor{Name: v.plainCustomer()}
	if pressable && embed.Footer == nil {
		embed.Footer = &discordgo.MessageEmbedFooter{Text: v.t.Text("staff.acts")}
	}
}

// plainCustomer is what the customer is called for whom staff ask. Discord tells the
// name where staff choose somebody. The author of the page repeats it, so that the
// pages that follow know it as well.
func (v view) plainCustomer() string {
	return cmp.Or(sanitize.Plain(v.asked.TargetName, nameLimit), v.t.Format("staff.nameless", args{"ID": v.asked.CustomerID}))
}

// customerName is plainCustomer for where Discord renders markdown.
func (v view) customerName() string {
	return sanitize.Markdown(v.plainCustomer(), nameLimit)
}
