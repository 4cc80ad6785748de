package discordtest_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"hostbot/bot/testing/discordtest"
)

// Where a language has no text, that of its neighbour is shown before the default one.
func TestLanguagesStandInForEachOther(t *testing.T) {
	for _, test := range []struct {
		locale, shown string
		texts         map[string]string
	}{
		{"en-US", "colour", map[string]string{"en-GB": "colour", "de": "farbe"}},
		{"en-US", "color", map[string]string{"en-US": "color", "en-GB": "colour"}},
		{"en-GB", "color", map[string]string{"en-US": "color"}},
		{"es-419", "tono", map[string]string{"es-ES": "tono"}},
		{"es-ES", "hue", map[string]string{"es-419": "tono"}},
		{"fr", "hue", map[string]string{"en-US": "color"}},
	} {
		if got := discordtest.ShownIn("hue", test.texts, test.locale); got != test.shown {
			t.Errorf("%s is shown %q of %v, want %q", test.locale, got, test.texts, test.shown)
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

// readBack registers two commands and returns how they are read.
func readBack(t *testing.T, r discordtest.ReadBack) []map[string]any {
	t.Helper()
	c := start(t, discordtest.Config{})
	c.discord.SetReadBack(r)
	c.register(`[{"name":"größe","description":"👍 d","options":[{"type":3,"name":"o","description":"d"}]},{"name":"last","description":"d","contexts":[0]}]`).want(t, 200, 0)
	got := c.do("GET", c.commands("")+"?with_localizations=true", "")
	list := read[[]map[string]any](t, got)
	if len(list) != 2 {
		t.Fatalf("read back %s", got.text)
	}
	return list
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
	} {
		t.Run(name, func(t *testing.T) {
			list := readBack(t, tc.readBack)
			for member, want := range tc.want {
				got, there := list[0][member]
				if !there {
					got = absent
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("%s (-want +got):\n%s", member, diff)
				}
			}
		})
	}
}
