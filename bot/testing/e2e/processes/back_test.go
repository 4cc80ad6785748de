//go:build integration

package processes_test

import (
	"testing"
	"time"

	"hostbot/bot/testing/discordtest"
)

// outage is how long Discord, or a permission, is away in the tests of this file: by then pauses between
// attempts that double from a second are half a minute.
const outage = 40 * time.Second

// TestACallThatSucceedsWakesAllThatWait for Discord, which has answered no call for a while: the customer
// and staff are yet to be told how an action ended.
func TestACallThatSucceedsWakesAllThatWait(t *testing.T) {
	t.Parallel()
	w := newScene(t, time.Second, discordtest.Config{})
	w.start(t)
	who := w.customers("c", 2)
	card := who[0].Types(t, "/bot show", discordtest.Options{"bot": who[0].bot}).Press(t, "Restart")
	card.WaitFor(t, "Restarting **")
	back := w.discord.Inject(discordtest.Fault{Reset: true})
	<-time.After(outage)
	back()
	who[1].Types(t, "/bot list").WaitFor(t, "🟢 Shop")
	soon := time.Now().Add(5 * time.Second)
	eventually(t, "the customer reads how it ended", func() bool { return card.View().Contains("✅ Restarted") })
	eventually(t, "staff read of it", func() bool { return w.logged(who[0].bot) == 1 })
	if late := time.Since(soon); late > 0 {
		t.Errorf("they were told %v after Discord was back, which is %v too late", late+5*time.Second, late)
	}
}

// TestALogChannelTakesEntriesSoonAfterItsPermissionIsBack, however long it was missing.
func TestALogChannelTakesEntriesSoonAfterItsPermissionIsBack(t *testing.T) {
	t.Parallel()
	const sendMessages = 1 << 11
	w := newScene(t, instantly, discordtest.Config{})
	w.start(t)
	w.actions.Deny(sendMessages)
	who := w.customers("c", 1)
	settled(allRestart(t, who))
	<-time.After(outage)
	w.actions.Grant(sendMessages)
	granted := time.Now()
	eventually(t, "staff read of it", func() bool { return w.logged(who[0].bot) == 1 })
	if took := time.Since(granted); took > 15*time.Second {
		t.Errorf("the channel took the entry %v after the permission was back", took)
	}
}
