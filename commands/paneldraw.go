package commands

import (
	"context"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/history"
	"hostbot/bot/interaction"
	"hostbot/bot/panel"
	"hostbot/bot/sanitize"
	"hostbot/hostapi"
)

// panelStale is after what time without news a panel says so, where accounts are not
// looked at less often.
const panelStale = 5 * time.Minute

// DrawPanel draws what everybody in a channel sees of a customer's bots: their names
// and states, and since when.
func (c *Commands) DrawPanel(ctx context.Context, p panel.Panel) (interaction.Message, error) {
	snapshot, err := c.watch.Known(ctx, p.OwnerID)
	if err != nil && !isNoAccount(err) {
		return interaction.Message{}, err
	}
	v := c.view(&interaction.Request{UserID: p.OwnerID, CustomerID: p.OwnerID, Locale: p.Locale})
	var lines []string
	var buttons []discordgo.MessageComponent
	worst := grey
	for _, id := range p.Bots {
		for _, s := range snapshot.List.Servers {
			if s.ID != id {
				continue
			}
			condition := conditionOf(s.Status)
			worst = worse(worst, condition.color)
			lines = append(lines, condition.emoji+" **"+name(s)+"** · "+v.statusWord(s, sanitize.Markdown)+c.sinceWhen(ctx, v, p.OwnerID, s))
			buttons = append(buttons, discordgo.Button{
				Style: discordgo.SecondaryButton, Label: plainName(s, nameLimit), CustomID: idPanelBot + p.OwnerID + "/" + botKey(s.ID),
			})
		}
	}
	old := ""
	switch {
	case len(lines) == 0:
		lines = []string{v.t.Text("panel.empty")}
	case time.Since(snapshot.FetchedAt) > max(panelStale, 3*c.watch.Pace()):
		old, worst = "⚠️ "+v.t.Text("age.away")+" "+v.t.Format(ageOld, args{"When": relative(snapshot.FetchedAt)}), grey
	}
	embed := &discordgo.MessageEmbed{
		Title: v.t.Text("panel.title"), Color: worst, Description: paragraphs(old, strings.Join(lines, "\n")),
		Footer: &discordgo.MessageEmbedFooter{Text: v.t.Text("age.field")},
	}
	if !snapshot.FetchedAt.IsZero() {
		embed.Timestamp = snapshot.FetchedAt.UTC().Format(time.RFC3339)
	}
	return interaction.Message{Embeds: []*discordgo.MessageEmbed{embed}, Components: inRows(buttons)}, nil
}

// sinceWhen says since when a bot has been in its state, as far as that is known.
func (c *Commands) sinceWhen(ctx context.Context, v view, customerID string, s hostapi.Server) string {
	oldest := time.Now().Add(-history.KeptFor)
	states, err := c.watch.History.Of(ctx, customerID, s.ID, oldest)
	if err != nil || len(states) == 0 {
		return ""
	}
	last := states[len(states)-1]
	if last.State != hostapi.StateOf(s.Status) {
		return ""
	}
	key := "panel.since"
	if len(states) == 1 || states[len(states)-2].State == history.Unwatched { // nobody saw it begin
		key = "panel.since_least"
	}
	return " · " + v.t.Format(key, args{"When": stamp(last.From, "f")})
}

// worse returns the colour that says more of what is wrong.
func worse(one, other int) int {
	for _, c := range []int{red, yellow, green} {
		if one == c || other == c {
			return c
		}
	}
	return grey
}

// inRows puts buttons into rows of as many as Discord takes.
// https://discord.com/developers/docs/components/reference#action-row
func inRows(buttons []discordgo.MessageComponent) []discordgo.MessageComponent {
	const maxInRow = 5
	var rows []discordgo.MessageComponent
	for len(buttons) > 0 {
		n := min(len(buttons), maxInRow)
		rows = append(rows, row(buttons[:n]...))
		buttons = buttons[n:]
	}
	return rows
}
