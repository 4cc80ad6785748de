package commands

import (
	"context"
	"slices"

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
	labels, count := make([]string, len(servers)), make(map[string]int, len(servers))
	for i, s := range servers {
		labels[i] = plainName(s, nameLimit)
		count[labels[i]]++
	}
	for i, s := range servers {
		if count[labels[i]] > 1 {
			labels[i] = plainName(s, nameLimit/2) + " · " + sanitize.Plain(s.ID, nameLimit/2)
		}
	}
	return labels
}

// matching returns the bots that the typed text may mean, the likeliest first.
func matching(servers []hostapi.Server, typed string) []hostapi.Server {
	groups := ranked(servers, typed)
	found := slices.Concat(groups[:]...)
	return found[:min(len(found), maxOptions)]
}
