//go:build integration

package processes_test

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"hostbot/bot/testing/discordtest"
)

// TestEntriesSurviveARedisThatForgets has Redis lose everything while the entries
// of 200 actions wait in it, for a Discord that takes its time. None is missing. Some may be there
// twice, as Redis has lost that they were delivered.
func TestEntriesSurviveARedisThatForgets(t *testing.T) {
	t.Parallel()
	w := newScene(t, instantly, discordtest.Config{})
	w.start(t)
	who := w.customers("c", 200)
	w.discord.Inject(discordtest.Fault{Method: http.MethodPost, Route: discordtest.RouteMessages, Delay: 300 * time.Millisecond})
	flush := func() { w.order(t, "FLUSHALL") }
	for i, forget := range []func(){flush, w.redis.Restart, flush, w.redis.Restart, func() {}} {
		restartAll(t, who[i*40:i*40+40], 20)
		forget()
	}
	wait(func() bool {
		return !slices.ContainsFunc(who, func(c customer) bool { return w.logged(c.bot) == 0 })
	})
	w.silence(t, 2*time.Second)
	times := make(map[int]int)
	for _, c := range who {
		times[w.logged(c.bot)]++
	}
	t.Logf("entries by how often staff read them: %v", times)
	if times[0] > 0 {
		t.Errorf("%d entries are missing", times[0])
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
			eventually(t, "/metrics says what was dropped of the process log", func() bool {
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

// TestASecretsFileThatIsNoneIsAMistake names a pipe and a directory as the file
// of each secret.
func TestASecretsFileThatIsNoneIsAMistake(t *testing.T) {
	t.Parallel()
	w := newScene(t, instantly, discordtest.Config{})
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, variable := range []string{"DISCORD_TOKEN", "HOSTAPI_SECRET", "REDIS_URL"} {
		for name, path := range map[string]string{"a pipe": pipe, "a directory": t.TempDir(), "a device": "/dev/zero"} {
			r := w.launch(t, nil, variable+"=", variable+"_FILE="+path)
			select {
			case <-r.ended:
			case <-time.After(5 * time.Second):
				t.Errorf("%s_FILE is %s: the program waits", variable, name)
				continue
			}
			if code, said := r.cmd.ProcessState.ExitCode(), r.tail(); code != 2 || !strings.Contains(said, variable) {
				t.Errorf("%s_FILE is %s: exit %d, %q", variable, name, code, said)
			}
		}
	}
}
