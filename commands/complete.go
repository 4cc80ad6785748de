package commands

import (
	"context"
	"strings"

	"hostbot/bot/interaction"
	"hostbot/hostapi"
)

const (
	// maxChoices is how many suggestions Discord takes.
	maxChoices = 25
	// choiceLimit is how long a suggestion may be.
	choiceLimit = 100
)

// complete suggests the caller's bots while the name of one is typed.
func (c *Commands) complete(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
	snapshot, err := c.accounts.Account(ctx, r.UserID, r.AnswerBy)
	if err != nil {
		return interaction.Response{}, err
	}
	var choices []interaction.Choice
	for _, s := range matching(snapshot.List.Servers, r.Options[r.Focused]) {
		choices = append(choices, interaction.Choice{
			Name:  conditionOf(s.Status).emoji + " " + plainName(s, choiceLimit-2),
			Value: handle(s.ID),
		})
	}
	return interaction.Suggest(choices), nil
}

// matching returns the bots whose name or ID has what was typed in it, those
// that begin with it first.
func matching(servers []hostapi.Server, typed string) []hostapi.Server {
	typed = strings.ToLower(strings.TrimSpace(typed))
	var begin, within []hostapi.Server
	for _, s := range servers {
		name, id := strings.ToLower(s.Name), strings.ToLower(s.ID)
		switch {
		case strings.HasPrefix(name, typed) || strings.HasPrefix(id, typed):
			begin = append(begin, s)
		case strings.Contains(name, typed) || strings.Contains(id, typed):
			within = append(within, s)
		}
	}
	found := append(begin, within...)
	return found[:min(len(found), maxChoices)]
}
