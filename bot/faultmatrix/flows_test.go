package faultmatrix_test

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"hostbot/bot/discordtest"
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
}

// step is something that a customer does, in a message or anywhere.
type step func(ctx context.Context, c *person, in *discordtest.Reply) (*discordtest.Reply, error)

// now carries a step out, not at the same moment as too many others.
func (s step) now(ctx context.Context, c *person, in *discordtest.Reply) (*discordtest.Reply, error) {
	c.scene.moment <- struct{}{}
	defer func() { <-c.scene.moment }()
	return s(ctx, c, in)
}

func types(command string, options discordtest.Options) step {
	return func(ctx context.Context, c *person, _ *discordtest.Reply) (*discordtest.Reply, error) {
		return c.user.Command(ctx, command, options)
	}
}

// staffTypes is types for staff, with the customer as an option.
func staffTypes(command string, options discordtest.Options) step {
	return func(ctx context.Context, c *person, _ *discordtest.Reply) (*discordtest.Reply, error) {
		given := discordtest.Options{"user": c.user}
		for name, value := range options {
			given[name] = value
		}
		return c.staff.Command(ctx, command, given)
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
	theShop := discordtest.Options{"bot": shop}
	list, card := types("/bot list", nil), types("/bot show", theShop)
	wait := func(text string) step {
		return func(ctx context.Context, _ *person, in *discordtest.Reply) (*discordtest.Reply, error) {
			v, err := in.Await(ctx, over)
			if err == nil && !v.Contains(text) {
				err = fmt.Errorf("no %q in:\n%s", text, v.Text())
			}
			return in, err
		}
	}
	seen := steps(list, wait(shop))
	seenCard := steps(card, wait("node index.js"))
	all := []flow{
		{name: "/help", need: needsNothing, do: types("/help", nil), good: "</bot restart:"},
		{name: "/admin status", need: needsNothing, do: func(ctx context.Context, c *person, _ *discordtest.Reply) (*discordtest.Reply, error) {
			return c.staff.Command(ctx, "/admin status", nil)
		}, good: "Interactions served"},
		{name: "/admin flush", need: keeps, do: staffTypes("/admin flush", nil), good: "Nothing was cached"},
		{name: "/admin reference", need: keeps, do: func(ctx context.Context, c *person, _ *discordtest.Reply) (*discordtest.Reply, error) {
			return c.staff.Command(ctx, "/admin reference", discordtest.Options{"code": "ABCDEFG"})
		}, good: "Nothing is known"},

		{name: "/bot list, unknown", need: looks, do: list, good: "🔴 Radio"},
		{name: "/plan, unknown", need: looks, do: types("/plan", nil), good: "11 of 30"},
		{name: "/admin lookup, unknown", need: looks, do: staffTypes("/admin lookup", nil), good: "🔴 Radio"},
		{name: "/bot create, unknown", need: looks, do: types("/bot create", nil), good: "room for"},
		{name: "/bot show", need: looks, known: true, prepare: seen, do: types("/bot show", discordtest.Options{"bot": radio}), good: "🔴 Radio"},
		{name: "Refresh", need: looks, known: true, prepare: seen, do: presses("Refresh"), good: "🔴 Radio"},
		{name: "Next", need: looks, known: true, prepare: seen, do: presses("Next"), good: "Page 2 of 2"},
		{name: "Open a bot", need: looks, known: true, prepare: seen, do: func(ctx context.Context, _ *person, in *discordtest.Reply) (*discordtest.Reply, error) {
			return in.Pick(ctx, "Open a bot", radio)
		}, good: "🔴 Radio"},
		{name: "Hosted bots", need: looks, known: true, prepare: seen, do: func(ctx context.Context, c *person, _ *discordtest.Reply) (*discordtest.Reply, error) {
			return c.staff.Menu(ctx, "Hosted bots", c.user)
		}, good: "🔴 Radio"},

		{name: "typing a bot's name, unknown", need: suggests, do: completes},
		{name: "typing a bot's name", need: suggests, known: true, prepare: seen, do: completes},
		{name: "the form of /bot startup", need: asks, known: true, prepare: seen, do: types("/bot startup", theShop)},
		{name: "the form of /bot delete", need: asks, known: true, prepare: seen, do: types("/bot delete", theShop)},
		{name: "Continue", need: asks, known: true, prepare: steps(types("/bot create", nil), wait("room for")), do: presses("Continue")},
	}
	return append(all, actionFlows(seen, seenCard, wait)...)
}

// actionFlows are the flows that change something.
func actionFlows(seen, seenCard step, wait func(string) step) []flow {
	act := func(name string, f flow) flow {
		f.need, f.action = acts, name
		f.bot = shop
		if name == "start" {
			f.bot = idle
		}
		return f
	}
	var all []flow
	for _, name := range []string{"start", "stop", "restart", "reinstall"} {
		f := act(name, flow{name: "/bot " + name, known: true, prepare: seen})
		f.do = types("/bot "+name, discordtest.Options{"bot": f.bot})
		all = append(all, f)
	}
	return append(all,
		act("restart", flow{name: "/bot restart, unknown", do: types("/bot restart", discordtest.Options{"bot": shop})}),
		act("restart", flow{name: "Restart", known: true, prepare: seenCard, do: presses("Restart")}),
		act("restart", flow{name: "/admin action", known: true, prepare: seen, do: staffTypes("/admin action", discordtest.Options{"bot": shop, "do": "restart"})}),
		act("startup", flow{
			name: "/bot startup", known: true, prepare: types("/bot startup", discordtest.Options{"bot": shop}),
			do: fills(discordtest.Fields{"command": "node other.js"}),
		}),
		act("delete", flow{
			name: "/bot delete", known: true, prepare: types("/bot delete", discordtest.Options{"bot": shop}),
			do: fills(discordtest.Fields{"name": strings.ToLower(shop)}),
		}),
		act("create", flow{
			name: "/bot create", known: true, prepare: steps(types("/bot create", nil), wait("room for"), presses("Continue")),
			do: fills(discordtest.Fields{"name": shop}),
		}),
	)
}
