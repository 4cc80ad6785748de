package commands

import (
	"context"
	"errors"
	"slices"
	"time"

	"hostbot/hostapi"
)

// errUnsettled says that a bot was on its way to another status for longer than
// it was followed.
var errUnsettled = errors.New("the bot has not come to rest")

const (
	// followLimit is how long a bot is followed after the service accepted an
	// action; more is rarely worth a customer's waiting.
	followLimit = time.Minute
	// The pauses between two looks grow from firstPause to longestPause.
	firstPause   = time.Second
	longestPause = 10 * time.Second
)

// follow looks at a bot with growing pauses until it has come to rest, and at
// once where the service named no status. It returns the bot as it was last
// seen; one without a status could not be seen.
func (c *Commands) follow(ctx context.Context, userID string, bot known) (known, error) {
	deadline := time.Now().Add(followLimit)
	if bot.server.Status == "" {
		seen, err := c.look(ctx, userID, bot.server.ID, lookLimit)
		switch {
		case errors.Is(err, goneError{}):
			return bot, err
		case err == nil:
			bot = seen
		}
	}
	for pause := firstPause; !conditionOf(bot.server.Status).settled(); pause = min(2*pause, longestPause) {
		if time.Now().Add(pause).After(deadline) || !sleep(ctx, pause) {
			return bot, errUnsettled
		}
		seen, err := c.look(ctx, userID, bot.server.ID, time.Until(deadline))
		switch {
		case errors.Is(err, goneError{}):
			return bot, err
		case err == nil: // otherwise the service may yet answer
			bot = seen
		}
	}
	return bot, nil
}

// lookLimit bounds one look at a bot.
const lookLimit = 5 * time.Second

// errUnseen says that the service does not answer in time.
var errUnseen = errors.New("the service does not tell of the bot")

// look has the service tell anew of a bot. The error is goneError where the user
// has no such bot, and errUnseen or the service's where nobody knows.
func (c *Commands) look(ctx context.Context, userID, serverID string, limit time.Duration) (known, error) {
	c.accounts.Expire(ctx, userID)
	snapshot, err := c.accounts.Account(ctx, userID, time.Now().Add(limit))
	switch {
	case err != nil:
		return known{}, err
	case snapshot.Old:
		return known{}, errUnseen
	}
	i := slices.IndexFunc(snapshot.List.Servers, func(s hostapi.Server) bool { return s.ID == serverID })
	if i < 0 {
		return known{}, goneError{}
	}
	return known{snapshot.List.Servers[i], snapshot}, nil
}

// sleep waits, and tells whether ctx lasted that long.
func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}
