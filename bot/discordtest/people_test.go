package discordtest_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hostbot/bot/discordtest"
)

// pointed is an event with what it says of those that it names.
type pointed struct {
	Locale string
	Member *struct{ Roles []string }
	User   *struct{ ID string }
	Data   struct {
		ID       string
		GuildID  string `json:"guild_id"`
		TargetID string `json:"target_id"`
		Options  []struct {
			Name    string
			Value   json.RawMessage
			Focused bool
		}
		Resolved struct {
			Users   map[string]struct{ Username string }
			Members map[string]struct {
				Roles []string
				User  any
			}
			Roles    map[string]struct{ Name string }
			Channels map[string]struct{ Name string }
		}
	}
}

func (s *stage) pointed() pointed {
	s.t.Helper()
	return decode[pointed](s.t, s.wire.read().Data)
}

// What a user is offered depends on who it is and on where.
func TestOfferedCommands(t *testing.T) {
	c := start(t, discordtest.Config{})
	c.register(`[{"name":"plan","description":"d"},{"name":"here","description":"d","contexts":[0]},
		{"name":"private","description":"d","contexts":[1]},{"name":"old","description":"d","dm_permission":false},
		{"name":"admin","description":"d","default_member_permissions":"40"},{"name":"owner","description":"d","default_member_permissions":"0"},
		{"type":2,"name":"Hosted Bots","default_member_permissions":"32"},{"name":"both","description":"global"}]`).want(t, 200, 0)
	c.do("PUT", c.commands(c.discord.GuildID()), `[{"name":"both","description":"guild"},{"name":"local","description":"d"}]`).want(t, 200, 0)
	anna := c.discord.User("anna")
	boss := c.discord.User("boss", discordtest.Permissions(1<<3))
	for name, tc := range map[string]struct {
		user *discordtest.User
		want string
	}{
		"anyone in the guild":           {anna, "both local plan here old both"},
		"one with some of what it asks": {c.discord.User("manager", discordtest.Permissions(1<<5)), "both local plan here old Hosted Bots both"},
		"an administrator":              {boss, "both local plan here old admin owner Hosted Bots both"},
		// Permissions are the guild's.
		"anyone in a DM": {anna.InDM(), "plan private admin owner Hosted Bots both"},
	} {
		t.Run(name, func(t *testing.T) {
			var names []string
			for _, c := range tc.user.Commands() {
				names = append(names, c.Name)
			}
			if got := strings.Join(names, " "); got != tc.want {
				t.Errorf("offered %s, want %s", got, tc.want)
			}
		})
	}
	if _, err := anna.Menu(limit(t), "Hosted Bots", boss); err == nil || !strings.Contains(err.Error(), `anna may not use "Hosted Bots"`) {
		t.Errorf("got %v, want that anna may not", err)
	}
	if _, err := anna.Start("/private", nil); err == nil || !strings.Contains(err.Error(), "not available here") {
		t.Errorf("got %v, want that it is for DMs", err)
	}
}

// Of a guild's and a global command of one name the guild's is used in the guild.
func TestTheGuildsCommandIsUsed(t *testing.T) {
	s := newStage(t, discordtest.Config{})
	s.do("PUT", s.commands(s.discord.GuildID()), `[{"name":"bot","description":"d"}]`).want(t, 200, 0)
	for _, tc := range []struct {
		user  *discordtest.User
		guild string
	}{{s.anna, s.discord.GuildID()}, {s.anna.InDM(), ""}} {
		s.uses(tc.user, "/bot", nil)
		if used := s.pointed().Data; used.GuildID != tc.guild || used.ID != s.discord.CommandsIn(tc.guild)[0].ID {
			t.Errorf("used %s of guild %q, want that of %q", used.ID, used.GuildID, tc.guild)
		}
	}
}

