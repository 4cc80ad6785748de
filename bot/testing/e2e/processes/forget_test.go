//go:build integration

package processes_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"hostbot/bot/store/keyspace"
	"hostbot/bot/testing/discordtest"
	"hostbot/bot/testing/e2e/world"
	"hostbot/hostapi/hostapitest"
)

// forgetting is a scene in which customers, and staff, have the bot forget what it watches.
type forgetting struct {
	*scene
	witness customer // who goes on being watched
	off     []customer
	flushed []customer
	gone    []customer           // both of these
	press   map[string]func()    // what has the bot forget a customer, by the ID
	pressed map[string]time.Time // when that was done
}

func newForgetting(t *testing.T) *forgetting {
	t.Helper()
	w := newScene(t, instantly, discordtest.Config{})
	w.order(t, "CONFIG SET rdbcompression no") // for DUMP, by which a test reads keys
	const manageGuild = 1 << 5
	sam := w.discord.User("sam", discordtest.Permissions(manageGuild))
	w.start(t, "WATCH_INTERVAL=10s", "WATCH_RATE=100", "ADMIN_GUILD_ID="+w.discord.GuildID(), "ADMIN_USER_IDS="+sam.ID)
	who := w.managers("c", 7)
	f := &forgetting{
		scene: w, witness: who[0], off: who[1:4], flushed: who[4:], gone: who[1:],
		press: make(map[string]func()), pressed: make(map[string]time.Time),
	}
	w.alerted(t, who)
	w.paneled(t, who)
	f.awaitLooks(t, 2) // as they are now
	for _, c := range f.off {
		alerts, panels := c.InDM().Types(t, "/alerts"), c.Types(t, "/panel")
		f.press[c.ID] = func() {
			alerts.Press(t, "All alerts off").WaitFor(t, "Alerts are off")
			panels.Choose(t, "Manage a panel", "1. Status of the bots").Press(t, "Remove panel").WaitFor(t, "The panel was removed")
		}
	}
	for _, c := range f.flushed {
		asked := sam.Types(t, "/admin forget", discordtest.Options{"user": c.User})
		f.press[c.ID] = func() { asked.Press(t, "Remove everything").WaitFor(t, "was removed") }
	}
	return f
}

// awaitLooks waits until the witness was looked at so many times more.
func (f *forgetting) awaitLooks(t *testing.T, n int) {
	t.Helper()
	before := f.looks(f.witness)
	eventually(t, "somebody else is looked at", func() bool { return f.looks(f.witness) >= before+n })
}

// TestForgottenWhileLookedAtStaysForgotten has customers turn alerts off and remove their panels,
// and staff remove what is kept of others, while the service is being asked for their bots, which
// have crashed. What comes of that look must not bring anything back.
func TestForgottenWhileLookedAtStaysForgotten(t *testing.T) {
	if !world.Everything() {
		t.Skip("runs with TEST_EVERYTHING=1") // it waits for several looks
	}
	t.Parallel()
	f := newForgetting(t)
	f.service.Fail(hostapitest.OpList, hostapitest.Fault{Delay: 4 * time.Second}, 0)
	before := make(map[string]int)
	for _, c := range append(slices.Clip(f.gone), f.witness) {
		before[c.ID] = f.looks(c)
		f.service.SetStatus(c.ID, c.bot, hostapitest.Crashed)
	}
	eventually(t, "each was pressed during a look", func() bool {
		for _, c := range f.gone {
			if f.pressed[c.ID].IsZero() && f.looks(c) > before[c.ID] {
				f.press[c.ID]()
				f.pressed[c.ID] = time.Now()
			}
		}
		return len(f.pressed) == len(f.gone)
	})
	f.service.ClearFaults()
	f.awaitLooks(t, 2) // by then what was under way has ended, also the drawing of panels
	ended := time.Now()
	f.awaitLooks(t, 2)
	f.judge(t, ended)
}

// judge counts what is left of those who are forgotten, and what came of them since a time.
func (f *forgetting) judge(t *testing.T, since time.Time) {
	t.Helper()
	told, looked, cached := 0, 0, 0
	client, space := f.redisClient(t), keyspace.Space(f.discord.ApplicationID())
	for _, c := range f.gone {
		for _, at := range f.alertsAt(c) {
			if at.Sub(f.pressed[c.ID]) > time.Second { // what was being sent is sent
				told++
			}
		}
		for _, r := range f.service.Requests() {
			if r.UserID == c.ID && r.At.After(since) {
				looked++
			}
		}
	}
	for _, c := range f.flushed {
		cached += int(client.Exists(t.Context(), space.Key("v6:account:{"+c.ID+"}:last")).Val())
	}
	left := f.keysNaming(t, f.gone)
	t.Logf("left: %q", left)
	within(t, "forgotten during a look: messages afterwards", told)
	within(t, "forgotten during a look: looks afterwards", looked)
	within(t, "forgotten during a look: keys left", len(left))
	within(t, "forgotten during a look: accounts that are cached again", cached)
	within(t, "forgotten during a look: panels left", len(f.discord.Channels()[0].Messages())-1) // but for the witness's
	if n := alertsOf(f.witness); n != 1 {
		t.Errorf("the witness reads of the crash %d times", n)
	}
}

// looks is how often the service was asked for a customer's bots.
func (w *scene) looks(c customer) (n int) {
	for _, r := range w.service.Requests() {
		if r.Operation == hostapitest.OpList && r.UserID == c.ID {
			n++
		}
	}
	return n
}

// keysNaming returns the keys of what is watched, alerted and shown that name one of some
// customers. configs/deploy/PRIVACY.md says which few stay for a while.
func (w *scene) keysNaming(t *testing.T, who []customer) (named []string) {
	t.Helper()
	client := w.redisClient(t)
	keys, err := client.Keys(t.Context(), "*").Result()
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range keys {
		stays := strings.Contains(key, "{alerts}:customer:") || strings.Contains(key, "{watch}:outage")
		if watches := strings.Contains(key, "{watch}") || strings.Contains(key, "{alerts}") || strings.Contains(key, "{panels}"); stays || !watches {
			continue
		}
		for _, c := range who {
			if strings.Contains(key+client.Dump(t.Context(), key).Val(), c.ID) {
				named = append(named, key)
				break
			}
		}
	}
	return named
}
