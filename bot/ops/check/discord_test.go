package check

import (
	"strings"
	"testing"

	"hostbot/bot/discord/register"
	"hostbot/bot/staff/health"
)

func TestWhereInteractionsArrive(t *testing.T) {
	const here = "https://bot.example.com/interactions"
	for name, test := range map[string]struct {
		endpoint, key string
		want          health.State
		text          string
	}{
		"gateway":                       {"", "", health.OK, "gateway"},
		"gateway, with an endpoint":     {here, "", health.Failure, "clear Interactions Endpoint URL"},
		"over HTTP":                     {here, "ABCD", health.OK, "at bot.example.com"},
		"over HTTP, without one":        {"", "abcd", health.Warning, "once the bot runs, set Interactions Endpoint URL"},
		"over HTTP, at another path":    {"https://bot.example.com/secret-path", "abcd", health.Warning, "proxy"},
		"over HTTP, with another's key": {here, "abce", health.Failure, "copy Public Key"},
	} {
		v := judgeInteractions(register.Application{Endpoint: test.endpoint, VerifyKey: "abcd"}, test.key)
		if text := v.Text + v.Cure; v.State != test.want || !strings.Contains(text, test.text) || strings.Contains(text, "secret-path") {
			t.Errorf("%s: %+v", name, v)
		}
	}
}
