package responder_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"
)

// TestFirstResponsesCountSinceDiscordSentTheInteraction, whatever Discord's clock shows, once there
// is another one to compare with.
func TestFirstResponsesCountSinceDiscordSentTheInteraction(t *testing.T) {
	type sent struct {
		after, onTheWay time.Duration
		want            time.Duration // of the first response, which the process itself gives after 20 ms
	}
	const took = 20 * ms
	for name, interactions := range map[string][]sent{
		"soon":          {{0, 50 * ms, took}, {time.Second, 60 * ms, took + 10*ms}, {time.Second, 40 * ms, took}},
		"waiting":       {{0, 50 * ms, took}, {time.Second, 2550 * ms, took + 2500*ms}, {time.Second, 50 * ms, took}},
		"the first one": {{0, 2500 * ms, took}, {time.Second, 50 * ms, took}, {time.Second, 2550 * ms, took + 2500*ms}},
		"after an hour": {{0, 50 * ms, took}, {time.Hour, 1050 * ms, took + time.Second}},
		"after long":    {{0, 50 * ms, took}, {2 * time.Hour, 1050 * ms, took}},
		"a way that has become longer": {{0, 50 * ms, took}, {40 * time.Minute, 1050 * ms, took + time.Second},
			{20 * time.Minute, 1050 * ms, took + time.Second}, {31 * time.Minute, 1050 * ms, took}},
	} {
		for _, wrong := range []time.Duration{0, 10 * time.Second, -10 * time.Second, 9 * time.Hour} {
			t.Run(fmt.Sprint(name, ", ", wrong), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					<-time.After(16 * 365 * 24 * time.Hour) // Discord's IDs begin with 2015
					s := newResponder(slow(took, reply("hello")), &discord{})
					for i, one := range interactions {
						<-time.After(one.after)
						s.Serve(sentBefore(one.onTheWay-wrong, command()))
						if got := s.observed[i].First; got != one.want {
							t.Errorf("interaction %d: a first response after %v, want %v", i, got, one.want)
						}
					}
				})
			})
		}
	}
}
