//go:build integration

package processes_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"hostbot/bot/testing/e2e/world"
)

// replica is a process of the program.
type replica struct {
	cmd          *exec.Cmd
	http         string       // its HTTP_ADDR
	interactions string       // its INTERACTIONS_ADDR, where it was started with startHTTP
	stderr       bytes.Buffer // to be read once the process has ended
	ended        chan struct{}
}

// launch starts a replica whose environment may replace what is usual, and does
// not wait. A stderr of nil is the replica's own.
func (w *scene) launch(t *testing.T, stderr io.Writer, environment ...string) *replica {
	t.Helper()
	r := &replica{http: world.FreeAddress(t), ended: make(chan struct{})}
	r.cmd = exec.Command(program)
	r.cmd.Env = append([]string{
		"DISCORD_TOKEN=" + w.discord.Token(), "DISCORD_API_URL=" + w.discord.URL(), "REDIS_URL=" + w.redis.URL(),
		"HOSTAPI_URL=" + w.service.URL(), "HOSTAPI_SECRET=" + w.service.Secret(), "HTTP_ADDR=" + r.http,
		"LOG_CHANNEL_ID=" + w.staff.ID, "LOG_CHANNEL_ACTIONS=" + w.actions.ID,
	}, environment...)
	if r.cmd.Stderr = stderr; stderr == nil {
		r.cmd.Stderr = &r.stderr
	}
	if err := r.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(r.ended)
		_ = r.cmd.Wait()
	}()
	t.Cleanup(func() {
		r.kill()
		if t.Failed() {
			t.Logf("a replica's stderr:\n%s", r.tail())
		}
	})
	return r
}

// start starts a replica and waits until it serves.
func (w *scene) start(t *testing.T, environment ...string) *replica {
	t.Helper()
	r := w.launch(t, nil, environment...)
	w.waitFor(t, r)
	return r
}

// waitFor waits until a replica serves.
func (w *scene) waitFor(t *testing.T, r *replica) {
	t.Helper()
	if !wait(func() bool {
		status, _ := r.get("/readyz")
		return status == http.StatusOK && len(w.discord.Commands()) > 0
	}) {
		r.kill()
		t.Fatalf("a replica does not get ready:\n%s", r.tail())
	}
}

// waitServing waits until a replica holds a shard, and does not just stand by.
func (w *scene) waitServing(t *testing.T, r *replica) {
	t.Helper()
	eventually(t, "a replica serves", func() bool {
		status, body := r.get("/readyz")
		return status == http.StatusOK && !strings.Contains(body, "standby")
	})
}

// kill ends the replica as kill -9 does.
func (r *replica) kill() {
	_ = r.cmd.Process.Kill() // it fails where the process has ended
	<-r.ended
}

// tail returns the last lines that a process wrote which has ended.
func (r *replica) tail() string {
	lines := strings.Split(r.stderr.String(), "\n")
	return strings.Join(lines[max(0, len(lines)-6):], "\n")
}

// alive reports whether the process runs.
func (r *replica) alive() bool {
	select {
	case <-r.ended:
		return false
	default:
		return true
	}
}

// get asks the replica for one of its pages; the status is 0 where it does not
// answer.
func (r *replica) get(page string) (status int, body string) {
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: 5 * time.Second}
	res, err := client.Get("http://" + r.http + page)
	if err != nil {
		return 0, ""
	}
	defer func() { _ = res.Body.Close() }()
	text, _ := io.ReadAll(res.Body)
	return res.StatusCode, string(text)
}

// memoryKB returns a figure of the process's memory, as Linux calls it.
func (r *replica) memoryKB(t *testing.T, figure string) (kb int) {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", r.cmd.Process.Pid))
	_, after, _ := strings.Cut(string(status), figure)
	if _, scanned := fmt.Sscan(after, &kb); err != nil || scanned != nil {
		t.Fatal(err, scanned)
	}
	return kb
}
