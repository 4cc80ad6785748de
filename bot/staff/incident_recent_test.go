package staff_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/rs/zerolog"

	"hostbot/bot/interaction"
	"hostbot/bot/staff/incident"
	"hostbot/hostapi"
	"hostbot/hostapi/redistest"
)

// TestTheLatestEventsOfACustomerAreKept keeps more than are shown, one of them twice, and
// something else beside them, and forgets them.
func TestTheLatestEventsOfACustomerAreKept(t *testing.T) {
	redistest.Each(t, func(t *testing.T, url string) {
		client := redistest.Connect(t, url)
		store := incident.New(client, "", "1", zerolog.Nop())
		note := func(id string, a interaction.Action, why error) {
			r := &interaction.Request{ID: id, UserID: "42", CustomerID: "42", Reference: "REF" + id}
			event := incident.Ended(r, a, why)
			if a.Name == "" {
				event = incident.Failed(r, why)
			}
			store.Note("42", event)
		}
		for i := range 12 {
			note(fmt.Sprint(i), interaction.Action{Name: "restart", BotID: "a", BotName: "Shop", Outcome: interaction.Done}, nil)
		}
		refused := fmt.Errorf("restart: %w", &hostapi.Error{Code: hostapi.CodeConflict, Status: 409})
		note("12", interaction.Action{Name: "stop", BotID: "a", Outcome: interaction.Failed}, refused)
		note("12", interaction.Action{Name: "stop", BotID: "a", Outcome: interaction.Failed}, refused)
		if err := client.LPush(t.Context(), "hostbot:recent:42", "garbage").Err(); err != nil {
			t.Fatal(err)
		}
		note("13", interaction.Action{}, &hostapi.Error{Code: hostapi.CodeUnavailable})
		note("14", interaction.Action{Name: "create", Outcome: interaction.Refused}, &hostapi.Error{Code: hostapi.CodeInvalid, Status: 422})
		events, err := store.Recent(t.Context(), "42")
		if err != nil || len(events) != 8 {
			t.Fatalf("%d events (%v): %+v", len(events), err, events)
		}
		if e := events[0]; e.Action != "create" || e.Outcome != interaction.Refused || e.Cause != "invalid" || e.Status != 422 || e.Reference != "" {
			t.Errorf("what was refused is %+v", e)
		}
		events = events[1:]
		if e := events[0]; e.Action != "" || e.Cause != "unreachable" || e.Reference != "REF13" {
			t.Errorf("the failure is %+v", e)
		}
		if e := events[1]; e.Action != "stop" || e.Cause != "conflict" || e.Status != 409 || e.Reference != "REF12" {
			t.Errorf("the action that failed is %+v", e)
		}
		if e := events[2]; e.Action != "restart" || e.BotName != "Shop" || e.Cause != "" || e.Reference != "" {
			t.Errorf("the action that went well is %+v", e)
		}
		if others, err := store.Recent(t.Context(), "43"); err != nil || len(others) > 0 {
			t.Errorf("another customer's are %+v (%v)", others, err)
		}
		for _, want := range []bool{true, false} {
			if was, err := store.Forget(t.Context(), "42"); err != nil || was != want {
				t.Errorf("forgotten: %t, %v", was, err)
			}
		}
	})
	if cause, status := incident.HeadlineOf(errors.New("x")); cause != "internal" || status != 0 {
		t.Errorf("%s, %d", cause, status)
	}
}
