package hostapi_test

import (
	"context"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"hostbot/hostapi"
	"hostbot/hostapi/hostapitest"
)

// meeting serves one fault to every request.
func meeting(f hostapitest.Fault) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for name, values := range f.Header {
			w.Header()[name] = values
		}
		if f.Status != 0 {
			w.WriteHeader(f.Status)
		}
		_, _ = io.WriteString(w, f.Body)
	}
}

// asListed is a context of an account that was listed with two servers, whose calls make one request.
func asListed(t *testing.T) context.Context {
	return hostapi.AsListed(hostapi.Once(t.Context()), hostapi.Listing{At: time.Now().Add(-12 * time.Second), Servers: 2})
}

// TestGatewayIsNoWordOnAnAccount: what a gateway answers is the service's trouble if the account was listed
// before, and at an action.
func TestGatewayIsNoWordOnAnAccount(t *testing.T) {
	for _, gateway := range hostapitest.Gateways() {
		client := serve(t, meeting(gateway.Fault))
		isPage := strings.HasPrefix(gateway.Fault.Body, "<")
		_, err := client.List(asListed(t), "42")
		if e := asError(t, err); e.Code != hostapi.CodeUnavailable || e.Doubted == isPage {
			t.Errorf("%s: an account that was listed: %v, doubted: %t", gateway.Name, err, e.Doubted)
		} else if e.Doubted && !strings.Contains(e.Detail, "does not find what it listed 12s ago") {
			t.Errorf("%s: staff read %q", gateway.Name, e.Detail)
		}
		if _, err := client.List(hostapi.Once(t.Context()), "42"); !isPage && (hostapi.CodeOf(err) != hostapi.CodeNotFound || asError(t, err).OwnWord) {
			t.Errorf("%s: an account of which nothing is known: %v", gateway.Name, err)
		}
		for name, act := range map[string]func() error{
			"restart": func() error { _, err := client.Restart(t.Context(), "42", "s"); return err },
			"delete":  func() error { return client.Delete(t.Context(), "42", "s") },
			"create":  func() error { _, err := client.Create(t.Context(), "42", hostapi.NewServer{}); return err },
		} {
			if err := act(); hostapi.CodeOf(err) != hostapi.CodeUnavailable || hostapi.IsUncertain(err) {
				t.Errorf("%s: %s: %v, uncertain: %t", gateway.Name, name, err, hostapi.IsUncertain(err))
			}
		}
	}
}

func TestServicesOwnWordIsBelieved(t *testing.T) {
	for _, body := range []string{
		`{"error":"no account is linked to this user","code":"account_not_found"}`,
		`{"error":"account_not_found"}`,
		`{"code":"USER_NOT_FOUND"}`,
		`{"errors":[{"code":"CustomerNotFound","detail":"Not Found"}]}`,
		`{"error":{"message":"Unknown chatUserId"}}`,
		`{"message":"No query results for model [App\\Models\\User] 42"}`,
		`{"type":"about:blank","title":"Not Found","status":404,"detail":"No such member.","instance":"/api/bot/servers"}`,
		"\uFEFF" + `{"message":"Account not found. See https://hosting.example/docs/errors"}`,
	} {
		client := serve(t, meeting(hostapitest.Fault{Status: http.StatusNotFound, Body: body}))
		_, list := client.List(asListed(t), "42")
		_, restart := client.Restart(t.Context(), "42", "s")
		for _, err := range []error{list, restart} {
			if e := asError(t, err); e.Code != hostapi.CodeNotFound || !e.OwnWord || e.Doubted {
				t.Errorf("%s: %+v", body, e)
			}
		}
	}
	for body, own := range map[string]bool{
		`{"error":"the account has no such server","code":"server_not_found"}`: true,
		`{"error":"Server 7 doesn't exist"}`:                                   true,
		`{"code":"bot-not-found"}`:                                             true,
		`{"message":"No query results for model [App\\Models\\Server] 7"}`:     true,
		`{"message":"The requested URL was not found on this server."}`:        false,
		`{"message":"the server could not find the requested resource"}`:       false,
		`{"error":"Not found"}`:                                                false,
	} {
		client := serve(t, meeting(hostapitest.Fault{Status: http.StatusNotFound, Body: body}))
		_, err := client.Stop(t.Context(), "42", "s")
		if want := map[bool]hostapi.Code{true: hostapi.CodeNotFound, false: hostapi.CodeUnavailable}[own]; hostapi.CodeOf(err) != want {
			t.Errorf("an action: %s: %v, want %s", body, err, want)
		}
		if _, err := client.List(asListed(t), "42"); !strings.Contains(body, "account") && hostapi.CodeOf(err) != hostapi.CodeUnavailable {
			t.Errorf("a list: %s: %v", body, err)
		}
	}
}

func TestEmptyListIsBelievedWhereTheAccountSaysSo(t *testing.T) {
	for _, empty := range hostapitest.EmptyLists() {
		client := serve(t, meeting(empty.Fault))
		if _, err := client.List(asListed(t), "42"); hostapi.CodeOf(err) != hostapi.CodeUnavailable || !asError(t, err).Doubted {
			t.Errorf("%s: %v", empty.Name, err)
		}
		for what, ctx := range map[string]context.Context{
			"unknown": t.Context(), "empty before": hostapi.AsListed(t.Context(), hostapi.Listing{At: time.Now()}),
		} {
			if l, err := client.List(ctx, "42"); err != nil || len(l.Servers) != 0 {
				t.Errorf("%s of an account that is %s: %v", empty.Name, what, err)
			}
		}
	}
	client := serve(t, saying(`{"servers":[],"account":{"serverCount":0}}`))
	if _, err := client.List(asListed(t), "42"); err != nil {
		t.Errorf("an account that says that it has none: %v", err)
	}
}

// TestAccountsThatGoMissingAreAnOutage has five accounts that were listed not be found any more. The
// 404 to somebody of whom nothing is known closes the breaker as little as it is believed meanwhile.
func TestAccountsThatGoMissingAreAnOutage(t *testing.T) {
	for name, answer := range map[string]step{
		"a gateway's 404": answers(404, "404 page not found\n", ""),
		"empty lists":     answers(200, `{"servers":[]}`, ""),
	} {
		synctest.Test(t, func(t *testing.T) {
			g := guard(t, answer)
			for i := range 5 {
				if _, err := g.List(asListed(t), strconv.Itoa(i)); g.isOpen() != (i == 4) {
					t.Errorf("%s: account %d (%v): the breaker is open: %t", name, i, err, g.isOpen())
				}
			}
			g.becomes(answers(404, "404 page not found\n", ""))
			if _, err := g.List(hostapi.Once(t.Context()), "newcomer"); hostapi.CodeOf(err) != hostapi.CodeUnavailable || !g.isOpen() {
				t.Errorf("%s: of a newcomer: %v, the breaker is open: %t", name, err, g.isOpen())
			}
			g.becomes(works)
			pass(2 * time.Second)
			if _, err := g.List(t.Context(), "1"); err != nil || g.isOpen() || len(g.down) != 1 || len(g.up) != 1 {
				t.Errorf("%s: afterwards: %v; down %d times, up %d times", name, err, len(g.down), len(g.up))
			}
		})
	}
}
