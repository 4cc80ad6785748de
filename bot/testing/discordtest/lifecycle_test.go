package discordtest_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"hostbot/bot/testing/discordtest"
)

const oneChoice = `{"type":8,"data":{"choices":[]}}`

// A callback has to fit what it answers.
func TestCallbackTypes(t *testing.T) {
	s := newStage(t, discordtest.Config{NoRateLimits: true})
	s.discord.ExpectFailures()
	bodies := map[int]string{
		1:  `{"type":1}`,
		4:  `{"type":4,"data":{"content":"x"}}`,
		5:  `{"type":5}`,
		6:  `{"type":6}`,
		7:  `{"type":7,"data":{"content":"x"}}`,
		8:  oneChoice,
		9:  `{"type":9,"data":{"custom_id":"m","title":"T","components":[{"type":1,"components":[{"type":4,"style":1,"label":"L","custom_id":"f","required":false}]}]}}`,
		12: `{"type":12}`,
	}
	reply, _ := s.message(oneButton)
	command := func() event { _, e := s.command(); return e }
	component := func() event { e, _ := s.press(reply, "Go"); return e }
	fill := func(e event, opener func() *discordtest.Reply) event {
		s.do("POST", e.path(), bodies[9]).want(t, 204, 0)
		modal := opener()
		go func() { _, _ = modal.Fill(limit(t), nil) }()
		return s.wire.interaction()
	}
	for name, tc := range map[string]struct {
		begin  func() event
		answer []int // the types that fit
	}{
		"command":      {command, []int{4, 5, 9}},
		"component":    {component, []int{4, 5, 6, 7, 9}},
		"autocomplete": {func() event { return s.completing() }, []int{8}},
		"modal of a command": {func() event {
			r, e := s.command()
			return fill(e, func() *discordtest.Reply { return r })
		}, []int{4, 5}},
		"modal of a component": {func() event { return fill(s.press(reply, "Go")) }, []int{4, 5, 6, 7}},
	} {
		for kind, body := range bodies {
			t.Run(fmt.Sprintf("%s/%d", name, kind), func(t *testing.T) {
				e := tc.begin()
				got := s.do("POST", e.path(), body)
				if slices.Contains(tc.answer, kind) {
					got.want(t, 204, 0)
				} else {
					got.refusedAt(t, "type")
				}
			})
		}
	}
}

// completing starts a completion whose answer is still to come.
func (s *stage) completing() event {
	s.t.Helper()
	go func() { _, _ = s.anna.Complete(limit(s.t), "/bot", "bot", "sh", nil) }()
	return s.wire.interaction()
}

func TestRefusedCallbackData(t *testing.T) {
	s := newStage(t, discordtest.Config{NoRateLimits: true})
	s.discord.ExpectFailures()
	_, command := s.command()
	completion := s.completing()
	field := `{"type":1,"components":[{"type":4,"style":1,"label":"L","custom_id":"%"}]}`
	modal := func(id, title, components string) string {
		return `{"type":9,"data":{"custom_id":"` + id + `","title":"` + title + `","components":` + components + `}}`
	}
	input := func(rest string) string {
		return modal("m", "T", `[{"type":1,"components":[{"type":4,"custom_id":"f",`+rest+`}]}]`)
	}
	for name, tc := range map[string]struct {
		to         event
		body, path string
	}{
		"no data":            {command, `{"type":4}`, "data"},
		"deferred, flags":    {command, `{"type":5,"data":{"flags":68}}`, "data.flags"},
		"modal's id":         {command, modal(x(101), "T", many(1, field)), "data.custom_id"},
		"modal's title":      {command, modal("m", x(46), many(1, field)), "data.title"},
		"no fields":          {command, modal("m", "T", `[]`), "data.components"},
		"6 fields":           {command, modal("m", "T", many(6, field)), "data.components"},
		"same field":         {command, modal("m", "T", `[`+field+`,`+field+`]`), "data.components.1.components.0.custom_id"},
		"two in a row":       {command, modal("m", "T", `[{"type":1,"components":[{"type":4,"style":1,"label":"L","custom_id":"a"},{"type":4,"style":1,"label":"L","custom_id":"b"}]}]`), "data.components.0.components"},
		"button in a modal":  {command, modal("m", "T", `[{"type":1,"components":[{"type":2,"style":1,"label":"L","custom_id":"a"}]}]`), "data.components.0.components.0.type"},
		"field's label":      {command, input(`"style":1,"label":"` + x(46) + `"`), "data.components.0.components.0.label"},
		"field's style":      {command, input(`"style":3,"label":"L"`), "data.components.0.components.0.style"},
		"field's value":      {command, input(`"style":1,"label":"L","value":"` + x(4001) + `"`), "data.components.0.components.0.value"},
		"field's lengths":    {command, input(`"style":1,"label":"L","min_length":5,"max_length":4`), "data.components.0.components.0.min_length"},
		"label without part": {command, modal("m", "T", `[{"type":18,"label":"L"}]`), "data.components.0.component"},
		"26 choices":         {completion, `{"type":8,"data":{"choices":` + many(26, `{"name":"n","value":"%"}`) + `}}`, "data.choices"},
		"no choices":         {completion, `{"type":8,"data":{}}`, "data.choices"},
		"choice's name":      {completion, `{"type":8,"data":{"choices":[{"name":"` + x(101) + `","value":"v"}]}}`, "data.choices.0.name"},
		"choice's value":     {completion, `{"type":8,"data":{"choices":[{"name":"n","value":"` + x(101) + `"}]}}`, "data.choices.0.value"},
		"choice's type":      {completion, `{"type":8,"data":{"choices":[{"name":"n","value":1}]}}`, "data.choices.0.value"},
	} {
		t.Run(name, func(t *testing.T) {
			s.do("POST", tc.to.path(), tc.body).refusedAt(t, tc.path)
		})
	}
}

