package faultmatrix_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"hostbot/bot/testing/discordtest"
)

// need is what a flow takes from others, beside Discord.
type need int

const (
	needsNothing need = iota
	looks             // shows an account
	suggests          // suggests an account's bots
	asks              // opens a form for an account
	acts              // changes something
	keeps             // uses what only Redis has
)

// flow is one way of using the bot. Each has a customer of its own.
type flow struct {
	name string
	need need
	// known says that the customer's account was seen before things break.
	known  bool
	action string // as its texts are called; empty where nothing is to be changed
	bot    string // that is changed
	// prepare leads to where the flow begins; it is done before things break.
	prepare step
	do      step
	good    string // what is read where all goes well
	goesOn  bool   // after the first response, which is a call
}

// step is something that a customer does, in a message or anywhere.
type step func(ctx context.Context, c *person, in *discordtest.Reply) (*discordtest.Reply, error)

// now carries a step out, not at the same moment as too many others.
func (s step) now(ctx context.Context, c *person, in *discordtest.Reply) (*discordtest.Reply, error) {
	c.scene.moment <- struct{}{}
	defer func() { <-c.scene.moment }()
	return s(ctx, c, in)
}

// theCustomer stands for the person of a flow in the options of a command.
const theCustomer = "the customer"

// types is a command of the customer's or, where it is one of theirs, of staff.
func types(command string, options discordtest.Options) step {
	return func(ctx context.Context, c *person, _ *discordtest.Reply) (*discordtest.Reply, error) {
		given := maps.Clone(options)
		if given["user"] == theCustomer {
			given["user"] = c.user
		}
		if strings.HasPrefix(command, "/admin ") {
			return c.staff.Command(ctx, command, given)
		}
		return c.user.Command(ctx, command, given)
	}
}

func presses(label string) step {
	return func(ctx context.Context, _ *person, in *discordtest.Reply) (*discordtest.Reply, error) {
		return in.Click(ctx, label)
	}
}

func fills(fields discordtest.Fields) step {
	return func(ctx context.Context, _ *person, in *discordtest.Reply) (*discordtest.Reply, error) {
		return in.Fill(ctx, fields)
	}
}

// reads waits until nothing more will come, and for a text in that.
func reads(text string) step {
	return func(ctx context.Context, _ *person, in *discordtest.Reply) (*discordtest.Reply, error) {
		v, err := in.Await(ctx, over)
		if err == nil && !v.Contains(text) {
			err = fmt.Errorf("no %q in:\n%s", text, v.Text())
		}
		return in, err
	}
}

// completes asks for suggestions and fails where there are none.
func completes(ctx context.Context, c *person, _ *discordtest.Reply) (*discordtest.Reply, error) {
	choices, err := c.user.Complete(ctx, "/bot show", "bot", "sho", nil)
	if err == nil && len(choices) == 0 {
		err = errNoSuggestions
	}
	return nil, err
}

var errNoSuggestions = errors.New("nothing is suggested")

// steps makes one of several.
func steps(list ...step) step {
	return func(ctx context.Context, c *person, in *discordtest.Reply) (*discordtest.Reply, error) {
		for _, s := range list {
			var err error
			if in, err = s(ctx, c, in); err != nil {
				return in, err
			}
		}
		return in, nil
	}
}

func flows() []flow {
	return slices.Concat(otherFlows(), viewingFlows(), actionFlows())
}

func otherFlows() []flow {
	flush := discordtest.Options{"user": theCustomer}
	return []flow{
		{name: "/help", need: needsNothing, do: types("/help", nil), good: "</bot restart:"},
		{name: "/admin status", need: needsNothing, do: types("/admin status", nil), good: "Interactions served"},
		{
			name: "/admin flush", need: keeps, goesOn: true, known: true, do: presses("Remove all of it"), good: "was cached of", // or nothing was
			prepare: steps(types("/bot list", nil), reads(shop), types("/admin flush", flush), reads("would be removed")),
		},
		{name: "/admin reference", need: keeps, do: types("/admin reference", discordtest.Options{"code": "ABCDEFG"}), good: "Nothing is known"},
	}
}

