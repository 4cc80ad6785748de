package main_test

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"hostbot/bot/testing/discordtest"
	"hostbot/cmd/playground/timeline"
	"hostbot/hostapi/hostapitest"
)

const (
	anna = "100000000000000001"
	ben  = "100000000000000002"
)

// began is when a user's interaction arrives; the token is told by its ID.
func began(r *timeline.Recorder, at time.Time, id, user, data string, kind int) {
	r.Discord(discordtest.Event{Dispatch: &discordtest.Dispatch{At: at, Name: "INTERACTION_CREATE", Data: json.RawMessage(fmt.Sprintf(
		`{"id":%q,"token":"token-%s","type":%d,"member":{"user":{"id":%q,"username":"user-%s"}},"data":%s,
		"message":{"components":[{"components":[{"custom_id":"c","label":"Restart","emoji":{"name":"🔁"}},
		{"custom_id":"s","placeholder":"Open a bot","options":[{"label":"Shop","value":"v"}]}]}]}}`, id, id, kind, user, user, data))}})
}

func responded(r *timeline.Recorder, at time.Time, id string, status int) {
	r.Discord(discordtest.Event{Call: &discordtest.Call{
		Method: "POST", Route: discordtest.RouteCallback, Path: "/interactions/" + id + "/token-" + id + "/callback",
		Request: []byte(`{"type":4}`), Status: status, Started: at, Duration: 5 * time.Millisecond,
	}})
}

func TestStepsBelongToTheirInteractions(t *testing.T) {
	r := timeline.New(func() {})
	r.Know(anna, ben)
	start := time.Now().Add(-100 * time.Millisecond)
	began(r, start, "1", anna, `{"type":1,"name":"bot","options":[{"type":1,"name":"show","options":[{"type":3,"name":"bot","value":"Shop"}]}]}`, 2)
	began(r, start.Add(time.Millisecond), "2", ben, `{"type":1,"name":"plan"}`, 2)
	replied := r.RedisCommand([]string{"get", "account:" + anna})
	answered := r.ServiceRequest(hostapitest.Request{At: start.Add(2 * time.Millisecond), Method: "GET", Path: "/api", UserID: ben, Operation: hostapitest.OpList})
	responded(r, start.Add(3*time.Millisecond), "1", 204)
	responded(r, start.Add(3*time.Millisecond), "2", 500) // which is no answer
	r.RedisCommand([]string{"ping"})("+PONG\r\n")         // by the bot itself
	r.Discord(discordtest.Event{Call: &discordtest.Call{Method: "PUT", Route: discordtest.RouteCommands, Status: 200, Started: start}})

	all := r.List()
	list, apart := all.Interactions, all.Apart
	if len(list) != 2 || list[0].Title != "/plan" || list[1].Title != "/bot show bot: Shop" || list[1].User != "user-"+anna {
		t.Fatalf("the interactions are %+v", list)
	}
	if got := kinds(list[1].Steps); got != "gateway discord redis" {
		t.Errorf("anna's interaction has the steps %s", got)
	}
	if got := kinds(list[0].Steps); got != "gateway service discord" {
		t.Errorf("ben's interaction has the steps %s", got)
	}
	if len(apart) != 1 || apart[0].Title != "registers the commands" {
		t.Errorf("apart are %+v", apart)
	}
	if a := list[1].Answered; a == nil || *a != 8 {
		t.Errorf("anna was answered after %v ms", a)
	}
	if list[0].Answered != nil || list[0].Steps[1].Took != nil {
		t.Error("ben's was answered, or his call has ended")
	}

	replied("$5\r\nvalue\r\n")
	answered(0, "")
	list = interactions(r)
	if s := list[1].Steps[2]; s.Outcome != "5 bytes" || s.Took == nil || s.Failed {
		t.Errorf("the command is %+v", s)
	}
	if s := list[0].Steps[1]; s.Outcome != "no answer" || s.Took == nil || !s.Failed {
		t.Errorf("the call to the service is %+v", s)
	}
	if b, ok := r.Bodies(list[1].Steps[2].ID); !ok || b.Response != "value" {
		t.Errorf("the command's bodies are %+v", b)
	}
}

func TestRedisConnection(t *testing.T) {
	changed := make(chan struct{}, 100)
	r := timeline.New(func() { changed <- struct{}{} })
	r.Know(anna)
	began(r, time.Now(), "1", anna, `{}`, 2)
	commands, replies := r.RedisConnection()
	for _, name := range []string{"get", "del", "ttl"} {
		_, _ = fmt.Fprintf(commands, "*2\r\n$3\r\n%s\r\n$18\r\n%s\r\n", name, anna)
	}
	_, _ = io.WriteString(replies, "*3\r\n$7\r\nmessage\r\n$1\r\nc\r\n$2\r\nhi\r\n$-1\r\n-ERR no\r\n")
	_, _ = commands.Close(), replies.Close()
	const want = "GET nothing, DEL error, TTL connection lost"
	for got := ""; got != want; {
		select {
		case <-changed:
		case <-time.After(2 * time.Minute):
			t.Fatalf("got %s, want %s", got, want)
		}
		list := interactions(r)
		var outcomes []string
		for _, s := range list[0].Steps[1:] {
			outcomes = append(outcomes, s.Title+" "+s.Outcome)
		}
		got = strings.Join(outcomes, ", ")
	}
}

func kinds(steps []timeline.Step) string {
	var list []string
	for _, s := range steps {
		list = append(list, string(s.Kind))
	}
	return strings.Join(list, " ")
}

