package responder_test

import (
	"encoding/json"
	"maps"
	"regexp"
	"testing"
	"testing/synctest"
	"time"
)

func TestASlowFirstResponseIsLogged(t *testing.T) {
	for latency, slow := range map[time.Duration]bool{1900 * ms: false, 2100 * ms: true} {
		synctest.Test(t, func(t *testing.T) {
			s := newResponder(reply("hello"), &discord{latency: latency})
			s.Serve(numbered(command(), 7))
			logged := regexp.MustCompile(`"level":"warn","interaction":"107".*"took_ms":\d+,"waited_ms":\d+,"message":"a first response was slow"`).MatchString(s.log.String())
			if logged != slow {
				t.Errorf("after %v the log says %q", latency, s.log.String())
			}
		})
	}
}

// TestEachInteractionIsALineOfDebug: who looks for a mistake sees each, with how it went and how
// long it took.
func TestEachInteractionIsALineOfDebug(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newResponder(slow(2*time.Second, updated("hello")), &discord{latency: 100 * ms})
		s.Serve(numbered(press(), 7))
		var line map[string]any
		if err := json.Unmarshal(s.log.Bytes(), &line); err != nil {
			t.Fatal(err)
		}
		delete(line, "reference")
		want := map[string]any{
			"level": "debug", "message": "an interaction is over", "interaction": "107", "user": "3", "kind": "component", "route": "do",
			"outcome": "ok", "deferred": true, "first_response_ms": 1600.0, "took_ms": 2100.0, "reason": "",
		}
		if !maps.Equal(line, want) {
			t.Errorf("the line is %v, want %v", line, want)
		}
	})
}
