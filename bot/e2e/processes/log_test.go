package processes_test

import (
	"encoding/json"
	"net/http"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"hostbot/bot/discordtest"
)

// TestEntriesSurviveARedisThatForgets has Redis lose everything while the entries
// of 200 actions wait in it, for a Discord that takes its time.
func TestEntriesSurviveARedisThatForgets(t *testing.T) {
	t.Parallel()
	w := newWorld(t, setting{})
	w.start(t)
	who := w.customers("c", 200)
	w.discord.Inject(discordtest.Fault{Method: http.MethodPost, Route: discordtest.RouteMessages, Delay: 300 * time.Millisecond})
	forget := []func(){
		func() { w.order(t, "FLUSHALL") }, w.redis.Restart,
		func() { w.order(t, "FLUSHALL") }, w.redis.Restart, func() {},
	}
	for i, f := range forget {
		restartAll(t, who[i*40:i*40+40], 20)
		f()
	}
	eventually(t, 60*time.Second, "staff read of each action", func() bool {
		for _, c := range who {
			if w.logged(c.bot) == 0 {
				return false
			}
		}
		return true
	})
	w.silence(t, 2*time.Second)
	missing, twice := 0, 0
	for _, c := range who {
		_, acted := w.carriedOut(c.bot)
		n := w.logged(c.bot)
		if n < acted {
			missing++
		}
		if n > acted {
			twice++
		}
	}
	if missing+twice > 0 {
		t.Errorf("of %d entries %d are missing and %d are there more than once", len(who), missing, twice)
	}
}

// TestTheProcessLogCannotStopTheProgram has nobody read what the program writes
// to stderr.
func TestTheProcessLogCannotStopTheProgram(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(reader *os.File){
		"a reader that stalls": func(*os.File) {},
		"a reader that dies":   func(reader *os.File) { _ = reader.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, setting{})
			reader, writer, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = reader.Close() }()
			r := w.launch(t, writer, "LOG_LEVEL=debug")
			_ = writer.Close() // the replica's own is left
			w.waitFor(t, r)
			end(reader)
			if done := restartAll(t, w.customers("c", 400), 40); done != 400 || !r.alive() {
				t.Fatalf("%d of 400 restarts were done; the process runs: %v", done, r.alive())
			}
			eventually(t, 10*time.Second, "/metrics says what was dropped of the process log", func() bool {
				for range 500 { // each is worth a line
					w.discord.SendEvent("INTERACTION_CREATE", json.RawMessage(`{"id":"1","type":99}`))
				}
				return droppedLines(r) > 0
			})
		})
	}
}

// droppedLines returns what the metric of dropped lines says, whatever its name.
func droppedLines(r *replica) float64 {
	_, metrics := r.get("/metrics")
	for line := range strings.Lines(metrics) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		if !strings.HasPrefix(name, "#") && strings.Contains(name, "log") && strings.Contains(name, "dropped") {
			n, _ := strconv.ParseFloat(value, 64)
			return n
		}
	}
	return 0
}
