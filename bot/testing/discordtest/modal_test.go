package discordtest_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hostbot/bot/testing/discordtest"
)

// label is a label around a component.
func label(name, component string) string {
	return `{"type":18,"label":"` + name + `","description":"d","component":` + component + `}`
}

// opened has a modal with these components opened for anna.
func (s *stage) opened(components ...string) *discordtest.Reply {
	s.t.Helper()
	r, e := s.command()
	s.do("POST", e.path(), `{"type":9,"data":{"custom_id":"`+e.ID+`","title":"T","components":[`+strings.Join(components, ",")+`]}}`).want(s.t, 204, 0)
	return r
}

// TestAFormIsRememberedByItsID has a form opened with a value, and then with another one.
func TestAFormIsRememberedByItsID(t *testing.T) {
	s := newStage(t, discordtest.Config{NoRateLimits: true})
	seen := func(id, value string) string {
		r, e := s.command()
		form := label("Name", `{"type":4,"style":1,"custom_id":"name","value":"`+value+`"}`)
		s.do("POST", e.path(), `{"type":9,"data":{"custom_id":"`+id+`","title":"T","components":[`+form+`]}}`).want(t, 204, 0)
		return r.View().Modal.Components[0].Component.Value
	}
	if got := seen("a", "one") + seen("a", "two") + seen("b", "three"); got != "oneonethree" {
		t.Errorf("the person sees %q", got)
	}
}

const (
	twoOptions  = `[{"label":"Node","value":"NODE","default":true},{"label":"Python","value":"PYTHON"}]`
	radios      = `{"type":21,"custom_id":"language","options":` + twoOptions + `}`
	menu        = `{"type":3,"custom_id":"size","options":` + twoOptions + `}`
	boxes       = `{"type":22,"custom_id":"several","min_values":0,"required":false,"options":` + twoOptions + `}`
	box         = `{"type":23,"custom_id":"start"}`
	lineOfText  = `{"type":4,"style":1,"custom_id":"name"}`
	freeChoices = `{"type":21,"custom_id":"language","required":false,"options":[{"label":"A","value":"a"},{"label":"B","value":"b"}]}`
)

// filled is an event of a modal whose components are labels.
type filled struct {
	Data struct {
		Components []struct {
			Component struct {
				CustomID      string `json:"custom_id"`
				Value, Values any
			}
		}
	}
}

func TestWhatIsSentOfAForm(t *testing.T) {
	s := newStage(t, discordtest.Config{NoRateLimits: true})
	all := []string{label("Name", lineOfText), label("Language", radios), label("Size", menu), label("Several", boxes), label("Start", box)}
	for name, tc := range map[string]struct {
		form   []string
		fields discordtest.Fields
		want   map[string]any
	}{
		"as it is": {all, discordtest.Fields{"name": "Shop"}, map[string]any{
			"name": "Shop", "language": "NODE", "size": []any{"NODE"}, "several": []any{"NODE"}, "start": false,
		}},
		"filled in": {
			all, discordtest.Fields{"Name": "Shop", "Language": "Python", "size": "PYTHON", "Several": []string{"Node", "Python"}, "Start": true},
			map[string]any{"name": "Shop", "language": "PYTHON", "size": []any{"PYTHON"}, "several": []any{"NODE", "PYTHON"}, "start": true},
		},
		"nothing selected": {[]string{label("Language", freeChoices)}, nil, map[string]any{"language": nil}},
	} {
		t.Run(name, func(t *testing.T) {
			modal := s.opened(tc.form...)
			go func() { _, _ = modal.Fill(limit(t), tc.fields) }()
			sent := decode[filled](t, s.wire.read().Data)
			got := map[string]any{}
			for _, c := range sent.Data.Components {
				got[c.Component.CustomID] = c.Component.Value
				if c.Component.Values != nil {
					got[c.Component.CustomID] = c.Component.Values
				}
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("sent (-want +got):\n%s", diff)
			}
		})
	}
}

func TestWhatAFormDoesNotTake(t *testing.T) {
	s := newStage(t, discordtest.Config{NoRateLimits: true})
	for want, tc := range map[string]struct {
		component string
		value     any
	}{
		`field "F": no option with value "RUBY"`: {radios, "RUBY"},
		"1 to 1 options":                         {radios, []string{}},
	} {
		modal := s.opened(label("F", tc.component))
		if _, err := modal.Fill(limit(t), discordtest.Fields{"F": tc.value}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want an error with %q", err, want)
		}
	}
}

func TestRefusedForms(t *testing.T) {
	s := newStage(t, discordtest.Config{NoRateLimits: true})
	s.discord.ExpectFailures()
	_, e := s.command()
	const path = "data.components.0.component"
	options := func(n int) string { return many(n, `{"label":"L","value":"%"}`) }
	for name, tc := range map[string]struct{ component, path string }{
		"one radio":         {`{"type":21,"custom_id":"f","options":` + options(1) + `}`, ".options"},
		"11 radios":         {`{"type":21,"custom_id":"f","options":` + options(11) + `}`, ".options"},
		"two selected":      {`{"type":21,"custom_id":"f","options":[{"label":"A","value":"a","default":true},{"label":"B","value":"b","default":true}]}`, ".options"},
		"no radio's label":  {`{"type":21,"custom_id":"f","options":[{"value":"a"},{"label":"B","value":"b"}]}`, ".options.0.label"},
		"same value":        {`{"type":21,"custom_id":"f","options":[{"label":"A","value":"a"},{"label":"B","value":"a"}]}`, ".options.1.value"},
		"no radios' id":     {`{"type":21,"options":` + options(2) + `}`, ".custom_id"},
		"no checkbox's id":  {`{"type":23}`, ".custom_id"},
		"11 checkboxes":     {`{"type":22,"custom_id":"f","options":` + options(11) + `}`, ".options"},
		"none of a must":    {`{"type":22,"custom_id":"f","min_values":0,"options":` + options(2) + `}`, ".required"},
		"disabled menu":     {`{"type":3,"custom_id":"f","disabled":true,"options":` + options(2) + `}`, ".disabled"},
		"button in a label": {`{"type":2,"style":1,"label":"L","custom_id":"f"}`, ".type"},
	} {
		t.Run(name, func(t *testing.T) {
			body := `{"type":9,"data":{"custom_id":"m","title":"T","components":[` + label("F", tc.component) + `]}}`
			s.do("POST", e.path(), body).refusedAt(t, path+tc.path)
		})
	}
	long := `{"type":9,"data":{"custom_id":"m","title":"T","components":[{"type":18,"label":"F","description":"` + x(101) + `","component":` + box + `}]}}`
	s.do("POST", e.path(), long).refusedAt(t, "data.components.0.description")
}