func viewingFlows() []flow {
	seen, theShop := steps(types("/bot list", nil), reads(shop)), discordtest.Options{"bot": shop}
	opensRadio := func(ctx context.Context, _ *person, in *discordtest.Reply) (*discordtest.Reply, error) {
		return in.Pick(ctx, "Open a bot", radio)
	}
	turns := func(ctx context.Context, _ *person, in *discordtest.Reply) (*discordtest.Reply, error) {
		return in.Pick(ctx, "Page 1 of 2", "Page 2 of 2")
	}
	hostedBots := func(ctx context.Context, c *person, _ *discordtest.Reply) (*discordtest.Reply, error) {
		return c.staff.Menu(ctx, "Hosted bots", c.user)
	}
	return []flow{
		{name: "/bot list, unknown", need: looks, do: types("/bot list", nil), good: "🔴 Radio"},
		{name: "/plan, unknown", need: looks, do: types("/plan", nil), good: "11 of 30"},
		{name: "/admin lookup, unknown", need: looks, do: types("/admin lookup", discordtest.Options{"user": theCustomer}), good: "🔴 Radio"},
		{name: "/bot create, unknown", need: looks, do: types("/bot create", nil), good: "room for"},
		{name: "/bot show", need: looks, known: true, prepare: seen, do: types("/bot show", discordtest.Options{"bot": radio}), good: "🔴 Radio"},
		{name: "Refresh", need: looks, known: true, prepare: seen, do: presses("Refresh"), good: "🔴 Radio"},
		{name: "a page", need: looks, known: true, prepare: seen, do: turns, good: "Page 2 of 2"},
		{name: "Open a bot", need: looks, known: true, prepare: seen, do: opensRadio, good: "🔴 Radio"},
		{name: "Hosted bots", need: looks, known: true, prepare: seen, do: hostedBots, good: "🔴 Radio"},

		{name: "typing a bot's name, unknown", need: suggests, do: completes},
		{name: "typing a bot's name", need: suggests, known: true, prepare: seen, do: completes},
		{name: "the form of /bot startup", need: asks, known: true, prepare: seen, do: types("/bot startup", theShop)},
		{name: "the form of /bot delete", need: asks, known: true, prepare: seen, do: types("/bot delete", theShop)},
		{name: "Continue", need: asks, known: true, prepare: steps(types("/bot create", nil), reads("room for")), do: presses("Continue")},
	}
}

// actionFlows are the flows that change something.
func actionFlows() []flow {
	seen, theShop := steps(types("/bot list", nil), reads(shop)), discordtest.Options{"bot": shop}
	flows := []flow{
		{name: "/bot start", action: "start", bot: idle, known: true, prepare: seen, do: types("/bot start", discordtest.Options{"bot": idle})},
		{name: "/bot stop", action: "stop", known: true, prepare: seen, do: types("/bot stop", theShop)},
		{name: "/bot restart", action: "restart", known: true, prepare: seen, do: types("/bot restart", theShop)},
		{
			name: "Reinstall packages", action: "reinstall", known: true,
			prepare: steps(types("/bot reinstall", theShop), reads("may stop")), do: presses("Reinstall packages"),
		},
		{name: "/bot restart, unknown", action: "restart", do: types("/bot restart", theShop)},
		{name: "Restart", action: "restart", known: true, prepare: steps(types("/bot show", theShop), reads("Limits")), do: presses("Restart")},
		{
			name: "/admin action", action: "restart", known: true, prepare: seen,
			do: types("/admin action", discordtest.Options{"user": theCustomer, "bot": shop, "do": "restart"}),
		}, {
			name: "/bot startup", action: "startup", known: true, prepare: types("/bot startup", theShop),
			do: fills(discordtest.Fields{"command": "node other.js"}),
		}, {
			name: "/bot delete", action: "delete", known: true, prepare: types("/bot delete", theShop),
			do: fills(discordtest.Fields{"name": shop}),
		}, {
			name: "/bot create", action: "create", known: true, prepare: steps(types("/bot create", nil), reads("room for"), presses("Continue")),
			do: fills(discordtest.Fields{"name": shop}),
		},
	}
	for i := range flows {
		flows[i].need, flows[i].bot = acts, cmp.Or(flows[i].bot, shop)
	}
	return flows
}
