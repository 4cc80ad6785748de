//go:build integration

package processes_test

import (
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"hostbot/bot/testing/discordtest"
	"hostbot/hostapi/hostapitest"
	"hostbot/hostapi/redistest"
)

// TestARestoredBackup dumps Redis, lets customers go on, and starts the program again with what was
// dumped. configs/deploy/BACKUP.md says what is so then.
func TestARestoredBackup(t *testing.T) {
	t.Parallel()
	w := newScene(t, 8*time.Second, discordtest.Config{}) // so that a slow machine dumps while a restart is under way
	w.order(t, "CONFIG SET repl-diskless-sync-delay 0")   // or a dump waits for 5 s for another one
	environment := []string{"WATCH_INTERVAL=10s", "WATCH_RATE=100", "DISCORD_SHARDS=2"}
	before := w.start(t, environment...)

	kept, ended, late, down := w.managers("kept", 1)[0], w.managers("ended", 1)[0], w.managers("late", 1)[0], w.managers("down", 1)[0]
	acted := w.customers("acted", 3) // before the dump, during it and after it
	w.alerted(t, []customer{kept, ended, down})
	w.paneled(t, []customer{kept, ended})
	restarted := allRestart(t, acted[:1])
	settled(restarted)
	w.looksAt(t, kept, ended, down)
	eventually(t, "the first restart is logged", func() bool { return w.logged(acted[0].bot) == 1 })
	restarted = append(restarted, allRestart(t, acted[1:2])...)
	w.service.WaitFor(t, hostapitest.OpRestart, 2)
	dump := w.dump(t)

	restarted = append(restarted, allRestart(t, acted[2:])...)
	ended.InDM().Types(t, "/alerts").Press(t, "All alerts off").WaitFor(t, "Alerts are off")
	ended.Types(t, "/panel").Choose(t, "Manage a panel", "1. Bot status").Press(t, "Remove panel").Press(t, "Remove panel").WaitFor(t, "The panel was removed")
	w.alerted(t, []customer{late})
	w.paneled(t, []customer{late})
	w.service.SetStatus(down.ID, down.bot, hostapitest.Crashed)
	eventually(t, "the crash is told", func() bool { return alertsOf(down) == 1 })
	for i, v := range settled(restarted) {
		if !v.Contains("✅ Restarted") {
			t.Errorf("restart %d: %.100q", i, v.Text())
		}
	}
	eventually(t, "all restarts are logged", func() bool { return w.logged(acted[1].bot) == 1 && w.logged(acted[2].bot) == 1 })
	_ = before.cmd.Process.Signal(syscall.SIGTERM)
	<-before.ended

	sent := w.service.Count(hostapitest.OpRestart)
	w.discord.ForgetNonces() // a backup is older than these
	w.start(t, append(environment, "REDIS_URL="+redistest.StartRestoredRedis(t, dump).URL())...)
	eventually(t, "what ran is reported", func() bool { return w.logged(acted[1].bot) == 2 })
	for _, c := range []customer{kept, ended, late} {
		w.service.SetStatus(c.ID, c.bot, hostapitest.Crashed)
	}
	eventually(t, "who has alerts, or had them then, is told", func() bool {
		return alertsOf(kept) == 1 && alertsOf(ended) == 1 && alertsOf(down) == 2
	})
	w.silence(t, 5*time.Second)

	if n := w.service.Count(hostapitest.OpRestart); n != sent || n != len(acted) {
		t.Errorf("the service was sent %d restarts by %d customers, %d of them before", n, len(acted), sent)
	}
	if since, unknown := alertsOf(down), alertsOf(late); since != 2 || unknown != 0 {
		t.Errorf("a crash since the dump is told %d times; one of whom alerts are not known, %d times", since, unknown)
	}
	w.restoredActions(t, acted, restarted)
	w.restoredPanels(t, kept, ended, late)
}

// restoredActions looks at what staff and customers read of actions that had ended before the dump, ran
// during it, and began after it.
func (w *scene) restoredActions(t *testing.T, acted []customer, restarted []*discordtest.Reply) {
	t.Helper()
	read := texts(w.actions)
	if w.logged(acted[0].bot) != 1 || w.logged(acted[2].bot) != 1 {
		t.Errorf("staff read again of what had ended: %q", read)
	}
	if strings.Count(read, "Not confirmed · the process running it crashed") != 1 {
		t.Errorf("staff do not read once that what ran is not confirmed: %q", read)
	}
	for i, r := range restarted { // a message that shows an end is left as it is
		if v := r.View(); !v.Contains("✅ Restarted") {
			t.Errorf("customer %d does not read how it ended, but %.150q", i, v.Text())
		}
	}
}

// restoredPanels looks at the panel of one who kept it, of one who had removed it, and of one who
// posted it after the dump.
func (w *scene) restoredPanels(t *testing.T, kept, ended, late customer) {
	t.Helper()
	channel := w.discord.Channels()[0]
	eventually(t, "the panel that is there is true", func() bool { return len(channel.Messages()) == 2 && channel.Messages()[0].Contains("Crashed") })
	eventually(t, "the panel that was removed is forgotten", func() bool {
		return ended.Types(t, "/panel").WaitFor(t, "panel").Contains("You don't have a public panel yet")
	})
	late.Types(t, "/panel").WaitFor(t, "You don't have a public panel yet")
	late.Presses(t, channel.Messages()[1], "Manage").WaitFor(t, "I've stopped updating this panel")
	if posted := len(channel.Messages()); posted != 2 {
		t.Errorf("%d panels are there", posted)
	}
	kept.Types(t, "/panel").WaitFor(t, "Your public panels")
}

// looksAt waits until each of some accounts was looked at twice more: one look may have been under way.
func (w *scene) looksAt(t *testing.T, who ...customer) {
	t.Helper()
	enough := make([]int, len(who))
	for i, c := range who {
		enough[i] = w.looks(c) + 2
	}
	for i, c := range who {
		eventually(t, c.Name+" is looked at", func() bool { return w.looks(c) >= enough[i] })
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

// dump saves what Redis holds, as configs/deploy/BACKUP.md says, and returns the file's path.
func (w *scene) dump(t *testing.T) (path string) {
	t.Helper()
	if _, err := exec.LookPath("redis-cli"); err != nil {
		t.Fatal("redis-cli is not in PATH: install redis-tools")
	}
	path = filepath.Join(t.TempDir(), "hostbot.rdb")
	if said, err := exec.Command("redis-cli", "-u", w.redis.URL(), "--rdb", path).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	return path
}
