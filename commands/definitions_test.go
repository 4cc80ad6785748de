package commands_test

import (
	"fmt"
	"slices"
	"testing"
	"unicode/utf16"

	"github.com/bwmarrin/discordgo"
)

// TestCommandsFitDiscordInEveryLanguage counts each command as Discord does: the longest
// of all languages for each name, description and value.
// https://discord.com/developers/docs/interactions/application-commands#slash-commands
func TestCommandsFitDiscordInEveryLanguage(t *testing.T) {
	const most = 8000
	longest := func(text string, localized map[discordgo.Locale]string) int {
		n := len(utf16.Encode([]rune(text)))
		for _, text := range localized {
			n = max(n, len(utf16.Encode([]rune(text))))
		}
		return n
	}
	var sum func(options []*discordgo.ApplicationCommandOption) int
	sum = func(options []*discordgo.ApplicationCommandOption) (n int) {
		for _, o := range options {
			n += longest(o.Name, o.NameLocalizations) + longest(o.Description, o.DescriptionLocalizations) + sum(o.Options)
			for _, choice := range o.Choices {
				n += longest(choice.Name, choice.NameLocalizations) + len(fmt.Sprint(choice.Value))
			}
			if want := len(languages(t)) - 1; len(o.NameLocalizations) != want || len(o.DescriptionLocalizations) != want {
				t.Errorf("%s is in %d and %d languages, want %d", o.Name, len(o.NameLocalizations), len(o.DescriptionLocalizations), want)
			}
		}
		return n
	}
	customers, staff := newCommands(t, &world{}).Definitions()
	for _, d := range slices.Concat(customers, staff) {
		n := longest(d.Name, *d.NameLocalizations) + sum(d.Options)
		if d.DescriptionLocalizations != nil {
			n += longest(d.Description, *d.DescriptionLocalizations)
		}
		if n > most {
			t.Errorf("/%s has %d characters, at most %d", d.Name, n, most)
		}
	}
}
