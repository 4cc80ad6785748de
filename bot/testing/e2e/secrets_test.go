package e2e_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/alicebob/miniredis/v2"

	"hostbot/bot/testing/discordtest"
	"hostbot/bot/testing/e2e/world"
	"hostbot/hostapi/hostapitest"
)

// TestSecretsAreToldNobody has everything break that can, while those who break it repeat
// the secrets that they know. Those are found wherever they turn up, see package world,
// which looks for them in every test.
func TestSecretsAreToldNobody(t *testing.T) {
	t.Parallel()
	const password = "recognisable-redis-password"
	redis := miniredis.RunT(t)
	redis.ClockTTL(true)
	redis.RequireAuth(password)
	w := world.New(t, world.Options{
		Discord: discordtest.Config{Token: "recognisable-bot-token"}, Staff: true,
		Redis: "redis://:" + password + "@" + redis.Addr(), Env: []string{"HTTP_ADDR=127.0.0.1:0", "HOSTAPI_TIMEOUT=1s"},
	})
	w.Discord.ExpectFailures() // as some answers are lost
	anna := w.AddCustomer("anna", "Shop", "Radio", "Spare 0", "Spare 1", "Spare 2", "Spare 3", "Spare 4", "Spare 5", "Spare 6")
	stop := w.Start(t)

	anna.Types(t, "/bot list").WaitFor(t, "🟢 Radio")
	breakTheService(t, w, anna)
	breakDiscord(t, w, anna)
	w.Discord.SendEvent("INTERACTION_CREATE", json.RawMessage(`{"id":"1","type":2,"token":"recognisable-interaction-token","user":{"id":"2"},"data":{"name":"bot","options":[null]}}`))
	redis.SetError("LOADING Redis is loading the dataset in memory")
	anna.Types(t, "/bot list").WaitFor(t, "Radio")

	_, metrics := w.Operator(t, "/metrics")
	if err := stop(); err != nil {
		t.Error(err)
	}
	secrets := w.Secrets()
	if len(secrets) < 20 {
		t.Errorf("only %d secrets are known", len(secrets))
	}
	secrets["recognisable-interaction-token"], secrets[password] = "token of an event that makes no sense", "password of Redis"
	for secret, what := range secrets {
		if strings.Contains(metrics, secret) {
			t.Errorf("the metrics hold the %s", what)
		}
		if strings.Contains(w.Log.String(), secret) {
			t.Errorf("the log holds the %s", what)
		}
	}
}

// breakTheService has the service refuse and break off, and say what it must not.
func breakTheService(t *testing.T, w *world.World, anna *discordtest.User) {
	t.Helper()
	echo := `{"error":"Authorization: Bearer ` + w.Service.Secret() + `","message":"` + w.Service.Secret() + `"}`
	for i, fault := range []hostapitest.Fault{
		{Status: http.StatusUnauthorized, Body: echo}, {Status: http.StatusInternalServerError, Body: echo},
		{Status: http.StatusConflict, Body: w.Service.Secret()}, {Status: http.StatusOK, Body: echo},
		{Redirect: "http://127.0.0.1:1/?secret=" + w.Service.Secret()}, {Reset: true}, {Malformed: true},
	} {
		w.Service.Fail(hostapitest.OpReinstall, fault, 1)
		reply := anna.Types(t, "/bot reinstall", bot(fmt.Sprint("Spare ", i))).Press(t, "Reinstall packages") // another each time, as one may be held back
		w.StaffRead(t, "Reinstall", referenceIn(t, reply.WaitFor(t, "Reference:")))
	}
}

// breakDiscord has Discord refuse and break off, and say what it must not.
func breakDiscord(t *testing.T, w *world.World, anna *discordtest.User) {
	t.Helper()
	echo := `{"code":0,"message":"Authorization: Bot ` + w.Discord.Token() + `"}`
	header := http.Header{"Content-Type": {"application/json"}}
	for _, route := range []string{discordtest.RouteCallback, discordtest.RouteMessages} {
		for _, fault := range []discordtest.Fault{
			{Status: http.StatusInternalServerError, Header: header, Body: echo},
			{Status: http.StatusBadGateway, Body: echo},
			{Reset: true}, {Reset: true, After: true},
		} {
			fault.Route, fault.Times = route, 1
			w.Discord.Inject(fault)
			anna.Types(t, "/bot show", bot("Radio")).WaitFor(t, "Limits: 512 MB RAM")
			w.Service.Fail(hostapitest.OpReinstall, hostapitest.Fault{Status: http.StatusConflict}, 1)
			anna.Types(t, "/bot reinstall", bot("Radio")).Press(t, "Reinstall packages").WaitFor(t, "Reference:")
		}
	}
	for _, refusal := range []discordtest.Fault{{Status: http.StatusUnauthorized, Header: header, Body: echo}, {Status: http.StatusForbidden, Header: header, Body: echo}} {
		refusal.Route, refusal.Times = discordtest.RouteCallback, 1
		w.Discord.Inject(refusal)
		if _, err := anna.Start("/bot restart", bot("Radio")); err != nil {
			t.Fatal(err)
		}
		w.Log.WaitFor(t, "the caller could not be told")
	}
	if world.OverHTTP() {
		return
	}
	w.Discord.Inject(discordtest.Fault{Route: discordtest.RouteGatewayBot, Times: 1, Status: http.StatusInternalServerError, Header: header, Body: echo})
	w.Discord.InvalidateSession(false)
	w.Log.WaitForTimes(t, "connected to discord", 2)
}
