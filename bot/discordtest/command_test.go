package discordtest_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hostbot/bot/discordtest"
)

func TestRegisteredCommands(t *testing.T) {
	c := start(t, discordtest.Config{NoRateLimits: true})
	const body = `[{"name":"größe","description":"d","name_localizations":{"hi":"कमांड","th":"คำสั่ง"},"default_member_permissions":"8",
		"options":[{"type":3,"name":"o","description":"d","description_localizations":{"de":"b"}}]}]`
	register := func(body string) map[string]any {
		t.Helper()
		list := read[[]map[string]any](t, c.register(body))
		if len(list) != 1 {
			t.Fatalf("registered %v", list)
		}
		return list[0]
	}
	first := register(body)
	for _, member := range []string{"id", "application_id", "version", "type", "contexts", "integration_types", "nsfw", "dm_permission", "description_localizations"} {
		if _, ok := first[member]; !ok {
			t.Errorf("no %s in %v", member, first)
		}
	}
	if diff := cmp.Diff(map[string]any{"hi": "कमांड", "th": "คำสั่ง"}, first["name_localizations"]); diff != "" {
		t.Errorf("localisations (-want +got):\n%s", diff)
	}
	if again := register(body); again["id"] != first["id"] || again["version"] != first["version"] {
		t.Errorf("an unchanged command changed: %v, %v", first, again)
	}
	if changed := register(strings.Replace(body, `"8"`, `"0"`, 1)); changed["id"] != first["id"] || changed["version"] == first["version"] {
		t.Errorf("a changed command should keep its id and get a new version: %v, %v", first, changed)
	}
	id, _ := first["id"].(string)
	if renamed := register(`[{"id":"` + id + `","name":"tariff","description":"d"}]`); renamed["id"] != id || renamed["name"] != "tariff" {
		t.Errorf("an id should rename its command: %v", renamed)
	}
}

// A user's and a message's command share names with typed ones, and may have spaces.
func TestMenuCommandsAreRegistered(t *testing.T) {
	c := start(t, discordtest.Config{})
	list := read[[]discordtest.Command](t, c.register(`[{"name":"a","description":"d"},{"type":2,"name":"a","description":""},{"type":3,"name":"a"},
		{"type":2,"name":"Hosted Bots","name_localizations":{"tr":"Barındırılan Botlar"},"default_member_permissions":"32"}]`))
	var types []int
	for _, command := range list {
		types = append(types, command.Type)
	}
	if diff := cmp.Diff([]int{discordtest.ChatCommand, discordtest.UserCommand, discordtest.MessageCommand, discordtest.UserCommand}, types); diff != "" {
		t.Errorf("types (-want +got):\n%s", diff)
	}
}

func TestPermissionsOfACommand(t *testing.T) {
	c := start(t, discordtest.Config{NoRateLimits: true})
	for given, shown := range map[string]string{`"32"`: `"32"`, `32`: `"32"`, `0`: `"0"`, `null`: `null`} {
		got := c.register(`[{"name":"a","description":"d","default_member_permissions":` + given + `}]`)
		got.want(t, 200, 0)
		if want := `"default_member_permissions":` + shown; !strings.Contains(got.text, want) {
			t.Errorf("%s: got %s, want %s in it", given, got.text, want)
		}
	}
}

// Creating is limited, keeping is not.
func TestDailyCreates(t *testing.T) {
	c := start(t, discordtest.Config{NoRateLimits: true})
	c.discord.ExpectFailures()
	hundred := func(prefix string) string { return many(100, `{"name":"`+prefix+`%","description":"d"}`) }
	for _, prefix := range []string{"a", "a", "b"} {
		c.register(hundred(prefix)).want(t, 200, 0)
	}
	c.register(hundred("c")).want(t, 400, discordtest.CodeDailyCreates)
	c.do("PUT", c.commands(c.discord.GuildID()), hundred("c")).want(t, 200, 0)
}

func TestSingleCommands(t *testing.T) {
	c := start(t, discordtest.Config{NoRateLimits: true})
	c.discord.ExpectFailures()
	all := c.commands("")
	created := c.do("POST", all, `{"name":"plan","description":"a","default_member_permissions":"0"}`)
	created.want(t, 201, 0)
	again := c.do("POST", all, `{"name":"plan","description":"b"}`)
	again.want(t, 200, 0)
	if again.body.ID != created.body.ID {
		t.Errorf("a command of a known name got the id %s, want %s", again.body.ID, created.body.ID)
	}
	c.do("POST", all, `{"name":"Plan","description":"b"}`).refusedAt(t, "name")

	one := all + "/" + created.body.ID
	c.do("PATCH", one, `{"description":"c","name_localizations":{"de":"tarif"}}`).want(t, 200, 0)
	c.do("PATCH", one, `{"description":""}`).refusedAt(t, "description")
	if got := read[discordtest.Command](t, c.do("GET", one, "")); got.Name != "plan" || got.Description != "c" || got.NameLocalizations["de"] != "tarif" {
		t.Errorf("after the change: %+v", got)
	}
	other := c.do("POST", all, `{"name":"help","description":"a"}`)
	c.do("PATCH", all+"/"+other.body.ID, `{"name":"plan"}`).want(t, 400, discordtest.CodeInvalidForm)

	c.do("DELETE", one, "").want(t, 204, 0)
	for method, body := range map[string]string{"GET": "", "PATCH": `{}`, "DELETE": ""} {
		c.do(method, one, body).want(t, 404, discordtest.CodeUnknownCommand)
	}
	if left := c.discord.Commands(); len(left) != 1 || left[0].Name != "help" {
		t.Errorf("left: %+v", left)
	}
	c.do("GET", "/applications/1/commands", "").want(t, 403, 20012)
}

