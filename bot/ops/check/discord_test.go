package check

import (
	"strings"
	"testing"

	"hostbot/bot/discord/register"
)

func TestWhereInteractionsArrive(t *testing.T) {
	const here = "https://bot.example.com/interactions"
	for name, test := range map[string]struct {
		endpoint, addr, key string
		want                Result
		text                string
	}{
		"gateway":                       {"", "", "", OK, "gateway"},
		"gateway, with an endpoint":     {here, "", "", Failure, "clear Interactions Endpoint URL"},
		"over HTTP":                     {here, ":8080", "ABCD", OK, "at bot.example.com"},
		"over HTTP, without one":        {"", ":8080", "abcd", Failure, "set Interactions Endpoint URL"},
		"over HTTP, at another path":    {"https://bot.example.com/secret-path", ":8080", "abcd", Warning, "proxy"},
		"over HTTP, with another's key": {here, ":8080", "abce", Failure, "copy Public Key"},
	} {
		v := judgeInteractions(register.Application{Endpoint: test.endpoint, VerifyKey: "abcd"}, test.addr, test.key)
		if text := v.Found + v.Cure; v.Result != test.want || !strings.Contains(text, test.text) || strings.Contains(text, "secret-path") {
			t.Errorf("%s: %+v", name, v)
		}
	}
}
