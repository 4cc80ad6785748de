package timeline

import (
	"encoding/json"
	"fmt"
	"strings"

	"hostbot/bot/discordtest"
)

// Types of interactions, commands and options, as Discord numbers them.
const (
	kindCommand      = 2
	kindComponent    = 3
	kindAutocomplete = 4
	kindModal        = 5

	commandChat = 1

	optionSubcommand = 1
	optionGroup      = 2
)

// event is what is read of an INTERACTION_CREATE.
type event struct {
	ID, Token string
	Type      int
	User      *user
	Member    struct{ User *user }
	Data      struct {
		Name     string
		Type     int
		Options  []option
		CustomID string `json:"custom_id"`
		Values   []string
	}
	Message struct{ Components []component }
}

type user struct{ ID, Username string }

type option struct {
	Name    string
	Type    int
	Value   any
	Options []option
}

type component struct {
	CustomID    string `json:"custom_id"`
	Label       string
	Placeholder string
	Emoji       struct{ Name string }
	Options     []struct{ Label, Value string }
	Components  []component
}

// interactionOf reads the interaction that an event brings, if it is one.
func interactionOf(d *discordtest.Dispatch) (*interaction, bool) {
	var e event
	if d.Name != "INTERACTION_CREATE" || json.Unmarshal(d.Data, &e) != nil {
		return nil, false
	}
	who := e.User
	if who == nil {
		who = e.Member.User
	}
	if who == nil {
		return nil, false
	}
	in := &interaction{token: e.Token, userID: who.ID}
	in.ID, in.User, in.Title, in.At = e.ID, who.Username, e.title(), d.At
	return in, true
}

// title says what the user did.
func (e *event) title() string {
	command := "/" + e.Data.Name + words(e.Data.Options)
	switch e.Type {
	case kindCommand:
		if e.Data.Type != commandChat {
			return "menu: " + e.Data.Name
		}
		return command
	case kindAutocomplete:
		return "typing: " + command
	case kindComponent:
		return used(e.Message.Components, e.Data.CustomID, e.Data.Values)
	case kindModal:
		return "form sent"
	}
	return fmt.Sprint("interaction of type ", e.Type)
}

// words writes subcommands and options as they are typed.
func words(options []option) string {
	var text strings.Builder
	for _, o := range options {
		if o.Type == optionSubcommand || o.Type == optionGroup {
			text.WriteString(" " + o.Name + words(o.Options))
		} else {
			fmt.Fprintf(&text, " %s: %v", o.Name, o.Value)
		}
	}
	return text.String()
}

// used says which button was pressed, or what was chosen in which menu.
func used(components []component, customID string, values []string) string {
	for _, row := range components {
		for _, c := range row.Components {
			if c.CustomID == customID {
				return c.use(values)
			}
		}
	}
	return "component"
}

func (c *component) use(values []string) string {
	if len(values) == 0 {
		return "button: " + strings.TrimSpace(c.Emoji.Name+" "+c.Label)
	}
	var chosen []string
	for _, value := range values {
		for _, o := range c.Options {
			if o.Value == value {
				chosen = append(chosen, o.Label)
			}
		}
	}
	return "menu: " + c.Placeholder + " → " + strings.Join(chosen, ", ")
}
