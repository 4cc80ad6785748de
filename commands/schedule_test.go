package commands_test

import (
	"testing"
	"time"

	"hostbot/bot/watch/outages"
	"hostbot/bot/watch/schedule"
	"hostbot/hostapi/accounts"
)

// TestScheduleRestartsOnlyWhatRuns, as the service says now, and nothing during maintenance.
func TestScheduleRestartsOnlyWhatRuns(t *testing.T) {
	maintenance := outages.Notice{Text: "A switch", From: time.Now().Add(-time.Hour), Until: time.Now().Add(time.Hour), Prefix: "sh", Maintenance: true}
	told, over, others := maintenance, maintenance, maintenance
	told.Maintenance, over.Until, others.Prefix = false, time.Now().Add(-time.Minute), "radio"
	for name, test := range map[string]struct {
		status, id    string
		notices       []outages.Notice
		begins, later bool
	}{
		"running": {status: "RUNNING", begins: true}, "crashed": {status: "CRASHED"}, "stopped": {status: "STOPPED"},
		"suspended": {status: "SUSPENDED"}, "starting": {status: "STARTING", later: true}, "gone": {status: "RUNNING", id: "b"},
		"maintenance":    {status: "RUNNING", notices: []outages.Notice{maintenance}},
		"no maintenance": {status: "RUNNING", notices: []outages.Notice{told, over, others}, begins: true},
	} {
		t.Run(name, func(t *testing.T) {
			w := &world{list: account(server("a", "Shop", test.status)), notes: map[string]accounts.Note{}}
			response, err := watching(t, &watched{w: w, notices: test.notices}).RestartOnSchedule(t.Context(), byProgram("a"+test.id))
			if begins := response.Then != nil; begins != test.begins || (err != nil) != test.later {
				t.Fatalf("it begins: %t (%v)", begins, err)
			}
		})
	}
}

// TestScheduleIsChosen on the card, in a form that comes back as it is set, and with what cannot be used.
func TestScheduleIsChosen(t *testing.T) {
	h := &watched{w: &world{list: account(server("a", "Shop", "RUNNING"))}, schedules: map[string]schedule.Schedule{}}
	c := watching(t, h)
	button, ok := buttons(answer(t, c, press("more/a")).Message)["Restart daily…"]
	if !ok {
		t.Fatal("there is no button")
	}
	opened := func() (typed map[string]string) {
		t.Helper()
		typed = map[string]string{}
		for _, f := range answer(t, c, inLanguage("de", press(button.CustomID))).Modal.Fields {
			typed[f.Input.CustomID] = f.Input.Value
		}
		return typed
	}
	if is := opened(); is["time"]+is["hours"] != "" || is["zone"] != "Europe/Berlin" {
		t.Errorf("the form opens with %v", is)
	}
	set := func(time, hours, zone, said string) {
		t.Helper()
		wantText(t, ending(t, c, submit(button.CustomID, map[string]string{"time": time, "hours": hours, "zone": zone})).Message, said)
	}
	set("4:30 am", "", "new york", "Restarts daily at 04:30 (America/New York), next <t:")
	if is := opened(); is["time"] != "04:30" || is["hours"] != "" || is["zone"] != "America/New York" {
		t.Errorf("the form opens with %v", is)
	}
	wantText(t, answer(t, c, press("more/a")).Message, "Restarts daily at 04:30")
	set("", " 6 ", "", "Restarts every 6 hours, next <t:")
	if is := opened(); is["time"] != "" || is["hours"] != "6" || is["zone"] != "America/New York" {
		t.Errorf("the form opens with %v", is)
	}
	for _, typed := range []map[string]string{{"time": "noon"}, {"hours": "0"}, {"hours": "169"}, {"hours": "x"}, {"time": "4:30", "hours": "6"}} {
		refused(t, c, submit(button.CustomID, typed), "Enter either a time of day")
	}
	refused(t, c, submit(button.CustomID, map[string]string{"time": "4:30", "zone": "nowhere"}), "I don't know that time zone")
	if is := h.schedules["a"]; is.Hours != 6 {
		t.Errorf("%+v is set", is)
	}
	h.w.beside = elsewhere(t, "restart", "a")
	set("", "", "", "has no scheduled restarts anymore.\n⏳ Restarting **Shop**")
	if len(h.schedules) > 0 {
		t.Errorf("%v is set", h.schedules)
	}
}
