package discordtest_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"hostbot/bot/discordtest"
)

// What a user gives arrives as the option's type says.
func TestOptionValues(t *testing.T) {
	s := newStage(t, discordtest.Config{NoRateLimits: true})
	ben, log, staff := s.discord.User("ben"), s.discord.AddChannel("log"), s.discord.AddRole("Staff")
	s.register(`[{"name":"all","description":"d","options":[
		{"type":3,"name":"text","description":"d","min_length":2,"max_length":3},
		{"type":3,"name":"plan","description":"d","choices":[{"name":"Small","value":"s","name_localizations":{"de":"Klein"}}]},
		{"type":4,"name":"whole","description":"d","min_value":1,"max_value":5},
		{"type":5,"name":"flag","description":"d"},{"type":6,"name":"who","description":"d"},
		{"type":7,"name":"where","description":"d"},{"type":10,"name":"number","description":"d"},
		{"type":8,"name":"role","description":"d"},{"type":9,"name":"either","description":"d"}]}]`).want(t, 200, 0)
	s.anna = s.discord.User("greta", discordtest.Locale("de"))

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
		"no id":            {"who", "ben", ""},
		"nobody":           {"who", "123456789012345678", ""},
		"role as a user":   {"who", staff, ""},
		"channel":          {"where", log.ID, `"` + log.ID + `"`},
		"typed channel":    {"where", log, `"` + log.ID + `"`},
		"role":             {"role", staff, `"` + staff.ID + `"`},
		"user as a role":   {"role", ben, ""},
		"either, a user":   {"either", ben, `"` + ben.ID + `"`},
		"either, a role":   {"either", staff.ID, `"` + staff.ID + `"`},
		"either, neither":  {"either", log, ""},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := s.anna.Start("/all", discordtest.Options{tc.option: tc.given})
			if (err == nil) != (tc.want != "") {
				t.Fatalf("got %v, want %s", err, tc.want)
			}
			if err != nil {
				return
			}
			var event struct {
				Locale string `json:"locale"`
				Data   struct {
					Options  []struct{ Value json.RawMessage }
					Resolved map[string]map[string]any
				}
			}
			if err := json.Unmarshal(s.wire.read().Data, &event); err != nil {
				t.Fatal(err)
			}
			if got := string(event.Data.Options[0].Value); got != tc.want || event.Locale != "de" {
				t.Errorf("got %s in %s, want %s", got, event.Locale, tc.want)
			}
			resolved := fmt.Sprint(event.Data.Resolved)
			points := slices.Contains([]string{"who", "where", "role", "either"}, tc.option)
			if described := strings.Contains(resolved, "name:"); described != points {
				t.Errorf("resolved %s", resolved)
			}
		})
	}
}
