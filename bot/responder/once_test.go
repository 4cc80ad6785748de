package responder_test

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/rs/zerolog"

	"hostbot/bot/actions"
	"hostbot/bot/interaction"
	"hostbot/bot/responder"
	"hostbot/hostapi/redistest"
)

// serveWithout serves a press whose first response Discord may have taken, as far as this process
// knows: the first try has no answer, and the next one hears that there is a first response.
func serveWithout(h interaction.Handler, redis *actions.Actions) *discord {
	d := &discord{errs: map[string][]error{"defer update": {unavailable, answered}, "update": {unavailable, answered}}}
	router := interaction.NewRouter()
	router.Group(interaction.Everybody).Component("do", h)
	responder.New(responder.Config{
		Discord: d, Router: router, Explain: explain, Staff: &staffLog{}, Log: zerolog.Nop(),
		Observe: func(responder.Observation) {}, Interrupted: interrupted, Begin: redis.Begin,
	}).Serve(press())
	return d
}

// TestAChangeIsMadeByOneProcess has several processes get the event of a press, one after another
// dying. What changes nothing is done by each of them.
func TestAChangeIsMadeByOneProcess(t *testing.T) {
	redistest.Each(t, func(t *testing.T, address string) {
		for redraws, want := range map[bool]int64{false: 1, true: 3} {
			var done atomic.Int64
			change := func(context.Context, *interaction.Request) (interaction.Response, error) {
				response := interaction.Defer("", func(context.Context) (interaction.Response, error) {
					done.Add(1)
					return interaction.Update(say("done")), nil
				})
				if redraws {
					response.Then.Does = interaction.Redraw{}
				}
				return response, nil
			}
			told := 0
			for range 3 {
				told += serveWithout(change, actions.New(actions.Config{Redis: redistest.Connect(t, address)})).count("edit done")
			}
			if done.Load() != want || int64(told) != want {
				t.Errorf("done %d times and told %d times, want %d (it changes nothing: %t)", done.Load(), told, want, redraws)
			}
		}
	})
}

// TestAChangeNeedsACertainAcknowledgementWithoutRedis has nobody know which process may act.
func TestAChangeNeedsACertainAcknowledgementWithoutRedis(t *testing.T) {
	server := redistest.StartMiniredis(t)
	alone := actions.New(actions.Config{Redis: redistest.Connect(t, server.URL())})
	server.Stop()
	d := serveWithout(func(context.Context, *interaction.Request) (interaction.Response, error) {
		return interaction.Defer("", func(context.Context) (interaction.Response, error) {
			t.Error("it acts")
			return interaction.Update(say("done")), nil
		}), nil
	}, alone)
	if d.count("edit done") != 0 {
		t.Errorf("the caller is told %q", d.whats())
	}
}
