package commands

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"hostbot/bot/interaction"
	"hostbot/bot/reference"
	"hostbot/bot/safetext"
)

// Access says who is staff: the users and those with one of the roles, in one
// guild. Nobody is where none are named.
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

// deniedError says that the caller is not staff.
type deniedError struct{}

func (deniedError) Error() string { return "the caller is not staff" }

// Forgetter drops what is cached of accounts.
type Forgetter interface {
	// Forget tells whether anything was known of the account.
	Forget(ctx context.Context, userID string) (known bool, err error)
}

// Stories knows what happened behind a reference. The error is
// reference.ErrUnknown where nothing is known of it.
type Stories interface {
	Story(ctx context.Context, code string) (reference.Story, error)
}

// Logs can write one entry of each kind to the log channels, marked as a test.
type Logs interface {
	Test(*interaction.Request)
}

// StaffConfig is what staff's commands need beside the customers'.
type StaffConfig struct {
	Access  Access
	Cache   Forgetter
	Stories Stories
	Logs    Logs
	Health  func(context.Context) Health
}

// Staff are the commands by which the company's staff help customers: they see
// what a customer sees, act on a customer's behalf, and look behind references.
// Each use is checked against Access and told in the log channel.
type Staff struct {
	customers *Commands
	cfg       StaffConfig
}

// NewStaff returns the staff's side of the customers' commands.
func NewStaff(customers *Commands, cfg StaffConfig) *Staff {
	return &Staff{customers: customers, cfg: cfg}
}

// The names of commands and options of staff's own.
const (
	menuBots   = "Hosted bots" // the context menu on a user
	optionUser = "user"
	optionDo   = "do"
	optionCode = "code"
)

// onBehalf begins the custom IDs of what staff see of a customer: it is followed
// by the customer's ID and what a customer's own component would have.
const onBehalf = "for/"

// Route adds all routes to a router.
func (s *Staff) Route(r *interaction.Router) {
	r.Command("admin lookup", s.audited(s.lookup))
	r.Command(menuBots, s.audited(s.lookup))
	r.Command("admin action", s.allowed(s.chooseAction))
	r.Autocomplete("admin action", optionBot, s.allowed(s.onBehalf(s.customers.complete)))
	r.Command("admin flush", s.audited(s.flush))
	r.Command("admin reference", s.audited(s.reference))
	r.Command("admin status", s.audited(s.status))
	r.Command("admin logs test", s.audited(s.testLogs))

	view := func(pattern string, h interaction.Handler) {
		r.Component(onBehalf+"{user}/"+pattern, s.audited(s.onBehalf(h)))
	}
	view(idPage+"{page}", s.customers.lookup)
	view(idPageOf+"{bot...}", s.customers.lookup)
	view(idOpen, s.customers.show)
	view(idShow+"{bot...}", s.customers.show)
	for _, a := range actions() {
		r.Component(onBehalf+"{user}/"+a.customID("{bot...}"), s.allowed(s.act(a)))
	}
}

// allowed lets only staff through. Who is refused is told in the log channel,
// though not at every key that is pressed.
func (s *Staff) allowed(h interaction.Handler) interaction.Handler {
	return func(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
		switch {
		case s.cfg.Access.allows(r):
			return h(ctx, r)
		case r.Kind == interaction.Autocomplete:
			return interaction.Response{}, deniedError{}
		default:
			return interaction.Response{Audit: &interaction.Audit{Refused: true}}, deniedError{}
		}
	}
}

// audited lets only staff through, and has the use told in the log channel.
// What is an action is told there as such.
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
// route does not tell of all that was typed, chosen or pressed.
func botAsked(r *interaction.Request) string {
	return cmp.Or(r.Options[optionBot], r.Params["bot"], r.Value())
}

// onBehalf has a handler serve the customer whom staff mean as if that had asked.
func (s *Staff) onBehalf(h interaction.Handler) interaction.Handler {
	return func(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
		customerID := meant(r)
		if !interaction.IsSnowflake(customerID) {
			return interaction.Response{}, badInputError{}
		}
		r.CustomerID = customerID
		return h(ctx, r)
	}
}

// meant returns the customer's ID: of a command's option, the user of a context
// menu, or as a component of a staff view carries it.
func meant(r *interaction.Request) string {
	switch {
	case r.TargetID != "":
		return r.TargetID
	case r.Kind == interaction.Component:
		return r.Params["user"]
	default:
		return r.Options[optionUser]
	}
}

// lookup shows a customer's bots and plan.
func (s *Staff) lookup(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
	return s.onBehalf(s.customers.lookup)(ctx, r)
}

// chooseAction does to a customer's bot what was chosen.
func (s *Staff) chooseAction(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
	chosen := r.Options[optionDo]
	i := slices.IndexFunc(actions(), func(a action) bool { return a.name == chosen && s.customers.hosting.Offers(a.op) })
	if i < 0 {
		return interaction.Response{Audit: &interaction.Audit{Detail: chosen + " " + botAsked(r)}}, badInputError{}
	}
	return s.act(actions()[i])(ctx, r)
}

// act does something to a customer's bot. Its end is told as an action; where it
// does not come to one, that is told here.
func (s *Staff) act(a action) interaction.Handler {
	return func(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
		response, err := s.onBehalf(s.customers.act(a))(ctx, r)
		if err != nil {
			response.Audit = &interaction.Audit{Detail: a.name + " " + botAsked(r)}
		}
		return response, err
	}
}

// flush drops what is cached of a customer's account.
func (s *Staff) flush(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
	return s.onBehalf(func(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
		known, err := s.cfg.Cache.Forget(ctx, r.CustomerID)
		if err != nil {
			return interaction.Response{}, err
		}
		p := s.customers.page(r)
		key := "staff.flush.nothing"
		if known {
			key = "staff.flush.done"
		}
		return p.respond(p.note(p.t.Format(key, args{"User": safetext.User(r.CustomerID)}))), nil
	})(ctx, r)
}

// reference tells what happened behind a reference that a customer was shown.
func (s *Staff) reference(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
	p := s.customers.page(r)
	typed := r.Options[optionCode]
	code := reference.Clean(typed)
	asked := cmp.Or(code, typed)
	audit := &interaction.Audit{Detail: asked}
	story, err := s.cfg.Stories.Story(ctx, code)
	switch {
	case errors.Is(err, reference.ErrUnknown):
		shown := orDash(safetext.Code(asked, wordLimit))
		response := p.respond(p.note(p.t.Format("staff.reference.unknown", args{"Reference": shown})))
		response.Audit = audit
		return response, nil
	case err != nil:
		return interaction.Response{Audit: audit}, err
	}
	response := p.respond(p.story(story))
	response.Audit = audit
	return response, nil
}

// status tells how the bot and what it depends on fare.
func (s *Staff) status(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
	p := s.customers.page(r)
	return p.respond(p.health(s.cfg.Health(ctx))), nil
}

// testLogs shows staff what they will read, where they will read it.
func (s *Staff) testLogs(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
	p := s.customers.page(r)
	channels := s.cfg.Health(ctx).Log
	if len(channels) == 0 {
		return p.respond(p.note(p.t.Text("staff.logs.none"))), nil
	}
	s.cfg.Logs.Test(r)
	var names []string
	for _, ch := range channels {
		names = append(names, "<#"+ch.ID+">")
	}
	return p.respond(p.note(p.t.Format("staff.logs.tested", args{"Channels": strings.Join(names, ", ")}))), nil
}
