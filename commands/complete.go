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
	_, count := plainNames(snapshot.List.Servers)
	var choices []interaction.Choice
	for _, s := range matching(snapshot.List.Servers, r.Options[r.Focused]) {
		choice := interaction.Choice{Name: conditionOf(c.atThisMoment(r.CustomerID, s).Status).emoji + " ", Value: botKey(s.ID)}
		name := plainName(s, nameLimit)
		if count[name] > 1 {
			name = plainName(s, nameLimit/2) + " · " + sanitize.Plain(s.ID, nameLimit/2)
		}
		choice.Name += name
		choices = append(choices, choice)
	}
	return interaction.Suggest(choices), nil
}

// plainNames returns the names of bots as they are shown without markdown, and how
// many of the bots show each of them.
func plainNames(servers []hostapi.Server) (names []string, count map[string]int) {
	names, count = make([]string, len(servers)), make(map[string]int, len(servers))
	for i, s := range servers {
		names[i] = plainName(s, nameLimit)
		count[names[i]]++
	}
	return names, count
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
