package register_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hostbot/bot/discordtest"
	"hostbot/bot/register"
)

// What is demanded is what the application allows.
func TestInstallationContexts(t *testing.T) {
	for name, tc := range map[string]struct {
		installs        []int
		types, contexts []int // nil: not sent
	}{
		"both":         {[]int{0, 1}, []int{0, 1}, []int{0, 1, 2}},
		"guilds alone": {[]int{0}, []int{0}, []int{0, 1}},
		"users alone":  {[]int{1}, []int{1}, []int{0, 1, 2}},
		"not said":     {nil, nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t)
			s.discord.SetApplication(discordtest.ApplicationSettings{Installs: tc.installs})
			s.sync(t, in("", customers()))
			for _, c := range s.discord.CommandsIn("") {
				if diff := cmp.Diff([][]int{tc.types, tc.contexts}, [][]int{c.IntegrationTypes, c.Contexts}); diff != "" {
					t.Errorf("integration types and contexts of /%s (-want +got):\n%s", c.Name, diff)
				}
			}
		})
	}
}

// Without the application the commands are registered for where Discord has them
// by default, and as they should be once it was read.
func TestAnApplicationThatCannotBeRead(t *testing.T) {
	s := newStage(t)
	s.discord.Inject(discordtest.Fault{Method: http.MethodGet, Route: discordtest.RouteApplication, Status: 500, Times: 2})
	r, wanted := s.registrar(), []register.Scope{in("", customers())}
	for range 2 {
		if err := r.Sync(t.Context(), wanted); err == nil {
			t.Error("no error")
		}
	}
	if there := s.discord.CommandsIn(""); len(there) != 2 || there[0].IntegrationTypes != nil || s.writes() != 1 {
		t.Errorf("%d overwrites made the list %+v", s.writes(), there)
	}
	if err := r.Sync(t.Context(), wanted); err != nil {
		t.Fatal(err)
	}
	if there := s.discord.CommandsIn(""); !slices.Equal(there[0].IntegrationTypes, []int{0, 1}) {
		t.Errorf("the list is %+v", there)
	}
	// A later start that cannot read it leaves the list alone.
	before := s.writes()
	s.discord.Inject(discordtest.Fault{Method: http.MethodGet, Route: discordtest.RouteApplication, Status: 500, Times: 1})
	_ = s.registrar().Sync(t.Context(), wanted)
	if n := s.writes() - before; n != 0 {
		t.Errorf("%d lists were overwritten", n)
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
