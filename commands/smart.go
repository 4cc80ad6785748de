package commands

import (
	"context"
	"fmt"
	"strings"
	"unicode"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/interaction"
	"hostbot/bot/sanitize"
	"hostbot/hostapi"
)

// A phone may turn what is typed into smart punctuation, with which a shell finds neither an option nor
// a file. A startup is taken as it was typed all the same, since it may be meant: the customer is
// told, and a button opens the form with plain characters.

// smartNote says which characters of a startup a phone may have put there; "" for none.
func (v view) smartNote(s hostapi.Startup) string {
	var shown []string
	for _, r := range sanitize.Smart(s.Command + s.EntryFile) {
		if unicode.IsPrint(r) {
			shown = append(shown, "`"+string(r)+"`")
		} else { // a space, or what has no width
			shown = append(shown, fmt.Sprintf("`U+%04X`", r))
		}
	}
	if len(shown) == 0 {
		return ""
	}
	return "⚠️ " + v.t.Format("startup.smart", args{"Characters": strings.Join(shown, " ")})
}

// offerPlain adds to a response the button that opens the form of a bot's startup with plain
// characters, where the startup has others.
func (v view) offerPlain(r interaction.Response, s hostapi.Startup, serverID string) interaction.Response {
	if serverID != "" && v.offers(hostapi.OpUpdateStartup) && len(sanitize.Smart(s.Command+s.EntryFile)) > 0 {
		r.Message.Components = append(r.Message.Components, row(v.button(discordgo.PrimaryButton, "button.plain", idPlain+botKey(serverID), false)))
	}
	return r
}

// askPlainStartup opens the form with how a bot is started today, in plain characters. Nothing is
// changed before the customer sends it.
func (c *Commands) askPlainStartup(ctx context.Context, r *interaction.Request, b bot) (interaction.Response, error) {
	b.server.StartupCommand = sanitize.Straighten(b.server.StartupCommand)
	b.server.EntryFile = sanitize.Straighten(b.server.EntryFile)
	return c.askStartup(ctx, r, b)
}
