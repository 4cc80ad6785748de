package register

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/bwmarrin/discordgo"
)

// equal reports whether Discord's list is the wanted one. Discord does not keep the order of commands, so it does
// not count. The order of options is shown to users, and does.
//
// Discord fills in what was not sent, in various ways, so the answer cannot be compared literally:
//   - contexts that were not sent come back as null (discord-api-docs#6744) or as
//     all three (NousResearch/hermes-agent#107397), and integration_types as [0] or
//     as the application's own (discord-api-docs#7396);
//   - dm_permission comes back where only contexts were sent (disnake,
//     app_commands.py), and may be null (discord.py, models.py);
//   - what is false or empty may be left out (Pycord, bot.py).
//
// A false difference would make every start write the list again. An Entry Point command is not ours: see
// overwrite.
func equal(there []command, wanted []*discordgo.ApplicationCommand) bool {
	own := slices.DeleteFunc(slices.Clone(there), func(c command) bool { return c.Type == entryPoint })
	if len(own) != len(wanted) {
		return false
	}
	for _, w := range wanted {
		i := slices.IndexFunc(own, func(c command) bool { return c.Type == w.Type && c.Name == w.Name })
		if i < 0 || !equalCommand(&own[i].ApplicationCommand, w) {
			return false
		}
	}
	return true
}

// equalCommand compares the fields of a command that the program sets.
func equalCommand(there, wanted *discordgo.ApplicationCommand) bool {
	return equalSets(there.Contexts, wanted.Contexts) &&
		equalSets(there.IntegrationTypes, wanted.IntegrationTypes) &&
		canonical(there) == canonical(wanted)
}

// equalSets compares regardless of order. A set that is not sent equals anything.
func equalSets[T cmp.Ordered](there, wanted *[]T) bool {
	if there == nil || wanted == nil {
		return wanted == nil
	}
	return slices.Equal(slices.Sorted(slices.Values(*there)), slices.Sorted(slices.Values(*wanted)))
}

// canonical returns a text that is equal for equal commands, regardless of contexts and integration types.
func canonical(c *discordgo.ApplicationCommand) string {
	text, err := json.Marshal(discordgo.ApplicationCommand{
		Type:                     c.Type,
		Name:                     c.Name,
		NameLocalizations:        c.NameLocalizations,
		Description:              c.Description,
		DescriptionLocalizations: c.DescriptionLocalizations,
		DefaultMemberPermissions: c.DefaultMemberPermissions,
		Options:                  c.Options,
	})
	if err != nil {
		return err.Error() // the value of a choice is not JSON: equal to nothing that Discord lists
	}
	empty := strings.NewReplacer(":[]", ":null", `"name_localizations":{},`, "", `"description_localizations":{},`, "")
	return empty.Replace(string(text))
}
