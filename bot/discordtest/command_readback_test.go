package discordtest_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/bwmarrin/discordgo"
	"github.com/google/go-cmp/cmp"

	"hostbot/bot/discordtest"
)

// readBack registers a command and returns how it and another are read.
func readBack(t *testing.T, r discordtest.ReadBack) (list []map[string]any, text string) {
	t.Helper()
	discord := discordtest.RunT(t, discordtest.Config{Clock: still()})
	discord.SetReadBack(r)
	c := newClient(t, discord)
	c.register(`[{"name":"größe","description":"👍 d","options":[{"type":3,"name":"o","description":"d"}]},{"name":"last","description":"d","contexts":[0]}]`).want(t, 200, 0)
	text = c.do("GET", "/applications/"+discord.ApplicationID()+"/commands?with_localizations=true", "").text
	if err := json.Unmarshal([]byte(text), &list); err != nil || len(list) != 2 {
		t.Fatalf("%v: %s", err, text)
	}
	return list, text
}

func TestReadBack(t *testing.T) {
	for name, tc := range map[string]struct {
		readBack discordtest.ReadBack
		want     map[string]any // of the first command; nil: not there
	}{
		"as documented":     {discordtest.ReadBack{}, map[string]any{"contexts": nil, "integration_types": []any{0.0, 1.0}, "dm_permission": true}},
		"contexts":          {discordtest.ReadBack{AllContexts: true}, map[string]any{"contexts": []any{0.0, 1.0, 2.0}}},
		"integration types": {discordtest.ReadBack{DefaultInstall: true}, map[string]any{"integration_types": []any{0.0}}},
		"permission null":   {discordtest.ReadBack{DMPermission: discordtest.DMPermissionNull}, map[string]any{"dm_permission": nil}},
		"reversed":          {discordtest.ReadBack{Reversed: true}, map[string]any{"name": "last", "dm_permission": false}},
		"escaped":           {discordtest.ReadBack{Escaped: true}, map[string]any{"name": "größe", "description": "👍 d"}},
	} {
		t.Run(name, func(t *testing.T) {
			list, text := readBack(t, tc.readBack)
			for member, want := range tc.want {
				got, there := list[0][member]
				if diff := cmp.Diff(want, got); diff != "" || !there {
					t.Errorf("%s (-want +got):\n%s", member, diff)
				}
			}
			if ascii := strings.Contains(text, `gr\u00f6\u00dfe`) && strings.Contains(text, `\ud83d\udc4d`); ascii != tc.readBack.Escaped {
				t.Errorf("escaped: %v", ascii)
			}
		})
	}
}

func TestReadBackOfWhatIsEmpty(t *testing.T) {
	has := func(r discordtest.ReadBack) bool {
		list, _ := readBack(t, r)
		option := list[0]["options"].([]any)[0].(map[string]any)
		_, required := option["required"]
		_, choices := option["choices"]
		_, options := list[1]["options"]
		if required != choices || choices != options {
			t.Errorf("some of what is empty is there: %v", list)
		}
		return required
	}
	if has(discordtest.ReadBack{}) || !has(discordtest.ReadBack{Verbose: true}) {
		t.Error("what is empty should be written where that is asked for alone")
	}
	list, _ := readBack(t, discordtest.ReadBack{DMPermission: discordtest.DMPermissionAbsent})
	if _, there := list[0]["dm_permission"]; there {
		t.Error("dm_permission should not be there")
	}
}

// Without the dictionaries there is what the reader's language has.
func TestLocalizedNames(t *testing.T) {
	discord := discordtest.RunT(t, discordtest.Config{Clock: still()})
	c := newClient(t, discord)
	c.register(`[{"name":"plan","description":"d","name_localizations":{"de":"tarif"}}]`).want(t, 200, 0)
	s := session(t, discord)
	for locale, want := range map[string]any{"de": "tarif", "fr": nil} {
		path := discord.URL() + "/applications/" + discord.ApplicationID() + "/commands"
		answer, err := s.Request("GET", path, nil, discordgo.WithLocale(discordgo.Locale(locale)))
		if err != nil {
			t.Fatal(err)
		}
		var list []map[string]any
		if err := json.Unmarshal(answer, &list); err != nil {
			t.Fatal(err)
		}
		if _, all := list[0]["name_localizations"]; all || list[0]["name_localized"] != want {
			t.Errorf("%s reads %v", locale, list[0])
		}
	}
}
