// Package commands is what customers and staff can do on Discord: the commands,
// the buttons and menus under their answers, and what those answers look like.
//
// A handler is a function of its request and of two small interfaces, one to
// read a customer's account and one to act on a bot. It returns what is to be
// seen and knows nothing of how that reaches Discord.
//
// The hosting service calls a customer's application a server; on Discord a
// server is something else, so customers read "bot".
package commands

import (
	"context"
	"sync/atomic"
	"time"

	"hostbot/bot/interaction"
	"hostbot/bot/turns"
	"hostbot/hostapi"
	"hostbot/hostapi/accounts"
	"hostbot/locale"
)

// Accounts reads customers' accounts, and is told what is newly known of them.
type Accounts interface {
	Account(ctx context.Context, userID string, by time.Time) (accounts.Snapshot, error)
	SetStatus(ctx context.Context, userID, serverID, status string)
	Expire(ctx context.Context, userID string)
}

// Hosting acts on a customer's bot. It is the hosting service's client, as far as
// customers use it.
type Hosting interface {
	// Offers tells whether an operation is turned on.
	Offers(op hostapi.Operation) bool
	Start(ctx context.Context, userID, serverID string) (status string, err error)
	Stop(ctx context.Context, userID, serverID string) (status string, err error)
	Restart(ctx context.Context, userID, serverID string) (status string, err error)
	Reinstall(ctx context.Context, userID, serverID string) error
	UpdateStartup(ctx context.Context, userID, serverID string, s hostapi.Startup) (hostapi.Server, error)
	Delete(ctx context.Context, userID, serverID string) error
	Create(ctx context.Context, userID string, n hostapi.NewServer) (hostapi.Server, error)
}

// Turns sees to it that one action at a time runs on a bot. Errors are those of
// package turns.
type Turns interface {
	Begin(context.Context, turns.Claim) (end func(), err error)
	Current(customerID, serverID string) (turns.Turn, bool)
}

// Commands holds what the handlers share.
type Commands struct {
	accounts Accounts
	hosting  Hosting
	turns    Turns
	texts    *locale.Bundle
	lacks    lacks
	ids      atomic.Pointer[map[string]string] // of the registered commands, by name
}

// New returns the commands.
func New(accounts Accounts, hosting Hosting, turns Turns, texts *locale.Bundle) *Commands {
	return &Commands{accounts: accounts, hosting: hosting, turns: turns, texts: texts}
}

// Registered tells the IDs that Discord gave the commands, by which /help makes
// them clickable. It may be called at any time.
func (c *Commands) Registered(ids map[string]string) { c.ids.Store(&ids) }

// The custom IDs of components. The last segment is a bot's handle, which may
// hold anything (see handle.go).
const (
	idPage    = "list/"      // + page, from 0
	idPageOf  = "list/with/" // + handle: the page that has this bot
	idOpen    = "open"       // a select menu of handles
	idStartup = "startup/"
	idCreate  = "create/" // + sizes, behind the one that a menu chooses
	idDelete  = "delete/"
	idShow    = "show/"
)

// Route adds all routes to a router.
func (c *Commands) Route(r *interaction.Router) {
	r.Command("help", c.help)
	r.Command("plan", c.plan)
	r.Command("bot list", c.list)
	r.Command("bot show", c.show)
	r.Command("bot create", c.chooseSizes)
	r.Command("bot startup", c.askStartup)
	r.Command("bot delete", c.askDelete)
	for _, name := range []string{"bot show", "bot startup", "bot delete"} {
		r.Autocomplete(name, optionBot, c.complete)
	}
	r.Component(idPage+"{page}", c.list)
	r.Component(idPageOf+"{bot...}", c.list)
	r.Component(idOpen, c.show)
	r.Component(idShow+"{bot...}", c.show)
	r.Component(idCreate+"{what}/{ram}/{disk}/{cpu}", c.chooseSizes)
	r.Component(idCreate+"{ram}/{disk}/{cpu}", c.askCreate)
	r.Modal(idCreate+"{ram}/{disk}/{cpu}", c.create)
	r.Component(idStartup+"{bot...}", c.askStartup)
	r.Modal(idStartup+"{bot...}", c.changeStartup)
	r.Component(idDelete+"{bot...}", c.askDelete)
	r.Modal(idDelete+"{bot...}", c.remove)
	for _, a := range actions() {
		r.Command("bot "+a.name, c.act(a))
		r.Autocomplete("bot "+a.name, optionBot, c.complete)
		r.Component(a.customID("{bot...}"), c.act(a))
	}
}
