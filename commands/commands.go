// Package commands is what customers and staff can do on Discord: the commands,
// the buttons and menus under their answers, and what those answers look like.
//
// table.go lists the commands. A handler fetches the customer's account, decides,
// and returns the drawing of a value that holds everything to be shown. It knows
// nothing of how that reaches Discord.
//
// The hosting service calls a customer's application a server. On Discord a server
// is something else, so customers read "bot".
package commands

import (
	"context"
	"sync"
	"time"

	"hostbot/bot/actions"
	"hostbot/hostapi"
	"hostbot/hostapi/accounts"
	"hostbot/locale"
)

// Accounts reads customers' accounts, and is told what is newly known of them.
type Accounts interface {
	Account(ctx context.Context, userID string, by time.Time) (accounts.Snapshot, error)
	// Ask asks the service anew: for one bot where serverID is not "". Refresh does so
	// at most once in a while.
	Ask(ctx context.Context, userID, serverID string, by time.Time) (accounts.Snapshot, error)
	Refresh(ctx context.Context, userID, serverID string, by time.Time) (accounts.Snapshot, error)
	// Acted notes an action that was carried out. known is what the caller knows of the account.
	Acted(ctx context.Context, known accounts.Snapshot, userID, serverID, action, status string)
	// StartupChanged notes that the way in which a bot is started was changed just now.
	StartupChanged(ctx context.Context, userID, serverID string)
	// Deleted notes that a bot was deleted just now.
	Deleted(ctx context.Context, userID, serverID string)
	Expire(ctx context.Context, userID string)
}

// Hosting is the hosting service's client, as far as customers use it.
type Hosting interface {
	// Offers reports whether an operation is turned on.
	Offers(op hostapi.Operation) bool
	Start(ctx context.Context, userID, serverID string) (status string, err error)
	Stop(ctx context.Context, userID, serverID string) (status string, err error)
	Restart(ctx context.Context, userID, serverID string) (status string, err error)
	Reinstall(ctx context.Context, userID, serverID string) error
	UpdateStartup(ctx context.Context, userID, serverID string, s hostapi.Startup) (hostapi.Server, error)
	Delete(ctx context.Context, userID, serverID string) error
	Create(ctx context.Context, userID string, n hostapi.NewServer) (hostapi.Server, error)
}

// Config is what the commands need.
type Config struct {
	Accounts Accounts
	Hosting  Hosting
	Actions  *actions.Actions // one action at a time on a bot
	Texts    *locale.Bundle
	Staff    Staff // the zero value: there are no commands for staff
	Links    Links
	Forms    Forms
	Watch    Watch // the zero value: accounts are not watched
	Support  Support
}

// Commands holds what the handlers share.
type Commands struct {
	accounts Accounts
	hosting  Hosting
	actions  *actions.Actions
	texts    *locale.Bundle
	staff    Staff
	links    Links
	forms    Forms
	watch    Watch
	support  Support
	ids      *sync.Map // of the registered commands, by name
	began    time.Time
}

// New returns the commands.
func New(cfg Config) *Commands {
	return &Commands{
		accounts: cfg.Accounts, hosting: cfg.Hosting, actions: cfg.Actions, texts: cfg.Texts,
		staff: cfg.Staff, links: cfg.Links, forms: cfg.Forms, watch: cfg.Watch, support: cfg.Support,
		ids: &sync.Map{}, began: time.Now(),
	}
}

// Registered tells the IDs that Discord gave some of the commands, by which texts make
// them clickable.
func (c *Commands) Registered(ids map[string]string) {
	for name, id := range ids {
		c.ids.Store(name, id)
	}
}
