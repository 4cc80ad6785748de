package register_test

import (
	"context"
	"errors"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"hostbot/bot/discord/register"
)

const ownKey = "abcd"

// TestLookComparesThePortalWithTheBot before it asks anybody.
func TestLookComparesThePortalWithTheBot(t *testing.T) {
	const there = "https://old.example.com/hook?key=1"
	for name, test := range map[string]struct {
		endpoint, key string
		want          register.Fault
	}{
		"the gateway": {"", "", register.None},
		"an endpoint, and the bot uses the gateway":   {there, "", register.Elsewhere},
		"none, and the bot takes them over HTTP":      {"", ownKey, register.NoEndpoint},
		"an endpoint, with another application's key": {there, "ef01", register.ForeignKey},
		"an endpoint that is no address":              {"https://[", ownKey, register.Unanswered},
	} {
		a := register.Application{Endpoint: test.endpoint, VerifyKey: ownKey}
		found := a.Look(t.Context(), test.key, answering(func(*http.Request) (*http.Response, error) { return nil, errors.New("somebody is asked") }))
		what, cure := found.Explain()
		if found.Fault != test.want || (found.Fault == register.None) != (what+cure == "") || strings.Contains(what, "key=1") || strings.Contains(what, "somebody") {
			t.Errorf("%s: %+v, %s, %s", name, found, what, cure)
		}
	}
}

// TestLookAsksTheBotsOwnAddress for what only the bot answers to a request that nobody has signed.
func TestLookAsksTheBotsOwnAddress(t *testing.T) {
	status, header := http.StatusUnauthorized, http.Header{}
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost || r.URL.RequestURI() != "/hook?key=1" {
			status = http.StatusTeapot
		}
		for name, values := range header {
			w.Header()[name] = values
		}
		w.WriteHeader(status)
	}))
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // of who does not trust the certificate
	server.StartTLS()
	t.Cleanup(server.Close)
	a := register.Application{Endpoint: server.URL + "/hook?key=1", VerifyKey: ownKey}
	look := func() register.Arrival { return a.Look(t.Context(), ownKey, server.Client().Transport) }

	found := look()
	if found.Fault != register.None || !found.Expires.Equal(server.Certificate().NotAfter) || found.Path != "/hook" {
		t.Errorf("the bot answers: %+v", found)
	}
	for _, days := range []int{6, 8} {
		left, soon := found.ExpiresSoon(found.Expires.Add(-time.Duration(days) * 24 * time.Hour))
		if left != days || soon != (days == 6) {
			t.Errorf("of %d days that are left: %d, %t", days, left, soon)
		}
	}
	header.Set("WWW-Authenticate", "Basic")
	if found := look(); found.Answer != "status 401 Unauthorized" {
		t.Errorf("somebody wants a password: %+v", found)
	}
	status = http.StatusBadGateway
	if found := look(); found.Fault != register.Unanswered || found.Answer != "status 502 Bad Gateway" {
		t.Errorf("a proxy does not reach the bot: %+v", found)
	}
	header.Set("Location", "/elsewhere")
	status = http.StatusFound
	if found := look(); found.Answer != "status 302 Found" {
		t.Errorf("it is sent elsewhere: %+v", found)
	}
	if found := a.Look(t.Context(), ownKey, &http.Transport{DisableKeepAlives: true}); !strings.Contains(found.Answer, "certificate") {
		t.Errorf("nobody trusts the certificate: %+v", found)
	}
	server.Close()
	if found := look(); !strings.Contains(found.Answer, "refused") || strings.Contains(found.Answer, "key=1") {
		t.Errorf("nobody is there: %+v", found)
	}
}

// TestLookGivesUp on an address that says nothing, after the time for which Discord waits.
func TestLookGivesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := register.Application{Endpoint: "https://bot.example.com/interactions", VerifyKey: ownKey}
		found := a.Look(t.Context(), ownKey, answering(func(r *http.Request) (*http.Response, error) {
			<-r.Context().Done()
			return nil, r.Context().Err()
		}))
		if found.Answer != "no answer within 3s" || time.Since(found.At) != 3*time.Second {
			t.Errorf("%+v after %v", found, time.Since(found.At))
		}
	})
}

// TestLookoutSeesWhatBeginsAndEnds: nginx goes, and is back; then the endpoint is removed, while Discord is
// away for a time.
func TestLookoutSeesWhatBeginsAndEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		a := register.Application{Endpoint: "https://bot.example.com/interactions", VerifyKey: ownKey}
		var unread error
		status := http.StatusUnauthorized
		type change struct {
			Fault register.Fault
			At    time.Duration // since the start
			Since time.Duration // that it has lasted, where it is over
		}
		var changes []change
		looks := 0
		var mu sync.Mutex // the test holds it but while it waits
		mu.Lock()
		l := &register.Lookout{
			PublicKey: ownKey,
			Read: func(context.Context) (*register.Application, error) {
				mu.Lock()
				defer mu.Unlock()
				looks++
				return new(a), unread
			},
			Via: answering(func(*http.Request) (*http.Response, error) {
				mu.Lock()
				defer mu.Unlock()
				return &http.Response{StatusCode: status, Body: io.NopCloser(strings.NewReader(""))}, nil
			}),
			Changed: func(before, now register.Arrival) {
				c := change{Fault: now.Fault, At: time.Since(began)}
				if now.Fault == register.None {
					c.Since = now.At.Sub(before.Since)
				}
				changes = append(changes, c)
			},
		}
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		if !l.Latest().At.IsZero() {
			t.Error("it knows before it has looked")
		}
		go l.Run(ctx)
		wait := func(d time.Duration) {
			mu.Unlock()
			time.Sleep(d)
			synctest.Wait()
			mu.Lock()
		}
		defer mu.Unlock()
		wait(time.Minute)
		status = http.StatusBadGateway
		wait(5 * time.Minute) // seen after five, and again
		status = http.StatusUnauthorized
		wait(time.Minute)
		status = http.StatusBadGateway // once, which is no news
		wait(4*time.Minute + 45*time.Second)
		status = http.StatusUnauthorized
		wait(time.Minute)
		unread = errors.New("Discord is away")
		a.Endpoint = ""
		wait(10 * time.Minute)
		if latest := l.Latest(); latest.Fault != register.None || latest.At.IsZero() {
			t.Errorf("while Discord is away: %+v", latest)
		}
		unread = nil
		before := looks
		wait(2 * time.Minute)
		if looks-before != 4 {
			t.Errorf("%d looks in two minutes in which interactions do not arrive", looks-before)
		}
		want := []change{
			{Fault: register.Unanswered, At: 5*time.Minute + 30*time.Second}, {At: 6*time.Minute + 30*time.Second, Since: 90 * time.Second}, {Fault: register.NoEndpoint, At: 23 * time.Minute},
		}
		if diff := cmp.Diff(want, changes); diff != "" {
			t.Errorf("changes (-want +got):\n%s", diff)
		}
		if since := l.Latest().Since.Sub(began); since != 23*time.Minute {
			t.Errorf("the fault is said to be there since %v", since)
		}
	})
}

// answering is who answers requests.
type answering func(*http.Request) (*http.Response, error)

func (f answering) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
