package commands

import (
	"context"
	"errors"
	"slices"
	"time"

	"hostbot/bot/interaction"
	"hostbot/hostapi"
)

const (
	// followLimit is for how long a bot is followed after the service accepted an action.
	followLimit = time.Minute
	// lookLimit bounds a look at a bot for which the action itself need not wait.
	lookLimit = 5 * time.Second
	// The pauses between two looks grow from firstPause to longestPause.
	firstPause   = time.Second
	longestPause = 10 * time.Second
)

// follow looks at a bot, with growing pauses, until its status is settled, at once where
// the service named none. It returns the bot as it was last seen.
func (c *Commands) follow(ctx context.Context, userID string, b bot) (bot, error) {
	deadline := time.Now().Add(followLimit)
	pause, limit := firstPause, followLimit
	if b.server.Status == "" {
		pause, limit = 0, lookLimit
	}
	for pause == 0 || conditionOf(b.server.Status).state == transitional {
		if time.Now().Add(pause).After(deadline) {
			return b, interaction.ErrUnsettled
		}
		select {
		case <-ctx.Done():
			return b, interaction.ErrUnsettled
		case <-time.After(pause):
		}
		switch seen, err := c.look(ctx, userID, b.server.ID, min(limit, time.Until(deadline))); {
		case err == nil:
			b = seen
		case errors.Is(err, errGone):
			return b, err
		} // otherwise the service may yet answer
		pause, limit = min(max(2*pause, firstPause), longestPause), followLimit
	}
	return b, nil
}

// look asks the service anew for a bot. The error is errGone where the user has no
// such bot, and otherwise interaction.ErrUnsettled or the service's.
func (c *Commands) look(ctx context.Context, userID, serverID string, limit time.Duration) (bot, error) {
	snapshot, err := c.accounts.Ask(ctx, userID, serverID, time.Now().Add(limit))
	switch {
	case err != nil:
		return bot{}, err
	case snapshot.Old:
		return bot{}, interaction.ErrUnsettled
	}
	i := slices.IndexFunc(snapshot.List.Servers, func(s hostapi.Server) bool { return s.ID == serverID })
	if i < 0 {
		return bot{}, errGone
	}
	return bot{snapshot.List.Servers[i], snapshot}, nil
}
