package commands

import (
	"context"
	"strings"

	"hostbot/bot/interaction"
	"hostbot/bot/sanitize"
	"hostbot/bot/staff/incident"
	"hostbot/hostapi/accounts"
)

// lookUp makes a handler that shows staff a customer's bots and plan, and what happened to the
// customer lately, which is read while the account is. shown makes it of what draws an account.
func (c *Commands) lookUp(shown func(drawing) interaction.Handler) interaction.Handler {
	return func(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
		var events []incident.Event
		var reading interaction.Beside
		reading.Go(func() error {
			if c.staff.Recent != nil {
				events, _ = c.staff.Recent(ctx, r.CustomerID) // none while Redis is away
			}
			return nil
		})
		return shown(func(_ context.Context, r *interaction.Request, s accounts.Snapshot) (interaction.Response, error) {
			if err := reading.Wait(); err != nil {
				return interaction.Response{}, err
			}
			return c.drawLookup(r, s, events), nil
		})(ctx, r)
	}
}

// drawLookup draws a page of a customer's bots with the plan below. The author of the page says
// whose they are, once.
func (c *Commands) drawLookup(r *interaction.Request, s accounts.Snapshot, events []incident.Event) interaction.Response {
	v, response := c.view(r), c.botList(r, s).draw()
	plan := v.planEmbed(s.List)
	if r.ByStaff() { // not about themselves
		response.Message.Embeds[0].Title = v.t.Text("staff.list.bots")
		plan.Title, plan.Color = v.t.Text("staff.plan.heading"), staffColor
	}
	if lines := v.eventLines(events); lines != "" {
		plan.Fields = append(plan.Fields, v.field("staff.recent", lines, false))
	}
	response.Message.Embeds = append(response.Message.Embeds, plan)
	return response
}

// maxLines is how many characters a field of an embed holds.
const maxLines = 1024

// eventLines are a line for each event, the latest first, as many as fit into a field.
func (v view) eventLines(events []incident.Event) string {
	lines := ""
	for _, e := range events {
		line := v.eventLine(e)
		if len([]rune(lines))+len([]rune(line)) >= maxLines {
			break
		}
		lines += "\n" + line
	}
	return strings.TrimSpace(lines)
}

func (v view) eventLine(e incident.Event) string {
	sign := map[interaction.Outcome]string{interaction.Done: "✅", interaction.Failed: "❌", interaction.Refused: "↩️", interaction.Unconfirmed: "⚠️"}[e.Outcome]
	if sign == "" {
		sign = "❗"
	}
	parts := []string{sign + " " + relative(e.At)}
	if isAction(e.Action) { // another version of the program may have others
		parts = append(parts, v.t.Text("log.action.title."+e.Action), sanitize.Markdown(e.BotName, wordLimit))
	}
	if e.Cause != "" {
		parts = append(parts, incident.Headline(v.t, e.Cause, e.Status))
	}
	if e.ByStaff {
		parts = append(parts, "🛟")
	}
	if e.Reference != "" {
		parts = append(parts, sanitize.Code(e.Reference, wordLimit))
	}
	return strings.Join(parts, " · ")
}
