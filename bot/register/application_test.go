package register_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hostbot/bot/discordtest"
)

// TestInstallationContexts: what is demanded is what the application allows, which
// changes between starts.
func TestInstallationContexts(t *testing.T) {
	s := newStage(t)
	for _, step := range []struct {
		name                      string
		installs, types, contexts []int
	}{
		{"both", []int{0, 1}, []int{0, 1}, []int{0, 1, 2}},
		{"guilds alone", []int{0}, []int{0}, []int{0, 1}},
		{"users alone", []int{1}, []int{1}, []int{0, 1, 2}},
	} {
		t.Run(step.name, func(t *testing.T) {
			s.discord.SetApplication(discordtest.ApplicationSettings{Installs: step.installs})
			s.sync(t, in("", customers()))
			for _, c := range s.discord.CommandsIn("") {
				if diff := cmp.Diff([][]int{step.types, step.contexts}, [][]int{c.IntegrationTypes, c.Contexts}); diff != "" {
					t.Errorf("integration types and contexts of /%s (-want +got):\n%s", c.Name, diff)
				}
			}
		})
	}
}

// TestEntryPointCommandIsKept: the command that opens the application's Activity
// is not ours.
func TestEntryPointCommandIsKept(t *testing.T) {
	s := newStage(t)
	s.discord.SetApplication(discordtest.ApplicationSettings{Installs: []int{0, 1}, Activities: true})
	before := s.discord.CommandsIn("")[0]
	for _, step := range []struct{ guildID, global string }{
		{"", "bot launch plan"}, {s.discord.GuildID(), "launch"}, {"", "bot launch plan"},
	} {
		s.sync(t, in(step.guildID, customers()))
		if got := s.names(""); got != step.global {
			t.Errorf("the global list has %q, want %q", got, step.global)
		}
		there := s.discord.CommandsIn("")
		i := slices.IndexFunc(there, func(c discordtest.Command) bool { return c.Type == discordtest.EntryPointCommand })
		if i < 0 {
			t.Fatal("the Entry Point command is gone")
		}
		after := there[i]
		after.Version, after.DMPermission = before.Version, before.DMPermission
		if diff := cmp.Diff(before, after); diff != "" {
			t.Errorf("the Entry Point command (-before +after):\n%s", diff)
		}
	}
}
