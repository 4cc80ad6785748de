package e2e_test

import (
	"cmp"
	"context"
	"regexp"
	"strings"
	"testing"

	"hostbot/bot/discordtest"
)

// checkStaff waits until staff have read what they should, of each action once
// and of each failure, and nothing else.
func (x fault) checkStaff(t *testing.T, b *broken, trials []*trial) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	once := func(n int) bool { return n == 1 || n > 1 && b.tooSlow() } // see package logchannel about Redis
	for _, one := range trials {
		for _, found := range reference.FindAllStringSubmatch(one.view.Text(), -1) {
			if !eventually(ctx, func() bool { return once(count(b.errors, found[1])) }) {
				t.Errorf("%s: staff read %d entries with the reference %s", one.name, count(b.errors, found[1]), found[1])
			}
		}
		outcome, title := one.is.outcome(), one.title()
		if one.need == acts && outcome != "" && !eventually(ctx, func() bool { return once(count(b.actions, one.user.ID, title, outcome)) }) {
			t.Errorf("%s: staff read %d entries of %s by %s", one.name, count(b.actions, one.user.ID, title, outcome), outcome, one.user.ID)
		}
	}
	if x.lifecycle != "" && !eventually(ctx, func() bool { return count(b.lifecycle, x.lifecycle) > 0 }) {
		t.Errorf("staff do not read %q", x.lifecycle)
	}
	if b.tooSlow() {
		return
	}
	said := regexp.MustCompile(cmp.Or(x.staff, "^$")) // nothing
	if x.staff != "" && !eventually(ctx, func() bool { return count(b.errors, "Failure") > 0 }) {
		t.Errorf("staff do not read of failures with %q", x.staff)
	}
	for _, e := range b.errors.Embeds() {
		if text := embedText(e); strings.Contains(text, "Failure") && !said.MatchString(text) {
			t.Errorf("staff read:\n%s", text)
		}
	}
}

// title is what an entry about a flow's action is called.
func (f flow) title() string {
	switch f.action {
	case "":
		return ""
	case "startup":
		return "Startup changed"
	case "delete":
		return "Deletion"
	case "create":
		return "Creation"
	default:
		return strings.ToUpper(f.action[:1]) + f.action[1:]
	}
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

// count is how many entries in a channel have all these texts.
func count(ch *discordtest.Channel, texts ...string) int {
	n := 0
	for _, e := range ch.Embeds() {
		has := true
		for _, text := range texts {
			has = has && strings.Contains(embedText(e), text)
		}
		if has {
			n++
		}
	}
	return n
}

func embedText(e discordtest.Embed) string {
	return discordtest.View{State: discordtest.Shown, Embeds: []discordtest.Embed{e}}.Text()
}
