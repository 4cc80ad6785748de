package e2e_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"

	"hostbot/bot/discordtest"
	"hostbot/hostapi/hostapitest"
)

// secrets returns what must be told nobody, and what it is.
func (w *world) secrets() map[string]string {
	secrets := map[string]string{w.discord.Token(): "bot token", w.service.Secret(): "shared secret"}
	for _, call := range w.discord.Calls() {
		if _, rest, ok := strings.Cut(call.Path, "/interactions/"); ok {
			secrets[strings.Split(rest, "/")[1]] = "interaction token"
		}
	}
	return secrets
}

// findSecrets fails the test where a secret is in a body that Discord was sent,
// or in the process log, down to its debug level.
func (w *world) findSecrets(t *testing.T) {
	t.Helper()
	secrets, log := w.secrets(), w.log.String()
	for secret, what := range secrets {
		if strings.Contains(log, secret) {
			t.Errorf("the log holds the %s", what)
		}
	}
	for _, call := range w.discord.Calls() {
		for secret, what := range secrets {
			if bytes.Contains(call.Request, []byte(secret)) {
				t.Errorf("%s %s sends the %s", call.Method, call.Route, what)
			}
		}
	}
}

// newRecognisableWorld makes a world with secrets that can be found wherever
// they turn up.
func newRecognisableWorld(t *testing.T) (w *world, redis *miniredis.Miniredis, password string) {
	t.Helper()
	redis, password = miniredis.RunT(t), "recognisable-redis-password"
	redis.RequireAuth(password)
	w = newWorldWith(t, discordtest.Config{NoRateLimits: true, Token: "recognisable-bot-token"},
		"redis://:"+password+"@"+redis.Addr(), "HTTP_ADDR=127.0.0.1:0", "HOSTAPI_TIMEOUT=1s")
	return w, redis, password
}

// TestNoSecretIsTold has everything happen that customers and staff can do, and
// everything break that can, while those who break it repeat the secrets that
// they know.
func TestNoSecretIsTold(t *testing.T) {
	t.Parallel()
	w, redis, password := newRecognisableWorld(t)
	w.discord.ExpectFailures() // as some answers are lost
	role := w.discord.AddRole("Support")
	w.env = append(w.env, "ADMIN_GUILD_ID="+w.discord.GuildID(), "ADMIN_ROLE_IDS="+role.ID)
	sam := w.discord.User("sam", discordtest.Permissions(manageGuild), discordtest.Roles(role.ID))
	anna := w.addAnna(t, "Shop", "Radio")
	stop := w.start(t)

	w.useEverything(t, anna)
	sam.Types(t, "/admin lookup", discordtest.Options{"user": anna}).WaitFor(t, "Staff view")
	w.breakTheService(t, anna)
	w.breakDiscord(t, anna)
	w.discord.SendEvent("INTERACTION_CREATE", json.RawMessage(`{"id":"1","type":2,"token":"recognisable-interaction-token","user":{"id":"2"},"data":{"name":"bot","options":[null]}}`))
	redis.SetError("LOADING Redis is loading the dataset in memory")
	anna.Types(t, "/bot list").WaitFor(t, "Radio")

	_, metrics := w.operator(t, "/metrics")
	if err := stop(); err != nil {
		t.Error(err)
	}
	secrets := w.secrets()
	if len(secrets) < 20 {
		t.Errorf("only %d secrets are known", len(secrets))
	}
	secrets["recognisable-interaction-token"], secrets[password] = "token of an event that makes no sense", "password of Redis"
	for secret, what := range secrets {
		if strings.Contains(metrics, secret) {
			t.Errorf("the metrics hold the %s", what)
		}
		if strings.Contains(w.log.String(), secret) {
			t.Errorf("the log holds the %s", what)
		}
	}
}