func TestTitles(t *testing.T) {
	for want, tc := range map[string]struct {
		kind int
		data string
	}{
		"button: 🔁 Restart":        {3, `{"custom_id":"c"}`},
		"menu: Open a bot → Shop":  {3, `{"custom_id":"s","values":["v"]}`},
		"menu: Hosted bots":        {2, `{"type":2,"name":"Hosted bots"}`},
		"typing: /bot show bot: s": {4, `{"type":1,"name":"bot","options":[{"type":1,"name":"show","options":[{"type":3,"name":"bot","value":"s","focused":true}]}]}`},
		"form sent":                {5, `{"custom_id":"m"}`},
	} {
		r := timeline.New(func() {})
		began(r, time.Now(), "1", anna, tc.data, tc.kind)
		if list := interactions(r); list[0].Title != want {
			t.Errorf("got %q, want %q", list[0].Title, want)
		}
	}
}

func TestTokensAreHidden(t *testing.T) {
	r := timeline.New(func() {})
	began(r, time.Now(), "1", anna, `{}`, 2)
	responded(r, time.Now(), "1", 204)
	list := interactions(r)
	if len(list[0].Steps) != 2 {
		t.Fatalf("the steps are %+v", list[0].Steps)
	}
	for _, s := range list[0].Steps {
		bodies, _ := r.Bodies(s.ID)
		if all := fmt.Sprint(s, bodies); strings.Contains(all, "token-1") || !strings.Contains(all, "<secret>") {
			t.Errorf("shown is %s", all)
		}
	}
}

func TestOldOnesAreForgotten(t *testing.T) {
	told := 0
	r := timeline.New(func() { told++ })
	for i := range 1000 {
		began(r, time.Now(), fmt.Sprint(i), anna, `{}`, 2)
	}
	list := interactions(r)
	if len(list) >= 1000 || list[0].ID != "999" || told < 1000 {
		t.Errorf("%d are kept, the newest %s; told %d times", len(list), list[0].ID, told)
	}
	if _, ok := r.Bodies(1); ok {
		t.Error("the first step is kept")
	}
}

// TestRoundsHaveTheirOwnPlace has the bot poll an account for as long as one looks on: none of it is
// an interaction's, whose steps stay, and no more of it is kept than one would read.
func TestRoundsHaveTheirOwnPlace(t *testing.T) {
	r := timeline.New(func() {})
	r.Know(anna)
	start := time.Now().Add(-time.Minute)
	began(r, start, "1", anna, `{}`, 2)
	responded(r, start.Add(3*time.Millisecond), "1", 204)
	began(r, start, "2", ben, `{}`, 2)
	responded(r, start.Add(3*time.Millisecond), "2", 500)                                                                                                 // which is no answer
	r.Discord(discordtest.Event{Call: &discordtest.Call{Method: "PATCH", Route: discordtest.RouteMessage, Status: 200, Started: start.Add(time.Second)}}) // a panel
	for range 1000 {
		r.RedisCommand([]string{"get", "account:" + anna})("+OK\r\n")
	}
	all := r.List()
	if got := kinds(all.Interactions[1].Steps); got != "gateway discord" || all.Interactions[1].Cut {
		t.Errorf("the interaction has the steps %s", got)
	}
	if len(all.Rounds) > 100 || all.SoFar != 1001 || len(all.Apart) > 0 {
		t.Errorf("%d steps are kept of %d, and %d apart", len(all.Rounds), all.SoFar, len(all.Apart))
	}
	if in := all.Interactions[1]; in.Answered == nil || *in.Answered != 8 {
		t.Error("it was answered after 8 ms, and is told otherwise")
	}
	if in := all.Interactions[0]; in.Answered != nil {
		t.Error("it was not answered, and is told otherwise")
	}
}

// TestLongInteractionIsBounded follows an action that changes its message until it has ended: what came
// between is its own, how it began and ended is kept, and some in the middle is not.
func TestLongInteractionIsBounded(t *testing.T) {
	r := timeline.New(func() {})
	r.Know(anna)
	at := time.Now().Add(-time.Hour)
	began(r, at, "1", anna, `{}`, 2)
	responded(r, at, "1", 204)
	for range 200 {
		at = at.Add(2 * time.Second)
		r.ServiceRequest(hostapitest.Request{At: at, UserID: anna, Operation: hostapitest.OpList})(200, "")
	}
	if all := r.List(); len(all.Interactions[0].Steps) != 2 || all.SoFar != 200 {
		t.Fatalf("of one that may have ended there are %d steps, and %d others", len(all.Interactions[0].Steps), all.SoFar)
	}
	r.Discord(discordtest.Event{Call: &discordtest.Call{
		Method: "PATCH", Route: discordtest.RouteOriginal, Path: "/webhooks/1/token-1/messages/@original", Status: 200, Started: at.Add(time.Second),
	}})
	in := interactions(r)[0]
	if got := kinds(in.Steps); !in.Cut || len(in.Steps) > 60 || !strings.HasPrefix(got, "gateway discord service ") || !strings.HasSuffix(got, " service discord") {
		t.Errorf("%d steps: %s", len(in.Steps), got)
	}
}

// TestAllOfItIsBounded counts the steps of many interactions.
func TestAllOfItIsBounded(t *testing.T) {
	r := timeline.New(func() {})
	r.Know(anna)
	for i := range 60 {
		began(r, time.Now(), fmt.Sprint(i), anna, `{}`, 2)
		for range 70 {
			r.RedisCommand([]string{"get", "account:" + anna})("+OK\r\n")
		}
	}
	steps := 0
	for _, in := range interactions(r) {
		steps += len(in.Steps)
	}
	if all := r.List(); steps > 2400 || len(all.Rounds)+len(all.Apart) > 0 {
		t.Errorf("there are %d steps, and %d rounds, and %d apart", steps, len(all.Rounds), len(all.Apart))
	}
}

func interactions(r *timeline.Recorder) []timeline.Interaction { return r.List().Interactions }
