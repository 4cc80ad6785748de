package world

import (
	"context"
	"slices"
	"strings"
	"testing"

	"hostbot/bot/testing/discordtest"
)

// manageGuild is the permission without which Discord does not show staff's commands.
const manageGuild = 1 << 5

// AddStaff adds somebody who is staff.
func (w *World) AddStaff(name string) *discordtest.User {
	return w.Discord.User(name, discordtest.Permissions(manageGuild), discordtest.Roles(w.support.ID))
}

// AddOutsider adds somebody to whom Discord offers staff's commands, but who is
// not staff.
func (w *World) AddOutsider(name string) *discordtest.User {
	return w.Discord.User(name, discordtest.Permissions(manageGuild))
}

// Entries returns what the log entries say, of which several may share a message,
// that have all these texts. An entry is a line, or an embed: the last line is the title of the
// first of these.
func Entries(messages []discordtest.View, texts ...string) []string {
	var entries []string
	for _, message := range messages {
		if message.Content != "" {
			entries = append(entries, strings.Split(message.Content, "\n")...)
		}
		for i, embed := range message.Embeds {
			if last := len(entries) - 1; i == 0 && last >= 0 && message.Content != "" {
				embed.Title, entries = entries[last], entries[:last]
			}
			entries = append(entries, discordtest.View{State: discordtest.Shown, Embeds: []discordtest.Embed{embed}}.Text())
		}
	}
	return slices.DeleteFunc(entries, func(entry string) bool {
		return slices.ContainsFunc(texts, func(text string) bool { return !strings.Contains(entry, text) })
	})
}

// StaffRead waits for an entry in the log channel with all these texts.
func (w *World) StaffRead(t testing.TB, texts ...string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), Patience)
	defer cancel()
	_, err := w.Channel.Await(ctx, func(v discordtest.View) bool { return len(Entries([]discordtest.View{v}, texts...)) > 0 })
	if err != nil {
		for _, m := range w.Channel.Messages() {
			t.Logf("log channel: %s", m.Text())
		}
		t.Fatalf("no entry in the log channel says all of %q", texts)
	}
}
