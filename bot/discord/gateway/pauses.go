package gateway

import (
	"math/rand/v2"
	"time"

	"github.com/cenkalti/backoff/v5"
)

const (
	// The pauses between attempts double from minPause to maxPause, with jitter, until
	// a connection was established, or has waited for its turn for longer than maxPause.
	minPause = 200 * time.Millisecond
	maxPause = time.Minute
	// maxUnreached bounds them while Discord is not reached at all: an attempt costs nothing of
	// Discord's then, and customers wait for the one that succeeds.
	maxUnreached = 15 * time.Second
	// minCycle is from the beginning of a connection to the next one, at least, where that
	// connection and the one before it were over sooner although they were established. So a Discord
	// that sends READY or RESUMED and closes at once, again and again, is met with one
	// connection a second. disgo waits for a second before each, discord.js for half of
	// one; twilight does not wait after a connection that was made. The first of them is
	// replaced soon: customers' interactions wait for that.
	minCycle = time.Second
	// Where sessions last for less than earlyEnd, the pauses before the next ones double
	// from minPause to earlyEnd, whether or not connections were established: each session costs one
	// of the 1,000 IDENTIFYs that Discord allows in a day, of which a shard by itself
	// spends no more than about 720 then.
	earlyEnd = 2 * time.Minute
)

func newPauses(most time.Duration) *backoff.ExponentialBackOff {
	pauses := backoff.NewExponentialBackOff()
	pauses.InitialInterval, pauses.MaxInterval, pauses.Multiplier, pauses.RandomizationFactor = minPause, most, 2, 0.5
	return pauses
}

// pause returns how long to wait after a connection, or an attempt at one, that began at
// started and ended for a reason.
func (g *Gateway) pause(started time.Time, reached state, reason error) time.Duration {
	lasted := time.Since(started)
	if reached == established || lasted > maxPause {
		g.again.Reset()
	}
	pause := g.again.NextBackOff()
	if reached == connecting {
		pause = min(pause, maxUnreached-rand.N(maxUnreached/2))
	}
	brief := reached == established && lasted < minCycle
	if brief && g.brief {
		pause += minCycle - lasted
	}
	g.brief = brief
	if begun := g.begun.Load(); begun > 0 && g.Session().ID == "" {
		g.begun.Store(0)
		if time.Since(time.Unix(0, begun)) >= earlyEnd {
			g.anew.Reset()
		}
		pause = max(pause, g.anew.NextBackOff())
	}
	return max(pause, g.delayOf(reason))
}
