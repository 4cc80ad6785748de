package commands

import (
	"cmp"
	"context"
	"slices"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/incident"
	"hostbot/bot/interaction"
)

// Access names the company's staff: these users and members with one of these roles,
// in one guild. Without any there is no staff.
type Access struct {
	GuildID string
	UserIDs []string
	RoleIDs []string
}

// allows tells whether the caller is staff, by what Discord attests of them now.
func (a Access) allows(r *interaction.Request) bool {
	if a.GuildID == "" || r.GuildID != a.GuildID {
		return false
	}
	return slices.Contains(a.UserIDs, r.UserID) ||
		slices.ContainsFunc(a.RoleIDs, func(role string) bool { return slices.Contains(r.RoleIDs, role) })
}

// StaffConfig is what staff's commands need beside the customers'.
type StaffConfig struct {
	Access Access
	// Forget drops what is cached of an account, and tells whether anything was.
	Forget func(ctx context.Context, userID string) (known bool, err error)
	// Incident tells what happened behind a reference. The error is
	// incident.ErrUnknown where nothing is known of it.
	Incident func(ctx context.Context, code string) (incident.Incident, error)
	// TestLogs writes one entry of each kind to the log channels, marked as a test.
	TestLogs func(*interaction.Request)
	Health   func(context.Context) Health
}

// Staff are the commands by which the company's staff help customers: they see
// what a customer sees, act on a customer's behalf, and look behind references.
// Each use is checked against Access, and the log channel tells of it.
type Staff struct {
	customers *Commands
	cfg       StaffConfig
}

// NewStaff returns the staff's side of the customers' commands.
func NewStaff(customers *Commands, cfg StaffConfig) *Staff {
	return &Staff{customers: customers, cfg: cfg}
}

// onBehalf begins the custom IDs of a staff view. The customer's ID and what a
// customer's own component would have follow.
const onBehalf = "for/"

// table lists staff's commands.
func (s *Staff) table() []command {
	c := s.customers
	user := option{name: optionUser, kind: discordgo.ApplicationCommandOptionUser}
	shown := func(pattern string, h interaction.Handler) route {
		return route{onBehalf + "{user}/" + pattern, s.audited(s.onBehalf(h))}
	}
	components := []route{
		shown(idList+"{page}", c.lookup), shown(idListWith+anyBot, c.lookup), shown(idOpen, c.show), shown(idShow+anyBot, c.show),
	}
	for _, a := range actions() {
		components = append(components, route{onBehalf + "{user}/" + a.customID(anyBot), s.allowed(s.act(a))})
	}
	lookup := s.audited(s.onBehalf(c.lookup))
	table := []command{{name: "admin lookup", options: []option{user}, handle: lookup, components: components}}
	if choices := s.actionChoices(); len(choices) > 0 {
		text := discordgo.ApplicationCommandOptionString
		table = append(table, command{
			name: "admin action", handle: s.allowed(s.chooseAction),
			options: []option{
				user,
				{name: optionBot, kind: text, complete: s.allowed(s.onBehalf(c.complete))},
				{name: optionAction, kind: text, choices: choices},
			},
		})
	}
	return append(table,
		command{name: "admin flush", options: []option{user}, handle: s.audited(s.onBehalf(s.flush))},
		command{
			name: "admin reference", options: []option{{name: optionCode, kind: discordgo.ApplicationCommandOptionString}},
			handle: s.audited(s.reference),
		},
		command{name: "admin status", handle: s.audited(s.status)},
		command{name: "admin logs test", handle: s.audited(s.testLogs)},
		command{name: "Hosted bots", userMenu: "menu.bots", handle: lookup},
	)
}

// Route adds all routes to a router.
func (s *Staff) Route(r *interaction.Router) { addRoutes(r, s.table()) }

// Definitions returns staff's commands as they are registered in the guild of
// theirs. Discord hides them from members who may not manage the guild, unless that
// is set otherwise there. Access decides who may use them all the same.
func (s *Staff) Definitions() []*discordgo.ApplicationCommand {
	definitions := define(s.customers.texts, s.table())
	manageGuild := int64(discordgo.PermissionManageGuild)
	for _, d := range definitions {
		d.DefaultMemberPermissions = &manageGuild
	}
	return definitions
}

// allowed lets only staff through. The log channel tells of other callers, though not
// at every key that they press.
func (s *Staff) allowed(h interaction.Handler) interaction.Handler {
	return func(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
		if s.cfg.Access.allows(r) {
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
func (s *Staff) audited(h interaction.Handler) interaction.Handler {
	return s.allowed(func(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
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

// onBehalf has a handler serve the customer whom staff mean, as if the customer had
// asked: the user of a context menu, of a staff view's component, or of an option.
func (s *Staff) onBehalf(h interaction.Handler) interaction.Handler {
	return func(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
		customerID := r.TargetID
		switch {
		case customerID != "":
		case r.Kind == interaction.Component:
			customerID = r.Params["user"]
		default:
			customerID = r.Options[optionUser]
		}
		if !interaction.IsSnowflake(customerID) {
			return interaction.Response{}, badInput()
		}
		r.CustomerID = customerID
		return h(ctx, r)
	}
}
