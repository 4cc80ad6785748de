package hostapi_test

import (
	"strings"
	"testing"

	"hostbot/hostapi"
	"hostbot/hostapi/hostapitest"
)

// A page says nothing of an account, and an action has not reached the service.
func TestPagesAreNotTheServices(t *testing.T) {
	t.Parallel()
	for _, page := range hostapitest.RealPages() {
		client := answering(t, page.Fault)
		_, listed := client.List(hostapi.Once(t.Context()), user)
		_, restarted := client.Restart(t.Context(), user, "srv-1")
		for _, err := range []error{listed, restarted} {
			got := asError(t, err)
			said := strings.Contains(got.Detail, "not the service's JSON") || strings.Contains(got.Detail, "before the service lets nothing through") || strings.Contains(got.Detail, "is blocked before the service") ||
				strings.HasPrefix(got.Detail, "redirect not followed: to https://") && !strings.Contains(got.Detail, "/signin")
			if got.Code != hostapi.CodeUnavailable || got.Uncertain || !said {
				t.Errorf("%s: uncertain %v, %v", page.Name, got.Uncertain, err)
			}
		}
	}
}

func TestBarriersAreNamed(t *testing.T) {
	t.Parallel()
	for _, barrier := range hostapitest.RealBarriers() {
		_, err := answering(t, barrier.Fault).List(hostapi.Once(t.Context()), user)
		if got := asError(t, err); got.Code != hostapi.CodeUnavailable || !strings.HasPrefix(got.Detail, "this machine's address is blocked before the service") {
			t.Errorf("%s: %v", barrier.Name, err)
		}
	}
}

// Some pages are the service's: where it refuses the secret, and where it does not tell of one server.
func TestPagesThatMayBeTheServices(t *testing.T) {
	t.Parallel()
	page := func(status int) hostapitest.Fault { return hostapitest.Fault{Status: status, Body: "<h1>no</h1>"} }
	if _, err := answering(t, page(401)).List(t.Context(), user); hostapi.CodeOf(err) != hostapi.CodeUnauthorized {
		t.Errorf("401: %v", err)
	}
	if _, err := answering(t, page(404)).Get(t.Context(), user, "srv-1"); hostapi.CodeOf(err) != hostapi.CodeNotFound {
		t.Errorf("404 about one server: %v", err)
	}
}