// What a user gives arrives as the option's type says.
func TestOptionValues(t *testing.T) {
	s := newStage(t, discordtest.Config{NoRateLimits: true})
	ben, log, staff := s.discord.User("ben"), s.discord.AddChannel("log"), s.discord.AddRole("Staff")
	s.register(`[{"name":"all","description":"d","name_localizations":{"de":"alles"},"options":[
		{"type":3,"name":"text","description":"d","min_length":2,"max_length":3},
		{"type":3,"name":"plan","description":"d","choices":[{"name":"Small","value":"s","name_localizations":{"de":"Klein"}}]},
		{"type":4,"name":"whole","description":"d","min_value":1,"max_value":5},
		{"type":5,"name":"flag","description":"d"},{"type":6,"name":"who","description":"d"},
		{"type":7,"name":"where","description":"d"},{"type":10,"name":"number","description":"d"},
		{"type":8,"name":"role","description":"d"},{"type":9,"name":"either","description":"d"}]}]`).want(t, 200, 0)
	s.anna.SetLocale("de")

	for name, tc := range map[string]struct {
		option string
		given  any
		want   string // in the event; empty where the client refuses
	}{
		"text":             {"text", "abc", `"abc"`},
		"short text":       {"text", "a", ""},
		"choice":           {"plan", "Small", `"s"`},
		"localised choice": {"plan", "Klein", `"s"`},
		"no choice":        {"plan", "Large", ""},
		"whole":            {"whole", 3, "3"},
		"too large":        {"whole", 6, ""},
		"not whole":        {"whole", 1.5, ""},
		"number":           {"number", 1.5, "1.5"},
		"no number":        {"number", "x", ""},
		"flag":             {"flag", true, "true"},
		"no flag":          {"flag", "true", ""},
		"user":             {"who", ben.ID, `"` + ben.ID + `"`},
		"typed user":       {"who", ben, `"` + ben.ID + `"`},
		"nobody":           {"who", "123456789012345678", ""},
		"role as a user":   {"who", staff, ""},
		"typed channel":    {"where", log, `"` + log.ID + `"`},
		"role":             {"role", staff, `"` + staff.ID + `"`},
		"user as a role":   {"role", ben, ""},
		"either, a user":   {"either", ben, `"` + ben.ID + `"`},
		"either, a role":   {"either", staff.ID, `"` + staff.ID + `"`},
		"either, neither":  {"either", log, ""},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := s.anna.Start("/alles", discordtest.Options{tc.option: tc.given})
			if (err == nil) != (tc.want != "") {
				t.Fatalf("got %v, want %s", err, tc.want)
			}
			if err != nil {
				return
			}
			event := s.pointed()
			if got := string(event.Data.Options[0].Value); got != tc.want || event.Locale != "de" {
				t.Errorf("got %s in %s, want %s", got, event.Locale, tc.want)
			}
			described := event.Data.Resolved
			found := len(described.Users) + len(described.Roles) + len(described.Channels)
			if points := strings.Contains("who where role either", tc.option); points != (found == 1) {
				t.Errorf("described is %+v", described)
			}
		})
	}
}

func TestEventsDescribePeople(t *testing.T) {
	s := newStage(t, discordtest.Config{})
	s.register(`[{"name":"look","description":"d","options":[{"type":6,"name":"who","description":"d"}]},{"type":2,"name":"Hosted Bots"}]`).want(t, 200, 0)
	staff, lead := s.discord.AddRole("Staff"), s.discord.AddRole("Lead")
	sam := s.discord.User("sam", discordtest.Roles(staff.ID))
	ben := s.discord.User("ben", discordtest.Roles(lead.ID, staff.ID))
	who := discordtest.Options{"who": ben}

	s.uses(sam, "/look", who)
	got := s.pointed()
	if diff := cmp.Diff([]string{staff.ID}, got.Member.Roles); diff != "" {
		t.Errorf("sam's roles (-want +got):\n%s", diff)
	}
	member := got.Data.Resolved.Members[ben.ID]
	if diff := cmp.Diff([]string{lead.ID, staff.ID}, member.Roles); diff != "" || member.User != nil || got.Data.Resolved.Users[ben.ID].Username != "ben" {
		t.Errorf("ben is described as %+v", got.Data.Resolved)
	}
	go func() { _, _ = sam.Menu(limit(t), "Hosted Bots", ben) }() // its answer never comes
	if menu := s.pointed().Data; menu.TargetID != ben.ID || menu.Resolved.Users[ben.ID].Username != "ben" {
		t.Errorf("in the menu ben is described as %+v", menu)
	}

	sam.SetRoles()
	s.uses(sam, "/look", nil)
	if got := s.pointed(); got.Member.Roles == nil || len(got.Member.Roles) != 0 {
		t.Errorf("sam has the roles %v, want an empty list", got.Member.Roles)
	}
	s.uses(sam.InDM(), "/look", who)
	if inDM := s.pointed(); inDM.Member != nil || inDM.User.ID != sam.ID || len(inDM.Data.Resolved.Members) != 0 || len(inDM.Data.Resolved.Users) != 1 {
		t.Errorf("in a DM nobody is a member: %+v", inDM)
	}
}

