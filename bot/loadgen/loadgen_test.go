package loadgen_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/gorilla/websocket"
	"go.uber.org/goleak"

	"hostbot/bot/loadgen"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// event is what the bot under these tests reads of an interaction.
type event struct {
	Type string `json:"t"`
	Data struct {
		ID     string `json:"id"`
		Token  string `json:"token"`
		Locale string `json:"locale"`
		Member struct {
			User struct {
				ID string `json:"id"`
			} `json:"user"`
		} `json:"member"`
	} `json:"d"`
}

// connect connects a bot to a Discord of its own, that does with each event
// what serve says.
func connect(t *testing.T, serve func(d *loadgen.Discord, e event)) *loadgen.Discord {
	t.Helper()
	d, err := loadgen.StartDiscord(1)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.Close)
	t.Cleanup(http.DefaultClient.CloseIdleConnections)
	gateway := strings.TrimSuffix(strings.Replace(d.URL("v10"), "http", "ws", 1), "/api/v10")
	conn, response, err := websocket.DefaultDialer.Dial(gateway+"/?v=10&encoding=json", nil)
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	ready, ended := make(chan struct{}), make(chan struct{})
	t.Cleanup(func() {
		_ = conn.Close()
		<-ended
	})
	go func() {
		defer close(ended)
		for {
			_, text, err := conn.ReadMessage()
			if err != nil {
				return
			}
			var e event
			if err := json.Unmarshal(text, &e); err != nil {
				t.Errorf("%v: %s", err, text)
			}
			switch e.Type {
			case "READY":
				close(ready)
			case "INTERACTION_CREATE":
				serve(d, e)
			}
		}
	}()
	if err := conn.WriteMessage(websocket.TextMessage, []byte(`{"op":2,"d":{}}`)); err != nil {
		t.Fatal(err)
	}
	<-ready
	return d
}

// answer sends a callback and returns its status.
func answer(t *testing.T, d *loadgen.Discord, id, body string) int {
	response, err := http.Post(d.URL("v10")+"/interactions/"+id+"/token/callback", "application/json", strings.NewReader(body))
	if err != nil {
		t.Error(err)
		return 0
	}
	_ = response.Body.Close()
	if kind := response.Header.Get("Content-Type"); response.StatusCode == http.StatusNoContent && kind != "text/html; charset=utf-8" {
		t.Errorf("a 204 has the type %q, unlike Discord's", kind)
	}
	return response.StatusCode
}

// rightly is the body of the answer to an event that is right.
func rightly(e event) string {
	return fmt.Sprintf(`{"type":4,"data":{"content":"%s-0"}}`, e.Data.Member.User.ID)
}

// times returns a function that says so many times that there is more.
func times(n int) func() bool { return func() bool { n--; return n >= 0 } }

func TestLoads(t *testing.T) {
	const users = loadgen.Users(3)
	for name, load := range map[string]func(*loadgen.Discord) (*loadgen.Latencies, error){
		"closed": func(d *loadgen.Discord) (*loadgen.Latencies, error) { return loadgen.Closed(d, users, 4, times(30)) },
		"rate":   func(d *loadgen.Discord) (*loadgen.Latencies, error) { return loadgen.Rate(d, users, 10_000, times(30)) },
	} {
		t.Run(name, func(t *testing.T) {
			seen := make(map[string]int)
			d := connect(t, func(d *loadgen.Discord, e event) {
				seen[e.Data.Member.User.ID+" "+e.Data.Locale]++
				first, second := answer(t, d, e.Data.ID, rightly(e)), answer(t, d, e.Data.ID, rightly(e))
				if first != http.StatusNoContent || second != http.StatusBadRequest {
					t.Errorf("status %d, then %d", first, second)
				}
			})
			latencies, err := load(d)
			if err != nil {
				t.Fatal(err)
			}
			if p50, p99 := latencies.Quantile(.5), latencies.Quantile(.99); p50 <= 0 || p99 < p50 {
				t.Errorf("p50 %v, p99 %v", p50, p99)
			}
			for n, locale := range []string{"en-US", "de", "tr"} {
				if asked := seen[users.ID(n)+" "+locale]; asked != 10 {
					t.Errorf("user %d asked %d times in %s", n, asked, locale)
				}
			}
		})
	}
}

func TestWrongAnswersAreNoted(t *testing.T) {
	for body, want := range map[string]string{
		`{"type":5}`:                          "not a message",
		`{"type":4,"data":{"content":"1-0"}}`: "does not name the bot",
	} {
		t.Run(want, func(t *testing.T) {
			d := connect(t, func(d *loadgen.Discord, e event) { answer(t, d, e.Data.ID, body) })
			if _, err := loadgen.Closed(d, 1, 1, times(2)); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("error %v, want one with %q", err, want)
			}
		})
	}
}
