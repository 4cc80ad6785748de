package discordtest_test

import (
	"strings"
	"testing"

	"hostbot/bot/discordtest"
)

func TestPermissionsOfACommand(t *testing.T) {
	discord := discordtest.RunT(t, discordtest.Config{NoRateLimits: true})
	c := newClient(t, discord)
	for given, shown := range map[string]string{`"32"`: `"32"`, `32`: `"32"`, `0`: `"0"`, `null`: `null`} {
		got := c.register(`[{"name":"a","description":"d","default_member_permissions":` + given + `}]`)
		got.want(t, 200, 0)
		if want := `"default_member_permissions":` + shown; !strings.Contains(got.text, want) {
			t.Errorf("%s: got %s, want %s in it", given, got.text, want)
		}
	}
}
