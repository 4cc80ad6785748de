package rest

import "github.com/bwmarrin/discordgo"

// Components without discordgo's MarshalJSON methods. Those encode each part of a component again with the
// whole: a list's menu and button take 19 µs, and 4 µs with these. Options leave out what is empty: a menu has
// 25, and the size of a message is limited (see fit).
type (
	plainButton discordgo.Button
	plainMenu   discordgo.SelectMenu
	plainOption struct {
		Label       string                    `json:"label"`
		Value       string                    `json:"value"`
		Description string                    `json:"description,omitempty"`
		Emoji       *discordgo.ComponentEmoji `json:"emoji,omitempty"`
		Default     bool                      `json:"default,omitempty"`
	}
)

// plain returns components that encode to the same JSON, without the empty fields of options.
func plain(components []discordgo.MessageComponent) []any {
	plained := make([]any, len(components))
	for i, c := range components {
		plained[i] = plainOne(c)
	}
	return plained
}

func plainOne(component discordgo.MessageComponent) any {
	switch c := component.(type) {
	case discordgo.ActionsRow:
		return struct {
			Type       discordgo.ComponentType `json:"type"`
			Components []any                   `json:"components"`
		}{c.Type(), plain(c.Components)}
	case discordgo.Button:
		return struct {
			Type discordgo.ComponentType `json:"type"`
			plainButton
		}{c.Type(), plainButton(c)}
	case *discordgo.SelectMenu: // see fit
		return plainOne(*c)
	case discordgo.SelectMenu:
		options := make([]plainOption, len(c.Options))
		for i, o := range c.Options {
			options[i] = plainOption(o)
		}
		return struct {
			Type discordgo.ComponentType `json:"type"`
			plainMenu
			Options []plainOption `json:"options,omitempty"`
		}{c.Type(), plainMenu(c), options}
	default:
		return c
	}
}
