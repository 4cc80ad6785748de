package main

import (
	"strconv"
	"strings"
	"testing"
)

// state is what the page knows of what is broken.
type state struct {
	Parts []struct {
		Name, Mode, State string
		Modes             []struct {
			Name string
			Once bool
		}
	}
	Bots []struct{ ID, Name, Status string }
}

func (s state) mode(part string) string {
	for _, p := range s.Parts {
		if p.Name == part {
			return p.Mode
		}
	}
	return ""
}

// Every state can be entered and left again, one at a time for each part.
func TestSwitches(t *testing.T) {
	v := open(t)
	var now state
	v.ask("/api/breaking", nil, &now)
	if len(now.Parts) != 4 {
		t.Fatalf("the parts are %+v", now.Parts)
	}
	for _, part := range now.Parts {
		if part.Mode != normal {
			t.Errorf("%s begins as %q", part.Name, part.Mode)
		}
		want := normal
		for _, m := range append(part.Modes, part.Modes[0]) {
			if !m.Once {
				want = m.Name
			}
			v.ask("/api/break", map[string]string{"part": part.Name, "mode": m.Name}, nil)
			var then state
			v.ask("/api/breaking", nil, &then)
			if got := then.mode(part.Name); got != want {
				t.Errorf("after %s of %s the mode is %q", m.Name, part.Name, got)
			}
		}
	}
}

func TestACrashIsTold(t *testing.T) {
	v := open(t)
	anna, general := v.anna()
	var now state
	v.ask("/api/breaking?user="+anna, nil, &now)
	if len(now.Bots) == 0 || now.Bots[0].Status != "RUNNING" {
		t.Fatalf("the bots are %+v", now.Bots)
	}
	v.ask("/api/crash", map[string]string{"user": anna, "bot": now.Bots[0].ID}, nil)
	v.ask("/api/command", map[string]any{"user": anna, "channel": general, "name": "bot show", "options": map[string]string{"bot": now.Bots[0].ID}}, nil)
	v.waitFor(anna, general, "Crashed")
}

// What was sent and answered is shown, and no secret in it.
func TestWhatHappensUnderneath(t *testing.T) {
	v := open(t)
	anna, general := v.anna()
	v.ask("/api/command", map[string]any{"user": anna, "channel": general, "name": "bot list"}, nil)
	v.waitFor(anna, general, "Your bots")

	var activity struct {
		Interactions []struct {
			Title    string
			Answered *float64
			Steps    []struct {
				ID          int
				Kind, Title string
			}
		}
	}
	v.until("the interaction is answered", func() bool {
		v.ask("/api/activity", nil, &activity)
		return len(activity.Interactions) == 1 && activity.Interactions[0].Answered != nil
	})
	list := activity.Interactions[0]
	var steps []string
	for _, s := range list.Steps {
		steps = append(steps, s.Kind+" "+s.Title)
		var bodies struct{ Request, Response string }
		v.ask("/api/step?step="+strconv.Itoa(s.ID), nil, &bodies)
		if strings.Contains(bodies.Request+bodies.Response, "hosting-secret") {
			t.Errorf("a secret is in %+v", bodies)
		}
	}
	all := strings.Join(steps, ", ")
	for _, want := range []string{"gateway INTERACTION_CREATE", "redis GET", "service list", "discord first response: a message"} {
		if !strings.Contains(all, want) {
			t.Errorf("no %q in %s", want, all)
		}
	}
}
