package register_test

import (
	"net/http"
	"testing"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/discord/register"
	"hostbot/bot/testing/discordtest"
)

// In whatever way Discord reads commands back, a second start writes nothing.
func TestUnchangedCommandsAreNotSent(t *testing.T) {
	t.Parallel()
	for name, readBack := range discordtest.ReadBacks() {
		for kind, settings := range map[string]discordtest.ApplicationSettings{
			"both installs": {Installs: []int{0, 1}},
			"guilds alone":  {Installs: []int{0}},
			"users alone":   {Installs: []int{1}},
			"not said":      {},
			"an Activity":   {Installs: []int{0, 1}, Activities: true},
		} {
			t.Run(name+", "+kind, func(t *testing.T) {
				t.Parallel()
				s := newStage(t)
				s.discord.SetReadBack(readBack)
				s.discord.SetApplication(settings)
				wanted := []register.Scope{in("", customers()), in(s.discord.GuildID(), staffs())}
				s.sync(t, wanted...)
				if n := s.writes(); n != 2 {
					t.Errorf("the first start overwrote %d lists", n)
				}
				s.sync(t, wanted...)
				if n := s.writes(); n != 2 {
					t.Errorf("the second start overwrote %d lists", n-2)
				}
			})
		}
	}
}

func TestChangesAreSent(t *testing.T) {
	t.Parallel()
	type lists struct {
		customers, staffs []*discordgo.ApplicationCommand
	}
	for name, change := range map[string]func(l *lists){
		"description":         func(l *lists) { l.customers[1].Description = "Other" },
		"localized name":      func(l *lists) { l.customers[0].Options[0].NameLocalizations["tr"] = "bak" },
		"localization gone":   func(l *lists) { l.customers[0].NameLocalizations = nil },
		"option not required": func(l *lists) { l.customers[0].Options[0].Options[0].Required = false },
		"no autocomplete":     func(l *lists) { l.customers[0].Options[0].Options[0].Autocomplete = false },
		"option gone":         func(l *lists) { l.customers[0].Options = l.customers[0].Options[:1] },
		"options reordered": func(l *lists) {
			o := l.customers[0].Options
			o[0], o[1] = o[1], o[0]
		},
		"command gone":     func(l *lists) { l.customers = l.customers[:1] },
		"command renamed":  func(l *lists) { l.customers[1].Name = "tariff" },
		"permission gone":  func(l *lists) { l.staffs[0].DefaultMemberPermissions = nil },
		"choice changed":   func(l *lists) { l.staffs[0].Options[0].Choices[0].Value = "stop" },
		"choice localized": func(l *lists) { l.staffs[0].Options[0].Choices[0].NameLocalizations["de"] = "Los" },
		"choices gone":     func(l *lists) { l.staffs[0].Options[0].Choices = nil },
		"menu renamed":     func(l *lists) { l.staffs[1].Name = "Bots" },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t)
			l := &lists{customers(), staffs()}
			s.sync(t, in("", l.customers), in(s.discord.GuildID(), l.staffs))
			change(l)
			for range 2 { // the second of which changes nothing
				s.sync(t, in("", l.customers), in(s.discord.GuildID(), l.staffs))
			}
			if n := s.writes() - 2; n != 1 {
				t.Errorf("the change overwrote %d lists", n)
			}
		})
	}
}

// TestNothingIsWrittenUnread: neither a list that was not read is overwritten, nor
// any before the application was.
func TestNothingIsWrittenUnread(t *testing.T) {
	t.Parallel()
	for route, fault := range map[string]discordtest.Fault{
		"list":        {Route: discordtest.RouteCommands, Status: 200, Body: `<html>`},
		"application": {Route: discordtest.RouteApplication, Status: 500},
	} {
		t.Run(route, func(t *testing.T) {
			t.Parallel()
			s := newStage(t)
			fault.Method, fault.Times = http.MethodGet, 1
			s.discord.Inject(fault)
			r, wanted := s.registrar(), []register.Scope{in("", customers())}
			if err := r.Sync(t.Context(), wanted); err == nil || s.writes() != 0 {
				t.Errorf("error %v; %d lists were overwritten", err, s.writes())
			}
			if err := r.Sync(t.Context(), wanted); err != nil || s.names("") != "bot plan" {
				t.Errorf("error %v; the list has %q", err, s.names(""))
			}
		})
	}
}
