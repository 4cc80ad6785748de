package gateway

import (
	"math/rand/v2"
	"time"

	"github.com/cenkalti/backoff/v5"
)

const (
	// The pauses between attempts double from minPause to maxPause, with jitter. They start over after a
	// connection that was established, or that lasted for maxPause.
	minPause = 200 * time.Millisecond
	maxPause = time.Minute
	// maxUnreached bounds the pauses while Discord is not reached at all: attempts are cheap then, and customers
	// wait.
	maxUnreached = 15 * time.Second
	// minCycle is the least time from one connection to the next if two in a row were established and lasted
	// less than that. So if Discord sends READY or RESUMED and closes at once, again and again, there is one
	// connection a second. The first such connection is replaced sooner, as customers wait. (disgo waits a
	// second before each, discord.js half a second, twilight not at all.)
	minCycle = time.Second
	// If sessions last less than earlyEnd, the pauses before the next ones double from minPause to earlyEnd, even
	// if connections were established. Each session costs one of the day's 1,000 IDENTIFYs; a shard spends at
	// most about 720 of them in this way.
	earlyEnd = 2 * time.Minute
)

func newPauses(most time.Duration) *backoff.ExponentialBackOff {
	return &backoff.ExponentialBackOff{InitialInterval: minPause, MaxInterval: most, Multiplier: 2, RandomizationFactor: 0.5}
}

// pause returns how long to wait after a connection, or an attempt at one.
func (g *Gateway) pause(started time.Time, reached state, reason error) time.Duration {
	lasted := time.Since(started)
	if reached == established || lasted > maxPause {
		g.reconnects.Reset()
	}
	pause := g.reconnects.NextBackOff()
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
			g.restarts.Reset()
		}
		pause = max(pause, g.restarts.NextBackOff())
	}
	return max(pause, g.delayOf(reason))
}