func TestGuildsThatTheBotIsNotIn(t *testing.T) {
	c := start(t, discordtest.Config{NoRateLimits: true})
	guild := c.discord.AddGuild()
	path := c.commands(guild)
	const body = `[{"name":"bot","description":"d"}]`
	c.do("GET", path, "").want(t, 403, discordtest.CodeMissingAccess)
	c.do("PUT", path, body).want(t, 403, discordtest.CodeMissingAccess)
	c.discord.Invite(guild)
	c.do("PUT", path, body).want(t, 200, 0)
	if there := c.discord.CommandsIn(guild); len(there) != 1 || there[0].GuildID != guild {
		t.Errorf("the guild has %+v", there)
	}
	if there := c.discord.Commands(); len(there) != 0 {
		t.Errorf("other guilds have %+v", there)
	}
	c.discord.Kick(guild)
	c.do("PUT", path, `[]`).want(t, 403, discordtest.CodeMissingAccess)
	if f := c.discord.Failures(); len(f) != 0 {
		t.Errorf("that the bot is not there counts as its mistake: %v", f)
	}
	c.discord.ExpectFailures()
	c.do("GET", c.commands("1"), "").want(t, 403, discordtest.CodeMissingAccess)
	if f := c.discord.Failures(); len(f) != 1 {
		t.Errorf("a guild that does not exist: failures %v", f)
	}
}

const launchCommand = `{"type":4,"name":"launch","description":"Play","handler":1}`

func TestEntryPointCommand(t *testing.T) {
	c := start(t, discordtest.Config{NoRateLimits: true})
	c.discord.ExpectFailures()
	c.discord.SetApplication(discordtest.ApplicationSettings{Installs: []int{0, 1}, Activities: true})
	there := c.discord.CommandsIn("")
	if len(there) != 1 || there[0].Type != discordtest.EntryPointCommand || *there[0].Handler != 2 {
		t.Fatalf("Activities made the commands %+v", there)
	}
	const bot = `{"name":"bot","description":"d"}`
	c.register(`[`+bot+`]`).want(t, 400, discordtest.CodeEntryPointRemoved)
	c.register(`[]`).want(t, 400, discordtest.CodeEntryPointRemoved)
	c.register(`[`+bot+`,`+launchCommand+`,`+strings.Replace(launchCommand, "launch", "play", 1)+`]`).want(t, 400, discordtest.CodeInvalidForm)
	c.do("PUT", c.commands(c.discord.GuildID()), `[`+launchCommand+`]`).refusedAt(t, "0.type")

	// As it was read it is taken.
	asRead := c.do("GET", c.commands("")+"?with_localizations=true", "").text
	c.register(strings.TrimSuffix(asRead, "]")+`,`+bot+`]`).want(t, 200, 0)
	kept := c.discord.CommandsIn("")
	if len(kept) != 2 || kept[0].ID != there[0].ID || *kept[0].Handler != 2 {
		t.Errorf("the overwrite left %+v", kept)
	}
	c.register(`[`+launchCommand+`]`).want(t, 200, 0)
	if changed := c.discord.CommandsIn(""); len(changed) != 1 || changed[0].ID != there[0].ID || *changed[0].Handler != 1 {
		t.Errorf("the change left %+v", changed)
	}
	c.do("DELETE", c.commands("")+"/"+there[0].ID, "").want(t, 204, 0)
	c.register(`[`+bot+`]`).want(t, 200, 0)
}

func TestApplicationSettings(t *testing.T) {
	c := start(t, discordtest.Config{})
	said := func() map[string]any { return read[map[string]any](t, c.do("GET", "/applications/@me", "")) }
	fresh := said()
	if config, _ := fresh["integration_types_config"].(map[string]any); len(config) != 2 || fresh["interactions_endpoint_url"] != nil {
		t.Errorf("a new application is %v", fresh)
	}
	c.discord.SetApplication(discordtest.ApplicationSettings{InteractionsEndpointURL: "https://example.com/i", Activities: true})
	changed := said()
	if _, there := changed["integration_types_config"]; there || changed["interactions_endpoint_url"] != "https://example.com/i" || changed["flags"] != 131072.0 {
		t.Errorf("the changed application is %v", changed)
	}
}

