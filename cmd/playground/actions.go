package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"hostbot/bot/testing/discordtest"
)

// errNoAnswer is what Discord's client says of a press without an answer.
var errNoAnswer = errors.New("This interaction failed") //nolint:staticcheck // it is shown as Discord writes it

// asUser makes a handler of what a user does in a channel.
func (p *playground) asUser(do func(context.Context, *discordtest.User, request) (any, error)) http.Handler {
	return handle(func(ctx context.Context, in request) (any, error) {
		user, err := p.at(in.User, in.Channel)
		if err != nil {
			return nil, err
		}
		return do(ctx, user, in)
	})
}

// outcome is what the page is told at once of what its user did. Messages come apart
// from that, to every page.
type outcome struct {
	// Modal is what is to be filled in. Discord brings it only to the client in which
	// the user acted, and nobody keeps it: whoever closes it, or loads the client anew,
	// has to ask for it once more.
	Modal *openModal `json:"modal,omitempty"`
}

// openModal is a modal that the bot opened.
type openModal struct {
	ID         string                  `json:"id"`
	Title      string                  `json:"title"`
	Components []discordtest.Component `json:"components"`
}

func outcomeOf(reply *discordtest.Reply) outcome {
	if view := reply.View(); view.State == discordtest.Asking {
		return outcome{&openModal{reply.ID(), view.Modal.Title, view.Modal.Components}}
	}
	return outcome{}
}

// command uses a command as a user.
func (p *playground) command(ctx context.Context, user *discordtest.User, in request) (any, error) {
	options := discordtest.Options{}
	for name, value := range in.Options {
		options[name] = value
	}
	reply, err := user.Start("/"+in.Name, options)
	if err != nil {
		return nil, err
	}
	p.note(used{in.User, in.Channel, "/" + in.Name, time.Now(), reply})
	_, err = reply.Await(ctx, func(v discordtest.View) bool { return v.State != discordtest.Waiting })
	return outcomeOf(reply), err
}

// menu chooses a command in the context menu of another person.
func (p *playground) menu(ctx context.Context, user *discordtest.User, in request) (any, error) {
	target, err := p.person(in.Target)
	if err != nil {
		return nil, err
	}
	reply, err := user.Menu(ctx, in.Name, target.User)
	if err != nil {
		return nil, err
	}
	p.note(used{in.User, in.Channel, in.Name, time.Now(), reply})
	return outcomeOf(reply), nil
}

// complete asks for suggestions.
func (p *playground) complete(ctx context.Context, user *discordtest.User, in request) (any, error) {
	others := discordtest.Options{}
	for name, value := range in.Options {
		if name != in.Option {
			others[name] = value
		}
	}
	choices, err := user.Complete(ctx, "/"+in.Name, in.Option, in.Options[in.Option], others)
	if err != nil {
		return nil, err
	}
	return map[string]any{"choices": choices}, nil
}

// press presses a button or chooses in a select menu.
func (p *playground) press(ctx context.Context, user *discordtest.User, in request) (any, error) {
	var reply *discordtest.Reply
	var err error
	if in.Values != nil { // of a menu, in which nothing may be chosen
		reply, err = user.Pick(ctx, in.Message, in.CustomID, in.Values...)
	} else {
		reply, err = user.Click(ctx, in.Message, in.CustomID)
	}
	if err != nil {
		return nil, err
	}
	if reply.View().State == discordtest.Failed {
		return nil, errNoAnswer
	}
	return outcomeOf(reply), nil
}

// modal sends a modal that was filled in.
func (p *playground) modal(ctx context.Context, user *discordtest.User, in request) (any, error) {
	fields := discordtest.Fields{}
	for name, value := range in.Fields {
		fields[name] = value
		if list, ok := value.([]any); ok { // of values that were chosen
			fields[name] = texts(list)
		}
	}
	reply, err := user.SubmitModal(ctx, in.Modal, fields)
	if err != nil {
		return nil, err
	}
	if reply.View().State == discordtest.Failed {
		return nil, errNoAnswer // and the modal stays open, as on Discord
	}
	return nil, nil
}

// texts are what is chosen in a menu of a modal.
func texts(list []any) []string {
	texts := make([]string, len(list))
	for i, value := range list {
		texts[i] = fmt.Sprint(value)
	}
	return texts
}

// dismiss takes an ephemeral message away, or the notice that there is none.
func (p *playground) dismiss(_ context.Context, user *discordtest.User, in request) (any, error) {
	if !p.forget(in.User, in.Message) {
		if err := user.Dismiss(in.Message); err != nil {
			return nil, err
		}
	}
	p.changes.tell()
	return nil, nil
}

// setLocale changes the language of a user's client.
func (p *playground) setLocale(_ context.Context, user *discordtest.User, in request) (any, error) {
	user.SetLocale(in.Locale)
	return nil, nil
}
