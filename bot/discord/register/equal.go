package register

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/bwmarrin/discordgo"
)

// equal reports whether a list is as it is wanted. The order of commands does not
// count, which Discord does not keep; that of options is shown to people, and does.
//
// Discord fills in what was not sent, and not always in the same way, so there
// is no exact echo to compare with:
//   - contexts that were not sent come back as null (discord-api-docs#6744) or as
//     all three (NousResearch/hermes-agent#107397), and integration_types as [0] or
//     as the application's own (discord-api-docs#7396);
//   - dm_permission comes back where only contexts were sent (disnake,
//     app_commands.py), and may be null (discord.py, models.py);
//   - what is false or empty may be left out (Pycord, bot.py).
//
// A difference that is none would have the list written anew at each start. An
// Entry Point command is not ours: see overwrite.
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

// equalCommand compares what the program sets of a command.
func equalCommand(there, wanted *discordgo.ApplicationCommand) bool {
	return equalSets(there.Contexts, wanted.Contexts) &&
		equalSets(there.IntegrationTypes, wanted.IntegrationTypes) &&
		canonical(there) == canonical(wanted)
}

// equalSets compares without regard to order. Parts that were not sent may be anything.
func equalSets[T cmp.Ordered](there, wanted *[]T) bool {
	if there == nil || wanted == nil {
		return wanted == nil
	}
	return slices.Equal(slices.Sorted(slices.Values(*there)), slices.Sorted(slices.Values(*wanted)))
}

// canonical writes what counts of a command, apart from contexts and integration
// types, in one way.
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
		return err.Error() // of a choice whose value is not JSON's, which equals nothing
	}
	empty := strings.NewReplacer(":[]", ":null", `"name_localizations":{},`, "", `"description_localizations":{},`, "")
	return empty.Replace(string(text))
}
