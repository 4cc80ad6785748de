//go:build integration

package processes_test

import (
	"strings"
	"testing"

	"hostbot/bot/testing/discordtest"
	"hostbot/bot/testing/e2e/world"
	"hostbot/hostapi/hostapitest"
)

// TestStaffReadThatNoAccountIsFound has the service find nobody, as something else does that answers at
// HOSTAPI_URL, and then everybody again.
func TestStaffReadThatNoAccountIsFound(t *testing.T) {
	t.Parallel()
	w := newScene(t, instantly, discordtest.Config{})
	r := w.start(t)
	told := func(words string) int { return len(world.Entries(w.staff.Messages(), words)) }
	item := func() string {
		_, page := r.get("/healthz?verbose")
		_, after, _ := strings.Cut(page, " hosting service: ")
		line, _, _ := strings.Cut(after, "\n")
		return line
	}
	list := func(name string, n int, words string) {
		for _, c := range w.customers(name, n) {
			c.Types(t, "/bot list").WaitFor(t, words)
		}
	}
	w.service.Fail(hostapitest.OpList, hostapitest.Fault{Status: 404, Body: `{"error":"no route"}`}, 0)
	const unlinked, missing = "No hosting account", "accounts not found"
	list("few", 19, unlinked)
	if n := told(missing); n != 0 || strings.Contains(item(), missing) {
		t.Errorf("after a few, staff read %d times of it, and operators %q", n, item())
	}
	list("more", 3, unlinked)
	eventually(t, "staff read that accounts are not found", func() bool { return told(missing) == 1 })
	if said := item(); !strings.Contains(said, "20 of 20 accounts not found") && !strings.Contains(said, "22 of 22 accounts not found") {
		t.Errorf("operators read %q", said)
	}
	list("yet more", 3, unlinked)
	w.service.ClearFaults()
	list("others", 80, "Shop")
	eventually(t, "staff read that they are found again", func() bool { return told("finds accounts again") == 1 })
	if n := told(missing); n != 1 || strings.Contains(item(), missing) {
		t.Errorf("staff read %d times of it, and operators %q", n, item())
	}
}
