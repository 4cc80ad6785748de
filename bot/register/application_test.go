package register_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hostbot/bot/discordtest"
	"hostbot/bot/register"
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

// Staff read where interactions go, without what may be secret in the address.
func TestInteractionsThatGoElsewhere(t *testing.T) {
	s := newStage(t)
	s.discord.SetApplication(discordtest.ApplicationSettings{Installs: []int{0}, InteractionsEndpointURL: "https://user:pass@old.example.com/hook?key=1"})
	r := s.registrar()
	for range 2 {
		if err := r.Sync(t.Context(), []register.Scope{in("", customers())}); err != nil {
			t.Fatal(err)
		}
	}
	told := slices.DeleteFunc(s.staff.all(), func(text string) bool { return text == "updated" })
	if len(told) != 1 || told[0] != "elsewhere: old.example.com" {
		t.Errorf("staff read %q", told)
	}
}

// The command that opens the application's Activity is not ours.
func TestTheEntryPointCommandIsKept(t *testing.T) {
	s := newStage(t)
	s.discord.SetApplication(discordtest.ApplicationSettings{Installs: []int{0, 1}, Activities: true})
	before := s.discord.CommandsIn("")[0]
	check := func(names string) {
		t.Helper()
		if got := s.names(""); got != names {
			t.Errorf("the global list has %q, want %q", got, names)
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
	s.sync(t, in("", customers()))
	check("bot launch plan")
	s.sync(t, in(s.discord.GuildID(), customers()))
	check("launch")
	if got := s.names(s.discord.GuildID()); got != "bot plan" {
		t.Errorf("the guild has %q", got)
	}
	s.sync(t, in("", customers()))
	check("bot launch plan")
	if told := strings.Join(s.staff.all(), " "); strings.Contains(told, "refused") {
		t.Errorf("staff read %s", told)
	}
}
