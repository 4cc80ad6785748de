//go:build integration

package processes_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"hostbot/bot/testing/discordtest"
)

// announcedTo returns how many messages to a customer have a text.
func announcedTo(c customer, text string) (n int) {
	for _, m := range c.InDM().Messages() {
		n += strings.Count(m.Text(), text)
	}
	return n
}

// TestKillsTellOfANoticeOnce kills the replica that leads while a notice is being announced, and another one while its end is. Nobody
// misses a message, nor gets one twice.
func TestKillsTellOfANoticeOnce(t *testing.T) {
	t.Parallel()
	w := newScene(t, instantly, discordtest.Config{})
	role := w.discord.AddRole("Support")
	environment := []string{"WATCH_INTERVAL=10s", "WATCH_RATE=100", "ADMIN_GUILD_ID=" + w.discord.GuildID(), "ADMIN_ROLE_IDS=" + role.ID}
	first, second := w.start(t, environment...), w.start(t, environment...)
	who := w.customers("announced", 12)
	for _, c := range who {
		c.Types(t, "/alerts").Press(t, "All alerts on").WaitFor(t, "Alerts are on")
	}
	const manageGuild = 1 << 5
	sam := w.discord.User("sam", discordtest.Permissions(manageGuild), discordtest.Roles(role.ID))
	saved := sam.Types(t, "/admin notice").Submit(t, discordtest.Fields{"Text": "We replace a switch", "From": "now", "Alerts for these bots": "announce"})
	saved.WaitFor(t, "Announced by direct message")
	told := func(text string) (n int) {
		for _, c := range who {
			n += min(1, announcedTo(c, text))
		}
		return n
	}
	const begins, ends = "has posted a notice", "reports that this is over"
	eventually(t, "some know that it begins", func() bool { return told(begins) > 0 })
	first.kill()
	w.start(t, environment...)
	eventually(t, "all know that it begins", func() bool { return told(begins) == len(who) })
	saved.Press(t, "End now").WaitFor(t, "Notice ended")
	eventually(t, "some know that it is over", func() bool { return told(ends) > 0 })
	second.kill()
	eventually(t, "all know that it is over", func() bool { return told(ends) == len(who) })
	w.silence(t, 2*time.Second)
	if i := slices.IndexFunc(who, func(c customer) bool { return announcedTo(c, begins) != 1 || announcedTo(c, ends) != 1 }); i >= 0 {
		t.Errorf("%s is told %d times that it begins, and %d times that it is over", who[i].Name, announcedTo(who[i], begins), announcedTo(who[i], ends))
	}
}
