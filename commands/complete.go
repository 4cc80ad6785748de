package commands

import (
	"context"
	"slices"
	"strings"

	"hostbot/bot/interaction"
	"hostbot/bot/sanitize"
	"hostbot/hostapi"
)

// maxChoices is how many suggestions Discord takes.
const maxChoices = 25

// complete suggests the caller's bots while the name of one is typed.
func (c *Commands) complete(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
	snapshot, err := c.accounts.Account(ctx, r.CustomerID, r.AnswerBy)
	if err != nil {
		return interaction.Response{}, err
	}
	shareName := namesakes(snapshot.List.Servers)
	var choices []interaction.Choice
	for _, s := range matching(snapshot.List.Servers, r.Options[r.Focused]) {
		choice := interaction.Choice{Name: conditionOf(withStatusOf(c.locks.Running(r.CustomerID, s.ID), s).Status).emoji + " ", Value: botKey(s.ID)}
		if shareName(s) {
			choice.Name += plainName(s, nameLimit/2) + " · " + sanitize.Plain(s.ID, nameLimit/2)
		} else {
			choice.Name += plainName(s, nameLimit)
		}
		choices = append(choices, choice)
	}
	return interaction.Suggest(choices), nil
}

// namesakes returns a function that tells whether another of the bots shows the same
// name.
func namesakes(servers []hostapi.Server) (shareName func(hostapi.Server) bool) {
	count := make(map[string]int, len(servers))
	for _, s := range servers {
		count[plainName(s, nameLimit)]++
	}
	return func(s hostapi.Server) bool { return count[plainName(s, nameLimit)] > 1 }
}

// matching returns the bots that the typed text may mean, the likeliest first:
// their name begins with it, has it somewhere, or their ID has.
func matching(servers []hostapi.Server, typed string) []hostapi.Server {
	typed = strings.ToLower(strings.TrimSpace(typed))
	var ranked [3][]hostapi.Server
	for _, s := range servers {
		name := strings.ToLower(s.Name)
		switch {
		case strings.HasPrefix(name, typed):
			ranked[0] = append(ranked[0], s)
		case strings.Contains(name, typed):
			ranked[1] = append(ranked[1], s)
		case strings.Contains(strings.ToLower(s.ID), typed):
			ranked[2] = append(ranked[2], s)
		}
	}
	found := slices.Concat(ranked[:]...)
	return found[:min(len(found), maxChoices)]
}
