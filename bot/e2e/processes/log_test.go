package processes_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"hostbot/bot/discordtest"
)

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
			w := newScene(t, instantly, discordtest.Config{})
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
					w.discord.SendEvent("INTERACTION_CREATE", json.RawMessage(`"no object"`))
				}
				_, metrics := r.get("/metrics")
				_, dropped, _ := strings.Cut(metrics, "\nhostbot_log_lines_dropped_total ")
				return dropped != "" && dropped[0] != '0'
			})
		})
	}
}
