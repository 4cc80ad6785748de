package faultmatrix_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"hostbot/bot/testing/discordtest"
)

// need is what a flow takes from others, beside Discord.
type need int

const (
	needsNothing need = iota
	looks             // shows an account
	names             // names an account's bots, whose states it does not show
	suggests          // suggests an account's bots
	asks              // opens a form for an account
	acts              // changes something
	keeps             // uses what only Redis has, of which staff read where it fails
)

// flow is one way of using the bot. Each has a customer of its own.
type flow struct {
	route string // that it takes: its kind and its pattern
	need  need
	// unknown says that the customer's account was not seen before things break.
	unknown bool
	action  string // as its texts are called; empty where nothing is to be changed
	bot     string // that is changed
	// prepare leads to where the flow begins; it is done before things break. Where there
	// is none, a customer whose account is to be known has looked at it.
	prepare step
	do      step
	good    string                              // what is read where all goes well, as a regular expression
	goesOn  bool                                // after the first response, which is a call
	follows bool                                // the answer does, on a first response that shows nothing
	lost    ending                              // where Redis fails, which alone has what the flow is about; empty if it is about no such thing
	late    bool                                // what is remembered of the account will do, though the service may yet answer
	lie     func(c *person, text string) string // what is not true of a text, or ""; nil where nothing but actions is to be checked
	posts   map[messages]ending                 // where Discord does not take the messages of the flow as usual; nil where it has none
	about   string                              // what the flow is about then
}

func (f flow) name() string {
	if f.unknown {
		return f.route + ", unknown"
	}
	return f.route
}

// step is something that a customer does, in a message or anywhere.
type step func(ctx context.Context, c *person, in *discordtest.Reply) (*discordtest.Reply, error)

// now carries a step out, not at the same moment as too many others. Who still waits for an
// answer after that moment keeps nobody from doing something.
func (s step) now(ctx context.Context, c *person, in *discordtest.Reply) (*discordtest.Reply, error) {
	const moment = 150 * time.Millisecond
	c.scene.moment <- struct{}{}
	over := sync.OnceFunc(func() { <-c.scene.moment })
	defer over()
	defer time.AfterFunc(moment, over).Stop()
	return s(ctx, c, in)
}

// theCustomer stands for the person of a flow in the options of a command.
const theCustomer = "the customer"

// given returns the options of a command of somebody's, and who gives it: the customer or,
// where it is one of theirs, staff.
func (c *person) given(command string, options discordtest.Options) (*discordtest.User, discordtest.Options) {
	given := maps.Clone(options)
	if given["user"] == theCustomer {
		given["user"] = c.user
	}
	if strings.HasPrefix(command, "/admin ") {
		return c.staff, given
	}
	return c.user, given
}

// types is a command of the customer's or of staff.
func types(command string, options discordtest.Options) step {
	return func(ctx context.Context, c *person, _ *discordtest.Reply) (*discordtest.Reply, error) {
		who, given := c.given(command, options)
		return who.Command(ctx, command, given)
	}
}

func presses(label string) step {
	return func(ctx context.Context, _ *person, in *discordtest.Reply) (*discordtest.Reply, error) {
		return in.Click(ctx, label)
	}
}

func picks(placeholder string, labels ...string) step {
	return func(ctx context.Context, _ *person, in *discordtest.Reply) (*discordtest.Reply, error) {
		return in.Pick(ctx, placeholder, labels...)
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

// where carries a step out where a button of the message can be pressed.
func where(label string, do step) step {
	return func(ctx context.Context, c *person, in *discordtest.Reply) (*discordtest.Reply, error) {
		button, err := in.View().Button(label)
		if err != nil || button.Disabled {
			return in, err
		}
		return do(ctx, c, in)
	}
}

// becomes waits until the message that a button is in has a text, as its answer takes the
// message's place only after a while.
func becomes(text string) step {
	return func(ctx context.Context, _ *person, in *discordtest.Reply) (*discordtest.Reply, error) {
		ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
		defer cancel()
		_, err := in.Await(ctx, func(v discordtest.View) bool { return v.Contains(text) })
		return in, err
	}
}

// completes asks for suggestions for the option "bot" and fails where there are none.
func completes(command string, options discordtest.Options) step {
	return func(ctx context.Context, c *person, _ *discordtest.Reply) (*discordtest.Reply, error) {
		who, given := c.given(command, options)
		choices, err := who.Complete(ctx, command, "bot", "sho", given)
		if err == nil && len(choices) == 0 {
			err = errNoSuggestions
		}
		return nil, err
	}
}

var errNoSuggestions = errors.New("nothing is suggested")

// pressesIn presses a button of a message that is no answer to a command.
func pressesIn(found func(c *person) (*discordtest.User, discordtest.View), label string) step {
	return func(ctx context.Context, c *person, _ *discordtest.Reply) (*discordtest.Reply, error) {
		who, message := found(c)
		button, err := message.Button(label)
		if err != nil {
			return nil, err
		}
		return who.Click(ctx, message.ID, button.CustomID)
	}
}

// picksIn picks an option of a menu in a message that was found.
func picksIn(found func(c *person) (*discordtest.User, discordtest.View), placeholder, label string) step {
	return func(ctx context.Context, c *person, _ *discordtest.Reply) (*discordtest.Reply, error) {
		who, message := found(c)
		return who.PickIn(ctx, message, placeholder, label)
	}
}

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

// seen looks at the customer's account.
func seen() step { return steps(types("/bot list", nil), reads(shop)) }

// flows returns all flows: one at least for each route of the table of commands.
func flows() []flow {
	all := slices.Concat(customersFlows(), watchingFlows(), staffFlows())
	for i := range all {
		f := &all[i]
		if f.action != "" {
			f.need = acts
			if f.bot == "" {
				f.bot = shop
			}
		}
		if f.prepare == nil && !f.unknown && f.need != needsNothing {
			f.prepare = seen()
		}
	}
	return all
}
