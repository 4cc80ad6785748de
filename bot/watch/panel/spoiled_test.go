package panel_test

import (
	"testing"

	"hostbot/bot/watch/panel"
	"hostbot/bot/watch/watcher"
	"hostbot/hostapi/redistest"
)

// TestWhatMakesNoSenseKeepsNobodyElseBack has Redis hold something else than a panel's record. Another customer's panel follows its bots all the same.
func TestWhatMakesNoSenseKeepsNobodyElseBack(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]string{
		"a record that is no JSON":  "redis.call('HSET', 'hostbot:{panels}:record:100', 'r', '{')",
		"a record that is no panel": "redis.call('HSET', 'hostbot:{panels}:record:100', 'r', '5')",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			redistest.EachServer(t, func(t *testing.T, server *redistest.Server) {
				s := newScene(t, server.URL())
				p, _ := s.replica()
				odd := s.made("100")
				odd.OwnerID = "1"
				for _, own := range []panel.Panel{odd, s.made("1001")} {
					if posted, err := p.Create(t.Context(), own); err != nil || !posted {
						t.Fatalf("Create() = %v, %v", posted, err)
					}
				}
				if err := redistest.Connect(t, server.URL()).Eval(t.Context(), spoil+" return 1", nil).Err(); err != nil {
					t.Fatal(err)
				}
				s.state.Store("crashed")
				if err := p.Changed(t.Context(), []watcher.Change{{CustomerID: "1", ServerID: "shop"}}); err != nil {
					t.Error(err)
				}
				s.show(p, "crashed")
				s.channel.WaitFor(t, "shop radio: crashed")
			})
		})
	}
}