func TestIntegrationTypesThatTheApplicationLacks(t *testing.T) {
	const both = `{"name":"a","description":"d","integration_types":[0,1]}`
	for name, tc := range map[string]struct {
		installs []int
		wrong    string // path of the mistake; empty for none
	}{
		"both":         {[]int{0, 1}, ""},
		"guilds alone": {[]int{0}, "integration_types.1"},
		"users alone":  {[]int{1}, "integration_types.0"},
		"not said":     {nil, "integration_types.1"},
	} {
		t.Run(name, func(t *testing.T) {
			c := start(t, discordtest.Config{})
			c.discord.SetApplication(discordtest.ApplicationSettings{Installs: tc.installs})
			c.register(`[{"name":"a","description":"d"}]`).want(t, 200, 0)
			c.do("PUT", c.commands(c.discord.GuildID()), `[`+both+`]`).want(t, 200, 0) // which has no integration types
			if tc.wrong == "" {
				c.register(`[`+both+`]`).want(t, 200, 0)
				return
			}
			c.discord.ExpectFailures()
			c.register(`[`+both+`]`).refusedAt(t, "0."+tc.wrong)
			c.do("POST", c.commands(""), both).refusedAt(t, tc.wrong)
		})
	}
}

// Where the application has an endpoint, the gateway delivers nothing.
func TestInteractionsEndpoint(t *testing.T) {
	s := newStage(t, discordtest.Config{})
	s.discord.SetApplication(discordtest.ApplicationSettings{InteractionsEndpointURL: "https://example.com/i"})
	s.uses(s.anna, "/bot", nil)
	s.discord.SetApplication(discordtest.ApplicationSettings{})
	if r, first := s.command(); first.ID != r.ID() {
		t.Error("the gateway delivered what was for the endpoint")
	}
}

// readBack registers two commands and returns how they are read.
func readBack(t *testing.T, r discordtest.ReadBack) (list []map[string]any, text string) {
	t.Helper()
	c := start(t, discordtest.Config{})
	c.discord.SetReadBack(r)
	c.register(`[{"name":"größe","description":"👍 d","options":[{"type":3,"name":"o","description":"d"}]},{"name":"last","description":"d","contexts":[0]}]`).want(t, 200, 0)
	got := c.do("GET", c.commands("")+"?with_localizations=true", "")
	list = read[[]map[string]any](t, got)
	if len(list) != 2 {
		t.Fatalf("read back %s", got.text)
	}
	return list, got.text
}

func TestReadBack(t *testing.T) {
	absent := any("absent")
	for name, tc := range map[string]struct {
		readBack discordtest.ReadBack
		want     map[string]any // of the first command
	}{
		"as documented":     {discordtest.ReadBack{}, map[string]any{"contexts": nil, "integration_types": []any{0.0, 1.0}, "dm_permission": true}},
		"contexts":          {discordtest.ReadBack{AllContexts: true}, map[string]any{"contexts": []any{0.0, 1.0, 2.0}}},
		"integration types": {discordtest.ReadBack{DefaultInstall: true}, map[string]any{"integration_types": []any{0.0}}},
		"permission null":   {discordtest.ReadBack{DMPermission: discordtest.DMPermissionNull}, map[string]any{"dm_permission": nil}},
		"permission absent": {discordtest.ReadBack{DMPermission: discordtest.DMPermissionAbsent}, map[string]any{"dm_permission": absent}},
		"reversed":          {discordtest.ReadBack{Reversed: true}, map[string]any{"name": "last", "dm_permission": false, "options": absent}},
		"verbose":           {discordtest.ReadBack{Reversed: true, Verbose: true}, map[string]any{"options": []any{}}},
		"escaped":           {discordtest.ReadBack{Escaped: true}, map[string]any{"name": "größe", "description": "👍 d"}},
	} {
		t.Run(name, func(t *testing.T) {
			list, text := readBack(t, tc.readBack)
			for member, want := range tc.want {
				got, there := list[0][member]
				if !there {
					got = absent
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("%s (-want +got):\n%s", member, diff)
				}
			}
			if ascii := strings.Contains(text, `gr\u00f6\u00dfe`) && strings.Contains(text, `\ud83d\udc4d`); ascii != tc.readBack.Escaped {
				t.Errorf("escaped: %v", ascii)
			}
		})
	}
}

// Without the dictionaries there is what the reader's language has.
func TestLocalizedNames(t *testing.T) {
	c := start(t, discordtest.Config{})
	c.register(`[{"name":"plan","description":"d","name_localizations":{"de":"tarif"}}]`).want(t, 200, 0)
	for locale, want := range map[string]any{"": nil, "de": "tarif", "fr": nil} {
		c.locale = locale
		list := read[[]map[string]any](t, c.do("GET", c.commands(""), ""))
		if _, all := list[0]["name_localizations"]; all || list[0]["name_localized"] != want {
			t.Errorf("%q reads %v", locale, list[0])
		}
	}
}
