package commands

import (
	"context"
	"slices"

	"hostbot/bot/interaction"
)

// startCreated tells of the creation of a bot that is to be started afterwards, and
// begins with that where the bot is there and at rest.
func (c *Commands) startCreated(ctx context.Context, r *interaction.Request, created result) interaction.Response {
	start, _ := actionNamed("start")
	v, state := c.view(r), conditionOf(created.server.Status).state
	switch {
	case created.outcome() == interaction.Failed, created.err == nil && state == up:
		return c.told(r, created)
	case created.err != nil || !slices.Contains(start.in, state):
		created.note = v.t.Text("create.not_started")
		return c.told(r, created)
	}
	second := *r
	second.ID += "/start" // an interaction acts once, and this is its second action
	response, err := c.begin(ctx, &second, start, created.bot)
	if err != nil {
		created.note = v.t.Text("create.not_started") + "\n" + v.explain(err).text
		return c.told(r, created)
	}
	before := func(response interaction.Response) interaction.Response {
		embed := response.Message.Embeds[0]
		embed.Description = paragraphs(v.ending(created), embed.Description)
		return response
	}
	work := response.Then
	response.Then = func(ctx context.Context) (interaction.Response, error) {
		end, err := work(ctx)
		return before(end), err
	}
	response.Action = created.told()
	return before(response)
}
