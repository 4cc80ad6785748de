package processes_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestAnEventOfAnotherShapeIsSurvived sends events whose data is no object, and
// interactions whose own data is none.
func TestAnEventOfAnotherShapeIsSurvived(t *testing.T) {
	t.Parallel()
	w := newWorld(t, setting{})
	r := w.start(t)
	shapes := []string{`"text"`, `5`, `true`, `null`, `[]`, `[{}]`, `{}`}
	for _, shape := range shapes {
		for _, event := range []string{"INTERACTION_CREATE", "READY", "RESUMED", "GUILD_CREATE", "GUILD_DELETE", "NO_SUCH_EVENT"} {
			w.discord.SendEvent(event, json.RawMessage(shape))
		}
		for kind := 1; kind <= 6; kind++ {
			w.discord.SendEvent("INTERACTION_CREATE", json.RawMessage(fmt.Sprintf(
				`{"id":"1","token":"t","type":%d,"user":{"id":"2"},"data":%s}`, kind, shape)))
			w.discord.SendEvent("INTERACTION_CREATE", json.RawMessage(fmt.Sprintf(
				`{"id":"1","token":"t","type":%d,"user":%s,"member":%s,"data":{}}`, kind, shape, shape)))
		}
	}
	if done := restartAll(t, w.customers("c", 5), 5); done != 5 || !r.alive() {
		t.Errorf("%d of 5 restarts were done afterwards; the process runs: %v", done, r.alive())
	}
}

// TestASecretsFileThatIsNoneIsAMistake names a pipe and a directory as the file
// of each secret.
func TestASecretsFileThatIsNoneIsAMistake(t *testing.T) {
	t.Parallel()
	w := newWorld(t, setting{})
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
