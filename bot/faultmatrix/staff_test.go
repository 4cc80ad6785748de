package faultmatrix_test

import (
	"cmp"
	"context"
	"regexp"
	"strings"
	"testing"

	"hostbot/bot/discordtest"
	"hostbot/bot/e2e/world"
)

// checkStaff waits until staff have read what they should, of each action once
// and of each failure, and nothing else.
func (o outcome) checkStaff(t *testing.T, s *scene, trials []*trial) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	once := func(what string, channel *discordtest.Channel, texts ...string) {
		n := 0
		if !world.Eventually(ctx, func() bool {
			n = len(world.Entries(channel.Messages(), texts...))
			return n == 1 || n > 1 && s.tooSlow() // see package logchannel about Redis
		}) {
			t.Errorf("%s: staff read %d entries with %q", what, n, texts)
		}
	}
	some := func(channel *discordtest.Channel, text string) {
		if !world.Eventually(ctx, func() bool { return len(world.Entries(channel.Messages(), text)) > 0 }) {
			t.Errorf("staff do not read %q", text)
		}
	}
	reference := regexp.MustCompile("Reference: `([0-9A-Z]{7})`")
	for _, one := range trials {
		for _, found := range reference.FindAllStringSubmatch(one.view.Text(), -1) {
			once(one.name, s.errors, found[1])
		}
		if outcome := one.is.outcome(); one.need == acts && outcome != "" {
			once(one.name, s.actions, one.user.ID, one.title(), outcome)
		}
	}
	if o.lifecycle != "" {
		some(s.Channel, o.lifecycle)
	}
	if s.tooSlow() {
		return
	}
	said := regexp.MustCompile(cmp.Or(o.staff, "^$")) // nothing
	if o.staff != "" {
		some(s.errors, "Failure")
	}
	for _, entry := range world.Entries(s.errors.Messages(), "Failure") {
		if !said.MatchString(entry) {
			t.Errorf("staff read:\n%s", entry)
		}
	}
}

// title is what an entry about a flow's action is called.
func (f flow) title() string {
	others := map[string]string{"startup": "Startup changed", "delete": "Deletion", "create": "Creation"}
	return cmp.Or(others[f.action], strings.ToUpper(f.action[:1])+f.action[1:])
}

// outcome is what staff read of an action that ended so; empty where it never
// came to one.
func (e ending) outcome() string {
	switch {
	case e == usual:
		return "Done"
	case e == unconfirmed, e == unsettled:
		return "Not confirmed"
	case strings.HasPrefix(string(e), "failed: "):
		return "Failed"
	default:
		return ""
	}
}
