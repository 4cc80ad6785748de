package timeline_test

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
	start := time.Now().Add(-time.Second)
	began(r, start, "1", anna, `{"type":1,"name":"bot","options":[{"type":1,"name":"show","options":[{"type":3,"name":"bot","value":"Shop"}]}]}`, 2)
	began(r, start.Add(time.Millisecond), "2", ben, `{"type":1,"name":"plan"}`, 2)
	replied := r.RedisCommand([]string{"get", "account:" + anna})
	answered := r.ServiceRequest(hostapitest.Request{At: start.Add(2 * time.Millisecond), Method: "GET", Path: "/api", UserID: ben, Operation: hostapitest.OpList})
	responded(r, start.Add(3*time.Millisecond), "1", 204)
	responded(r, start.Add(3*time.Millisecond), "2", 500) // which is no answer
	r.RedisCommand([]string{"ping"})("+PONG\r\n")         // by the bot itself
	r.Discord(discordtest.Event{Call: &discordtest.Call{Method: "PUT", Route: discordtest.RouteCommands, Status: 200, Started: start}})

	list, apart := r.List()
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
	list, _ = r.List()
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
	_, _ = io.WriteString(replies, ">1\r\n+push\r\n$-1\r\n-ERR no\r\n")
	_, _ = commands.Close(), replies.Close()
	const want = "GET nothing, DEL error, TTL connection lost"
	for got := ""; got != want; {
		select {
		case <-changed:
		case <-time.After(2 * time.Minute):
			t.Fatalf("got %s, want %s", got, want)
		}
		list, _ := r.List()
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
		if list, _ := r.List(); list[0].Title != want {
			t.Errorf("got %q, want %q", list[0].Title, want)
		}
	}
}

func TestTokensAreHidden(t *testing.T) {
	r := timeline.New(func() {})
	began(r, time.Now(), "1", anna, `{}`, 2)
	responded(r, time.Now(), "1", 204)
	list, _ := r.List()
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
	list, _ := r.List()
	if len(list) >= 1000 || list[0].ID != "999" || told < 1000 {
		t.Errorf("%d are kept, the newest %s; told %d times", len(list), list[0].ID, told)
	}
	if _, ok := r.Bodies(1); ok {
		t.Error("the first step is kept")
	}
}

// What the bot does by itself, again and again, takes the place of an interaction's steps in the
// end. That it was answered, or was not, stays.
func TestAnswerOutlivesItsSteps(t *testing.T) {
	r := timeline.New(func() {})
	r.Know(anna)
	start := time.Now().Add(-time.Minute)
	began(r, start, "1", anna, `{}`, 2)
	responded(r, start.Add(3*time.Millisecond), "1", 204)
	responded(r, start.Add(6*time.Millisecond), "1", 204)
	began(r, start, "2", ben, `{}`, 2)
	responded(r, start.Add(3*time.Millisecond), "2", 500) // which is no answer
	if all := list(r); all[0].Cut || all[1].Cut {
		t.Fatal("steps are said to be missing")
	}
	for id := list(r)[0].Steps[1].ID; ; {
		r.RedisCommand([]string{"get", "account:" + anna})("+OK\r\n")
		if _, ok := r.Bodies(id); !ok {
			break
		}
	}
	if in := list(r)[1]; in.Answered == nil || *in.Answered != 8 || !in.Cut {
		t.Errorf("it was answered after 8 ms, and is told as answered: %v; that steps are missing: %v", in.Answered != nil, in.Cut)
	}
	if in := list(r)[0]; in.Answered != nil || !in.Cut {
		t.Errorf("it was not answered, and is told as answered: %v; that steps are missing: %v", in.Answered != nil, in.Cut)
	}
}

func list(r *timeline.Recorder) []timeline.Interaction {
	interactions, _ := r.List()
	return interactions
}