func TestLifeOfAToken(t *testing.T) {
	clock := still()
	s := newStage(t, discordtest.Config{Clock: clock, NoRateLimits: true})
	s.discord.ExpectFailures()
	const hello = `{"type":4,"data":{"content":"hello"}}`

	r, e := s.command()
	s.do("PATCH", e.original(s.discord), `{"content":"x"}`).want(t, 404, discordtest.CodeUnknownWebhook)
	s.do("POST", "/interactions/1/"+e.Token+"/callback", hello).want(t, 404, discordtest.CodeUnknownInteraction)
	clock.Advance(3 * time.Second)
	if v := r.View(); v.State != discordtest.Failed {
		t.Errorf("after 3 s anna sees %v", v.State)
	}
	s.do("POST", e.path(), hello).want(t, 404, discordtest.CodeUnknownInteraction)
	s.do("POST", e.hook(s.discord), `{"content":"x"}`).want(t, 404, discordtest.CodeUnknownWebhook)

	r, e = s.command()
	clock.Advance(2999 * time.Millisecond)
	got := s.do("POST", e.path(), hello)
	got.want(t, 204, 0)
	if got.header.Get("Content-Type") != "text/html; charset=utf-8" || got.text != "" {
		t.Errorf("204 with %v and body %q", got.header, got.text)
	}
	s.do("POST", e.path(), hello).want(t, 400, discordtest.CodeAlreadyAcknowledged)
	s.do("PATCH", e.original(s.discord), `{"content":"edited"}`).want(t, 200, 0)
	r.WaitFor(t, "edited")
	s.do("GET", "/webhooks/1/"+e.Token+"/messages/@original", "").want(t, 404, discordtest.CodeUnknownWebhook)
	s.do("GET", e.hook(s.discord)+"/messages/1", "").want(t, 404, discordtest.CodeUnknownMessage)

	clock.Advance(15 * time.Minute)
	s.do("PATCH", e.original(s.discord), `{"content":"late"}`).want(t, 401, discordtest.CodeInvalidToken)
	s.do("POST", e.hook(s.discord), `{"content":"late"}`).want(t, 401, discordtest.CodeInvalidToken)
}

func TestPings(t *testing.T) {
	s := newStage(t, discordtest.Config{NoRateLimits: true})
	const text = `"content":"@everyone <@1> <@&2>"`
	for name, tc := range map[string]struct {
		body string
		want string
	}{
		"nothing said": {text, "[<@1>]"},
		"null":         {text + `,"allowed_mentions":null`, "[<@1>]"},
		"everybody":    {text + `,"allowed_mentions":{"parse":["everyone","users","roles"]}`, "[@everyone <@1> <@&2>]"},
		"nobody":       {text + `,"allowed_mentions":{"parse":[]}`, "[]"},
		"one user":     {text + `,"allowed_mentions":{"users":["1"]}`, "[<@1>]"},
		"in an embed":  {`"embeds":[{"title":"@everyone"}]`, "[]"},
	} {
		t.Run(name, func(t *testing.T) {
			r, e := s.command()
			s.do("POST", e.path(), `{"type":4,"data":{`+tc.body+`}}`).want(t, 204, 0)
			if got := fmt.Sprint(r.View().Pings); got != tc.want {
				t.Errorf("pings %s, want %s", got, tc.want)
			}
		})
	}
	s.do("POST", messages(s.discord.AddChannel("log").ID), `{`+text+`}`).want(t, 200, 0)
	if got := fmt.Sprint(s.discord.AddChannel("log").Messages()[0].Pings); got != "[@everyone <@1> <@&2>]" {
		t.Errorf("a message in the channel pings %s", got)
	}
}
