package hostapi_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"hostbot/hostapi"
	"hostbot/hostapi/secret"
)

// TestSetSecret has requests carry another secret. No error tells either, as the service may repeat
// what requests under way have carried.
func TestSetSecret(t *testing.T) {
	const another = "an0ther-of-the-service"
	var sent string
	client := serve(t, func(w http.ResponseWriter, r *http.Request) {
		sent = r.Header.Get("Authorization")
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = io.WriteString(w, theSecret+" and "+another)
	})
	for _, step := range []struct {
		secret  secret.Text
		changed bool
		wrong   string // what is wrong with it
		sends   string
	}{
		{theSecret, false, "", theSecret},
		{another, true, "", another},
		{another, false, "", another},
		{"", false, "is missing", another},
		{"with a space", false, "white space", another},
		{theSecret, true, "", theSecret},
	} {
		changed, err := client.SetSecret(step.secret)
		if changed != step.changed || (err == nil) != (step.wrong == "") || err != nil && !strings.Contains(err.Error(), step.wrong) {
			t.Errorf("%q: %v, %v", step.secret.Reveal(), changed, err)
		}
		_, err = client.List(hostapi.Once(t.Context()), "1")
		if sent != "Bearer "+step.sends {
			t.Errorf("%q: the request carries %q", step.secret.Reveal(), sent)
		}
		for _, text := range []string{fmt.Sprint(err), fmt.Sprintf("%v %+v %#v", client, client, client)} {
			if strings.Contains(text, step.sends) || changed && (strings.Contains(text, theSecret) || strings.Contains(text, another)) {
				t.Errorf("it tells %s", text)
			}
		}
	}
}

// takes is a step that accepts one secret.
func takes(accepted string) step {
	return func(r *http.Request) (*http.Response, error) {
		if r.Header.Get("Authorization") != "Bearer "+accepted {
			return answers(http.StatusUnauthorized, "", "")(r)
		}
		return works(r)
	}
}

// TestRefusedSecretIsLookedUpAgain has the secret change where it is kept and, before or after that, at the service.
// The call that is refused first is made with the new one, also if it is an action or nobody waits for it: nothing was carried out.
func TestRefusedSecretIsLookedUpAgain(t *testing.T) {
	const another = "an0ther-of-the-service"
	list := func(ctx context.Context, c *hostapi.Client) error { _, err := c.List(ctx, "42"); return err }
	poll := func(ctx context.Context, c *hostapi.Client) error { return list(hostapi.Once(ctx), c) }
	restart := func(ctx context.Context, c *hostapi.Client) error { _, err := c.Restart(ctx, "42", "s"); return err }
	for _, test := range []struct {
		name     string
		call     func(context.Context, *hostapi.Client) error
		kept     secret.Text // where it is kept, by now
		service  step
		attempts int
		code     hostapi.Code
	}{
		{"a read", list, another, takes(another), 2, ""},
		{"a poll", poll, another, takes(another), 2, ""},
		{"an action", restart, another, takes(another), 2, ""},
		{"the same is kept", restart, theSecret, takes(another), 1, hostapi.CodeUnauthorized},
		{"what is kept is refused as well", list, another, takes("a-third"), 2, hostapi.CodeUnauthorized},
		{"what is kept is none", list, "not a secret", takes(another), 1, hostapi.CodeUnauthorized},
		{"another refusal", restart, another, answers(http.StatusForbidden, `{"code":"unauthorized"}`, ""), 1, hostapi.CodeUnauthorized},
		{"a failure after it", restart, another, func(r *http.Request) (*http.Response, error) {
			if r.Header.Get("Authorization") == "Bearer "+another {
				return breaksOff(r)
			}
			return takes(another)(r)
		}, 2, hostapi.CodeUnavailable},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &script{steps: []step{test.service}}
				var client *hostapi.Client
				client = newClient(t, "https://hosting.example", s.with, func(c *hostapi.Config) {
					c.OnRefused = func() { _, _ = client.SetSecret(test.kept) }
				})
				err := test.call(t.Context(), client)
				if n := s.sent(); hostapi.CodeOf(err) != test.code || n != test.attempts {
					t.Errorf("%v after %d requests, want %q after %d", err, n, test.code, test.attempts)
				}
				if err != nil && asError(t, err).Attempts != test.attempts {
					t.Errorf("it tells of %d attempts", asError(t, err).Attempts)
				}
				if hostapi.IsUncertain(err) != (test.code == hostapi.CodeUnavailable) {
					t.Errorf("uncertain %v: %v", hostapi.IsUncertain(err), err)
				}
			})
		})
	}
}

// TestRefusedSecretIsLookedUpSeldom has many calls refused at once, for longer than a second.
func TestRefusedSecretIsLookedUpSeldom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &script{steps: []step{takes("another")}}
		var looks []time.Time
		client := newClient(t, "https://hosting.example", s.with, func(c *hostapi.Config) {
			c.OnRefused = func() { looks = append(looks, time.Now()) } // under the client's lock
		})
		for range 25 { // for 2.5 s
			var calls sync.WaitGroup
			for range 10 {
				calls.Go(func() { _, _ = client.List(t.Context(), "42") })
			}
			calls.Wait()
			time.Sleep(100 * time.Millisecond)
		}
		if len(looks) != 3 || looks[1].Sub(looks[0]) < time.Second || looks[2].Sub(looks[1]) < time.Second {
			t.Errorf("looked up at %v", looks)
		}
	})
}
