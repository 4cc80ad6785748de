package discordtest

import (
	"fmt"
	"slices"
	"strings"
)

// State is what a user sees of an answer.
type State int

const (
	// Waiting: the bot has not answered yet.
	Waiting State = iota
	// Thinking: the bot says that an answer will follow.
	Thinking
	// Shown: there is a message.
	Shown
	// Asking: the bot has opened a modal.
	Asking
	// Failed: the bot gave no answer in time.
	Failed
	// Deleted: the message is gone.
	Deleted
)

func (s State) String() string {
	return [...]string{"waiting", "thinking…", "shown", "asking", "The application did not respond", "deleted"}[s]
}

// View is what a user sees of a message, or of an answer that is not there yet.
type View struct {
	// ID is the message's; empty where there is none.
	ID, ChannelID string
	// AuthorID is who wrote the message: the bot's ApplicationID or a user's ID.
	AuthorID   string
	State      State
	Ephemeral  bool
	Content    string
	Embeds     []Embed
	Components []Component
	// Modal is set while the bot is Asking.
	Modal *Modal
	// Pings are the mentions in the content that notify somebody.
	Pings []string
	// Attachments are the message's files, also those that embeds show.
	Attachments []Attachment
	// ThreadID is that of the thread that was started from the message; empty where there is none.
	ThreadID string
	// Version counts the states of the message, from 1.
	Version int
}

// Text is all text there is to read, a line for each part. A no-break space reads as any
// space does.
func (v View) Text() string {
	var lines []string
	add := func(text string) {
		if text != "" {
			lines = append(lines, text)
		}
	}
	if v.State != Shown {
		add(v.State.String())
	}
	add(v.Content)
	for _, e := range v.Embeds {
		if e.Author != nil {
			add(e.Author.Name)
		}
		add(e.Title)
		add(e.Description)
		for _, f := range e.Fields {
			add(f.Name)
			add(f.Value)
		}
		if e.Footer != nil {
			add(e.Footer.Text)
		}
	}
	if v.Modal != nil {
		add(v.Modal.Title)
		addComponents(add, v.Modal.Components)
	}
	addComponents(add, v.Components)
	return strings.ReplaceAll(strings.Join(lines, "\n"), "\u00a0", " ")
}

func addComponents(add func(string), components []Component) {
	for _, c := range flatten(components) {
		add(c.Label)
		add(c.Description)
		add(c.Placeholder)
		add(c.Content)
		for _, o := range c.Options {
			add(o.Label)
			add(o.Description)
		}
	}
}

// Contains reports whether text is anywhere in the message.
func (v View) Contains(text string) bool { return strings.Contains(v.Text(), text) }

// flatten returns all components, those of rows and labels included, in order.
func flatten(components []Component) []Component {
	var all []Component
	for _, c := range components {
		all = append(all, c)
		all = append(all, flatten(c.Components)...)
		if c.Component != nil {
			inner := *c.Component
			if inner.Label == "" {
				inner.Label = c.Label
			}
			all = append(all, inner)
		}
	}
	return all
}

// Buttons returns the message's buttons.
func (v View) Buttons() []Component { return v.ofType(TypeButton) }

// Selects returns the message's select menus.
func (v View) Selects() []Component { return v.ofType(TypeSelect, TypeRoles) }

func (v View) ofType(kinds ...int) []Component {
	return slices.DeleteFunc(flatten(v.Components), func(c Component) bool { return !slices.Contains(kinds, c.Type) })
}

// Button returns the button with a label, an emoji or a custom id, or an error
// that names those there are.
func (v View) Button(name string) (Component, error) {
	return find("button", name, v.Buttons(), func(c Component) []string {
		names := []string{c.Label, c.CustomID}
		if c.Emoji != nil {
			names = append(names, c.Emoji.Name)
		}
		return names
	})
}

// Select returns the select menu with a placeholder or a custom id, or an error
// that names those there are.
func (v View) Select(name string) (Component, error) {
	return find("select menu", name, v.Selects(), func(c Component) []string { return []string{c.Placeholder, c.CustomID} })
}

// find looks a component up by its names, the first of which is the one shown.
func find(kind, name string, among []Component, names func(Component) []string) (Component, error) {
	var there []string
	for _, c := range among {
		shown := ""
		for _, candidate := range names(c) {
			if candidate != "" && candidate == name {
				return c, nil
			}
			if shown == "" {
				shown = candidate
			}
		}
		shown = fmt.Sprintf("%q", shown)
		if c.Disabled {
			shown += " (disabled)"
		}
		there = append(there, shown)
	}
	if len(there) == 0 {
		there = []string{"none"}
	}
	return Component{}, fmt.Errorf("no %s %q; there: %s", kind, name, strings.Join(there, ", "))
}
