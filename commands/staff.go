package commands

import (
	"cmp"
	"context"
	"slices"

	"hostbot/bot/incident"
	"hostbot/bot/interaction"
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

	// Forget drops what is cached of an account, and tells whether anything was.
	Forget func(ctx context.Context, userID string) (known bool, err error)
	// Incident tells what happened behind a reference. The error is
	// incident.ErrUnknown where nothing is known of it.
	Incident func(ctx context.Context, code string) (incident.Incident, error)
	// TestLogs writes one entry of each kind to the log channels, marked as a test.
	TestLogs func(*interaction.Request)
	Health   func(context.Context) Health
}

// includes tells whether the caller is staff, by what Discord attests of them now.
func (s Staff) includes(r *interaction.Request) bool {
	return s.GuildID != "" && r.GuildID == s.GuildID && (slices.Contains(s.UserIDs, r.UserID) ||
		slices.ContainsFunc(s.RoleIDs, func(role string) bool { return slices.Contains(r.RoleIDs, role) }))
}

// forStaff lets only staff through. The log channel tells of other callers, though not
// at every key that they press.
func (c *Commands) forStaff(h interaction.Handler) interaction.Handler {
	return func(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
		if c.staff.includes(r) {
			return h(ctx, r)
		}
		var response interaction.Response
		if r.Kind != interaction.Autocomplete {
			response.Audit = &interaction.Audit{Refused: true}
		}
		return response, refuse("the caller is not staff", "staff.denied")
	}
}

// audited lets only staff through, and has the log channel tell of the use.
// It tells of an action by itself.
func (c *Commands) audited(h interaction.Handler) interaction.Handler {
	return c.forStaff(func(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
		response, err := h(ctx, r)
		if response.Audit == nil {
			response.Audit = &interaction.Audit{Detail: botAsked(r)}
		}
		return response, err
	})
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
		r.CustomerID = customerID
		return h(ctx, r)
	}
}