// A completion carries what was given so far, and describes nobody.
func TestCompletionCarriesTheOtherOptions(t *testing.T) {
	s := newStage(t, discordtest.Config{})
	s.register(`[{"name":"look","description":"d","options":[{"type":6,"name":"who","description":"d"},
		{"type":3,"name":"bot","description":"d","autocomplete":true}]}]`).want(t, 200, 0)
	ben := s.discord.User("ben")
	done := make(chan []discordtest.Choice, 1)
	go func() {
		choices, err := s.anna.Complete(limit(t), "/look", "bot", "sh", discordtest.Options{"who": ben})
		if err != nil {
			t.Error(err)
		}
		done <- choices
	}()
	data := s.wire.read().Data
	e, got := decode[event](t, data), decode[pointed](t, data)
	if o := got.Data.Options; len(o) != 2 || string(o[0].Value) != `"`+ben.ID+`"` || o[0].Focused || string(o[1].Value) != `"sh"` || !o[1].Focused {
		t.Errorf("options %+v, want the user's id and what is typed", o)
	}
	if strings.Contains(string(data), "resolved") {
		t.Errorf("a completion describes nobody: %s", data)
	}
	s.do("POST", e.path(), `{"type":8,"data":{"choices":[{"name":"Shop","value":"1"}]}}`).want(t, 204, 0)
	if choices := <-done; len(choices) != 1 || choices[0].Name != "Shop" {
		t.Errorf("suggested %+v", choices)
	}
}

// card has components of each kind that a user can use.
const card = `[{"type":1,"components":[{"type":2,"style":1,"label":"Rename","custom_id":"rename"},
	{"type":2,"style":4,"label":"Stop","custom_id":"stop","disabled":true}]},
	{"type":1,"components":[{"type":3,"custom_id":"open","placeholder":"Open a bot","options":[{"label":"Shop","value":"1"},{"label":"Music","value":"2"}]}]}]`

func TestWhatAUserCannotDo(t *testing.T) {
	s := newStage(t, discordtest.Config{})
	s.register(`[{"name":"bot","description":"d","options":[{"type":1,"name":"list","description":"d"},
		{"type":1,"name":"show","description":"d","options":[{"type":3,"name":"bot","description":"d","required":true}]}]}]`).want(t, 200, 0)
	reply := s.uses(s.anna, "/bot list", nil)
	s.do("POST", s.wire.interaction().path(), `{"type":4,"data":{"flags":64,"components":`+card+`}}`).want(t, 204, 0)
	e, pressed := s.press(reply, "Rename")
	s.do("POST", e.path(), `{"type":9,"data":{"custom_id":"name","title":"Rename","components":[
		{"type":1,"components":[{"type":4,"style":1,"label":"New name","custom_id":"to","max_length":10}]}]}}`).want(t, 204, 0)
	modal, id := pressed(), reply.View().ID

	types := func(command string, options discordtest.Options) func(context.Context) error {
		return func(context.Context) error { _, err := s.anna.Start(command, options); return err }
	}
	for want, do := range map[string]func(context.Context) error{
		"/bot":                               types("/plan", nil),
		`"list", "show"`:                     types("/bot stop", nil),
		"needs a subcommand":                 types("/bot", nil),
		`"bot" is required`:                  types("/bot show", nil),
		`no option "page"`:                   types("/bot list", discordtest.Options{"page": 1}),
		`there: "Rename", "Stop" (disabled)`: func(ctx context.Context) error { _, err := reply.Click(ctx, "Start"); return err },
		`button "Stop" is disabled`:          func(ctx context.Context) error { _, err := reply.Click(ctx, "Stop"); return err },
		`"Shop", "Music"`:                    func(ctx context.Context) error { _, err := reply.Pick(ctx, "Open a bot", "Web"); return err },
		"1 to 1":                             func(ctx context.Context) error { _, err := reply.Pick(ctx, "Open a bot", "Shop", "Music"); return err },
		"takes 1 to 10": func(ctx context.Context) error {
			_, err := modal.Fill(ctx, discordtest.Fields{"to": x(11)})
			return err
		},
		"no field": func(ctx context.Context) error {
			_, err := modal.Fill(ctx, discordtest.Fields{"to": "a", "from": "b"})
			return err
		},
		"ben sees no message": func(ctx context.Context) error { _, err := s.discord.User("ben").Click(ctx, id, "rename"); return err },
	} {
		t.Run(want, func(t *testing.T) {
			if err := do(limit(t)); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("got %v, want an error with %q", err, want)
			}
		})
	}
	if mine, others := len(s.anna.Messages()), len(s.discord.User("ben").Messages()); mine != 1 || others != 0 {
		t.Errorf("anna sees %d messages and ben %d, want hers alone", mine, others)
	}
	if err := s.anna.Dismiss(id); err != nil {
		t.Error(err)
	}
	if v := reply.View(); v.State != discordtest.Deleted {
		t.Errorf("state %v after it was dismissed", v.State)
	}
}
