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

// follow looks at a bot with growing pauses until it has come to rest. It
// returns the bot as it was last seen.
func (c *Commands) follow(ctx context.Context, userID string, s hostapi.Server) (hostapi.Server, error) {
	deadline := time.Now().Add(followLimit)
	for pause := firstPause; !conditionOf(s.Status).settled(); pause = min(2*pause, longestPause) {
		if time.Now().Add(pause).After(deadline) || !sleep(ctx, pause) {
			return s, errUnsettled
		}
		c.accounts.Expire(ctx, userID)
		snapshot, err := c.accounts.Account(ctx, userID, deadline)
		if err != nil || snapshot.Old {
			continue // the service may yet answer
		}
		i := slices.IndexFunc(snapshot.List.Servers, func(other hostapi.Server) bool { return other.ID == s.ID })
		if i < 0 {
			return s, goneError{}
		}
		s = snapshot.List.Servers[i]
	}
	return s, nil
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
