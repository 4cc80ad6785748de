package processes_test

import (
	"strings"
	"testing"
	"time"

	"hostbot/bot/discordtest"
	"hostbot/bot/e2e/world"
	"hostbot/bot/keyspace"
	"hostbot/hostapi/hostapitest"
)

// TestForgottenWhileLookedAtStaysForgotten has customers turn alerts off and remove their panels,
// and staff remove what is kept of others, while the service is being asked for their bots, which
// have crashed. What comes of that look must not bring anything back.
func TestForgottenWhileLookedAtStaysForgotten(t *testing.T) {
	if !world.Everything() {
		t.Skip("runs with TEST_EVERYTHING=1") // it waits for several looks
	}
	t.Parallel()
	w := newScene(t, instantly, discordtest.Config{})
	w.order(t, "CONFIG SET rdbcompression no") // for DUMP, by which a test reads keys
	const manageGuild = 1 << 5
	sam := w.discord.User("sam", discordtest.Permissions(manageGuild))
	w.start(t, "WATCH_INTERVAL=10s", "WATCH_RATE=100", "ADMIN_GUILD_ID="+w.discord.GuildID(), "ADMIN_USER_IDS="+sam.ID)
	who := w.managers("c", 7)
	witness, off, flushed := who[0], who[1:4], who[4:]
	w.alerted(t, who)
	w.paneled(t, who)
	looks := func(n int) {
		t.Helper()
		before := w.looks(witness)
		eventually(t, "somebody else is looked at", func() bool { return w.looks(witness) >= before+n })
	}
	looks(2) // as they are now

	press := make(map[string]func())
	for _, c := range off {
		alerts, panels := c.InDM().Types(t, "/alerts"), c.Types(t, "/panel")
		press[c.ID] = func() {
			alerts.Press(t, "Off for all").WaitFor(t, "Alerts are off")
			panels.Choose(t, "Remove a panel", "Panel 1").WaitFor(t, "The panel was removed")
		}
	}
	for _, c := range flushed {
		asked := sam.Types(t, "/admin flush", discordtest.Options{"user": c.User})
		press[c.ID] = func() { asked.Press(t, "Remove all of it").WaitFor(t, "is forgotten") }
	}
	w.service.Fail(hostapitest.OpList, hostapitest.Fault{Delay: 4 * time.Second}, 0)
	before, pressed := make(map[string]int), make(map[string]time.Time)
	for _, c := range who {
		before[c.ID] = w.looks(c)
		w.service.SetStatus(c.ID, c.bot, hostapitest.Crashed)
	}
	eventually(t, "each was pressed during a look", func() bool {
		for _, c := range append(off, flushed...) {
			if now := press[c.ID]; now != nil && w.looks(c) > before[c.ID] {
				now()
				delete(press, c.ID)
				pressed[c.ID] = time.Now()
			}
		}
		return len(press) == 0
	})
	w.service.ClearFaults()
	looks(2) // by then what was under way has ended, also the drawing of panels
	ended := time.Now()
	looks(2)

	told, looked := 0, 0
	for _, c := range append(off, flushed...) {
		for _, at := range w.alertsAt(c) {
			if at.Sub(pressed[c.ID]) > time.Second { // what was being sent is sent
				told++
			}
		}
		for _, r := range w.service.Requests() {
			if r.UserID == c.ID && r.At.After(ended) {
				looked++
			}
		}
	}
	cached, space := 0, keyspace.Space(w.discord.ApplicationID())
	for _, c := range flushed {
		cached += int(w.redisClient(t).Exists(t.Context(), space.Key("v5:account:{"+c.ID+"}:last")).Val())
	}
	left := 0
	for _, key := range w.keysNaming(t, append(off, flushed...)) {
		t.Log("left: " + key)
		left++
	}
	within(t, "forgotten during a look: messages afterwards", told)
	within(t, "forgotten during a look: looks afterwards", looked)
	within(t, "forgotten during a look: keys left", left)
	within(t, "forgotten during a look: accounts that are cached again", cached)
	within(t, "forgotten during a look: panels left", len(w.discord.Channels()[0].Messages())-1) // but for the witness's
	if alertsOf(witness) != 1 {
		t.Errorf("the witness reads of the crash %d times", alertsOf(witness))
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
// customers. README.md says which few stay for a while.
func (w *scene) keysNaming(t *testing.T, who []customer) (named []string) {
	t.Helper()
	client := w.redisClient(t)
	keys, err := client.Keys(t.Context(), "*").Result()
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range keys {
		stays := strings.Contains(key, "{alerts}:customer:") || strings.Contains(key, "{watch}:falls:")
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