// useEverything does what a customer can do.
func (w *world) useEverything(t *testing.T, anna *discordtest.User) {
	t.Helper()
	anna.Types(t, "/help").WaitFor(t, "</bot restart:")
	anna.Types(t, "/plan").WaitFor(t, "2 of 30")
	anna.Completes(t, "/bot restart", "bot", "ra")
	list := anna.Types(t, "/bot list")
	list.WaitFor(t, "🟢 Radio")
	card := list.Choose(t, "Open a bot", "Shop")
	card = card.Press(t, "Startup").Submit(t, discordtest.Fields{"command": "node main.js"})
	card.WaitFor(t, "was changed")
	card = card.Press(t, "Restart")
	w.clock.BlockUntil(t, 1)
	w.clock.Advance(4 * time.Second)
	card.WaitFor(t, "**Shop** was restarted")
	anna.Types(t, "/bot delete", discordtest.Options{"bot": "Radio"}).Submit(t, discordtest.Fields{"name": "Shop"}).WaitFor(t, "nothing was deleted")
	anna.Types(t, "/bot create").Press(t, "Continue").Submit(t, discordtest.Fields{"name": "Third"}).WaitFor(t, "was created")
}

// breakTheService has the service refuse and break off, and say what it must not.
func (w *world) breakTheService(t *testing.T, anna *discordtest.User) {
	t.Helper()
	echo := `{"error":"Authorization: Bearer ` + w.service.Secret() + `","message":"` + w.service.Secret() + `"}`
	for _, fault := range []hostapitest.Fault{
		{Status: http.StatusUnauthorized, Body: echo}, {Status: http.StatusInternalServerError, Body: echo},
		{Status: http.StatusConflict, Body: w.service.Secret()}, {Status: http.StatusOK, Body: echo},
		{Redirect: "http://127.0.0.1:1/?secret=" + w.service.Secret()}, {Reset: true}, {Malformed: true},
	} {
		w.service.Fail(hostapitest.OpReinstall, fault, 1)
		reply := anna.Types(t, "/bot reinstall", discordtest.Options{"bot": "Radio"})
		w.waitForLog(t, "Reinstall", referenceIn(t, reply.WaitFor(t, "Reference:")))
	}
}

// breakDiscord has Discord refuse and break off, and say what it must not.
func (w *world) breakDiscord(t *testing.T, anna *discordtest.User) {
	t.Helper()
	echo := `{"code":0,"message":"Authorization: Bot ` + w.discord.Token() + `"}`
	header := http.Header{"Content-Type": {"application/json"}}
	for _, route := range []string{discordtest.RouteCallback, discordtest.RouteMessages} {
		for _, fault := range []discordtest.Fault{
			{Status: http.StatusInternalServerError, Header: header, Body: echo},
			{Status: http.StatusBadGateway, Body: echo},
			{Reset: true}, {Reset: true, After: true},
		} {
			fault.Route, fault.Times = route, 1
			w.discord.Inject(fault)
			anna.Types(t, "/bot show", discordtest.Options{"bot": "Radio"}).WaitFor(t, "node index.js")
			w.service.Fail(hostapitest.OpReinstall, hostapitest.Fault{Status: http.StatusConflict}, 1)
			anna.Types(t, "/bot reinstall", discordtest.Options{"bot": "Radio"}).WaitFor(t, "Reference:")
		}
	}
	for _, refusal := range []discordtest.Fault{{Status: http.StatusUnauthorized, Header: header, Body: echo}, {Status: http.StatusForbidden, Header: header, Body: echo}} {
		refusal.Route, refusal.Times = discordtest.RouteCallback, 1
		w.discord.Inject(refusal)
		if _, err := anna.Start("/bot list", nil); err != nil {
			t.Fatal(err)
		}
		w.log.waitFor(t, "the caller could not be told")
	}
	w.discord.Inject(discordtest.Fault{Route: discordtest.RouteGatewayBot, Times: 1, Status: http.StatusInternalServerError, Header: header, Body: echo})
	w.discord.InvalidateSession(false)
	w.log.waitForTimes(t, newSession, 2)
}
