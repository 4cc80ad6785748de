package commands

import (
	"context"
	"slices"
	"strings"

	"hostbot/bot/interaction"
	"hostbot/bot/sanitize"
	"hostbot/hostapi"
)

// complete suggests the caller's bots while the name of one is typed.
func (c *Commands) complete(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
	snapshot, err := c.accounts.Account(ctx, r.CustomerID, r.AnswerBy)
	if err != nil {
		return interaction.Response{}, err
	}
	var choices []interaction.Choice
	found := matching(snapshot.List.Servers, r.Options[r.Focused])
	for i, label := range labels(found) {
		s, _ := c.atThisMoment(r.CustomerID, found[i])
		choices = append(choices, interaction.Choice{Name: conditionOf(s.Status).emoji + " " + label, Value: botKey(s.ID)})
	}
	return interaction.Suggest(choices), nil
}

// labels are what bots are called in lists where Discord renders no markdown. Bots of
// one name show their IDs.
func labels(servers []hostapi.Server) []string {
	labels, count := make([]string, len(servers)), make(map[string]int)
	for _, s := range servers {
		count[plainName(s, nameLimit)]++
	}
	for i, s := range servers {
		labels[i] = plainName(s, nameLimit)
		if count[labels[i]] > 1 {
			labels[i] = plainName(s, nameLimit/2) + " · " + sanitize.Plain(s.ID, nameLimit/2)
		}
	}
	return labels
}

// matching returns the bots that the typed text may mean, the likeliest first:
// their name begins with it, has it somewhere, or their ID has.
func matching(servers []hostapi.Server, typed string) []hostapi.Server {
	typed = strings.ToLower(strings.TrimSpace(typed))
	var ranked [3][]hostapi.Server
	for _, s := range servers {
		switch at := strings.Index(strings.ToLower(s.Name), typed); {
		case at == 0:
			ranked[0] = append(ranked[0], s)
		case at > 0:
			ranked[1] = append(ranked[1], s)
		case strings.Contains(strings.ToLower(s.ID), typed):
			ranked[2] = append(ranked[2], s)
		}
	}
	found := slices.Concat(ranked[:]...)
	return found[:min(len(found), 25)] // as many as Discord takes
}
