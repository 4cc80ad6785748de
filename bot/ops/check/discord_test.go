package check

import (
	"strings"
	"testing"
	"time"

	"hostbot/bot/discord/register"
	"hostbot/bot/staff/health"
)

func TestWhereInteractionsArrive(t *testing.T) {
	at := func(path string, days int) register.Arrival {
		return register.Arrival{Host: "bot.example.com", Path: path, Expires: time.Now().Add(time.Duration(days)*24*time.Hour + time.Minute)}
	}
	for name, test := range map[string]struct {
		found    register.Arrival
		overHTTP bool
		want     health.State
		text     string
	}{
		"gateway":                       {register.Arrival{}, false, health.OK, "gateway"},
		"gateway, with an endpoint":     {register.Arrival{Fault: register.Elsewhere}, false, health.Failure, "clear Interactions Endpoint URL"},
		"over HTTP":                     {at("/interactions", 60), true, health.OK, "at bot.example.com, whose certificate is good for 60 more days"},
		"over HTTP, soon no more":       {at("/interactions", 3), true, health.Warning, "expires in 3 daysrenew it"},
		"over HTTP, without one":        {register.Arrival{Fault: register.NoEndpoint}, true, health.Warning, "once the bot runs, set Interactions Endpoint URL"},
		"over HTTP, at another path":    {at("/secret-path", 60), true, health.Warning, "proxy"},
		"over HTTP, with another's key": {register.Arrival{Fault: register.ForeignKey}, true, health.Failure, "copy Public Key"},
		"over HTTP, behind nobody":      {register.Arrival{Fault: register.Unanswered, Host: "bot.example.com", Answer: "status 502"}, true, health.Failure, "does not answer as the bot does: status 502"},
	} {
		v := judgeArrival(test.found, test.overHTTP)
		if text := v.Text + v.Cure; v.State != test.want || !strings.Contains(text, test.text) || strings.Contains(text, "secret-path") {
			t.Errorf("%s: %+v", name, v)
		}
	}
}
