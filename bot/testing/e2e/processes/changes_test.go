//go:build integration

package processes_test

import (
	"testing"
	"time"

	"hostbot/bot/testing/discordtest"
	"hostbot/hostapi/hostapitest"
)

// TestAChangeTakesEffectOnce has two replicas get each event, and again once one of them has been
// killed and a third has come. Neither learns whether Discord has taken its first response: both
// hear a 502, and then that there is one. So only Redis tells them which may act.
func TestAChangeTakesEffectOnce(t *testing.T) {
	t.Parallel()
	w := newScene(t, instantly, discordtest.Config{})
	f := &referee{}
	f.judge(nil, nil)
	first := w.start(t, f.line(t, w, 1))
	w.start(t, f.line(t, w, 2), "DISCORD_SHARDS=2") // which is another set of shards
	who, channel := w.managers("anna", 8), w.discord.AddChannel("panels")
	var sent, panels, alerts, forms []*discordtest.Reply
	for _, c := range who {
		list := c.In(channel).Types(t, "/panel")
		list.WaitFor(t, "You don't have a public panel yet")
		panels = append(panels, list.Choose(t, "Choose bots for a panel here", "Shop"))
		alerts = append(alerts, c.Types(t, "/alerts"))
		alerts[len(alerts)-1].WaitFor(t, "All alerts on")
		forms = append(forms, c.Types(t, "/bot create").Press(t, "Continue"))
	}
	w.silence(t, time.Second)
	f.judge(map[int]bool{1: true, 2: true, 3: true}, nil)
	for i := range who {
		sent = append(sent,
			panels[i].Submit(t, nil),
			alerts[i].Press(t, "All alerts on"),
			forms[i].Submit(t, discordtest.Fields{"name": "Radio"}))
	}
	judge := func(when string) {
		t.Helper()
		w.silence(t, 2*time.Second)
		if n := w.service.Count(hostapitest.OpCreate); n != len(who) {
			t.Errorf("%s: %d bots were created for %d forms", when, n, len(who))
		}
		posted, told := len(channel.Messages()), 0
		for _, c := range who {
			told += len(c.InDM().Messages())
		}
		if posted != len(who) || told != len(who) {
			t.Errorf("%s: %d panels were posted, and %d customers were told in a direct message that alerts are on, of %d", when, posted, told, len(who))
		}
	}
	judge("given to two replicas")
	first.kill()
	w.waitServing(t, w.start(t, f.line(t, w, 3)))
	for _, reply := range sent {
		w.discord.Redeliver(reply)
	}
	judge("given again after one was killed")
	if drafts := w.redisClient(t).Keys(t.Context(), "*draft:*").Val(); len(drafts) > 0 {
		t.Errorf("drafts stay of forms that went well: %q", drafts)
	}
}
