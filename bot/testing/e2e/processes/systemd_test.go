//go:build integration

package processes_test

import (
	"net"
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"hostbot/bot/testing/discordtest"
	"hostbot/bot/testing/e2e/world"
)

// TestSystemdIsTold takes systemd's place: a replica says that it has started though Discord is
// away, what it does, that it reads files again, and that it stops.
func TestSystemdIsTold(t *testing.T) {
	t.Parallel()
	for name, socket := range map[string]string{
		"a file":             filepath.Join(t.TempDir(), "notify"),
		"an abstract socket": "@hostbot-test-" + filepath.Base(t.TempDir()) + time.Now().Format("150405.000000000"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newScene(t, instantly, discordtest.Config{})
			heard, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: socket, Net: "unixgram"})
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = heard.Close() }()
			// hears returns the next that is told, but for states before the one that is waited for.
			hears := func(want string) string {
				t.Helper()
				for {
					_ = heard.SetReadDeadline(time.Now().Add(world.Patience))
					text := make([]byte, 4096)
					n, err := heard.Read(text)
					if err != nil {
						t.Fatalf("not told %q: %v", want, err)
					}
					told := string(text[:n])
					if !strings.HasPrefix(told, "STATUS=") || strings.Contains(told, want) {
						return told
					}
				}
			}
			w.discord.RefuseConnections(true)
			r := w.launch(t, nil, "NOTIFY_SOCKET="+socket)
			if told := hears("READY"); told != "READY=1" {
				t.Errorf("first it tells %q", told)
			}
			if status, _ := r.get("/readyz"); status != http.StatusServiceUnavailable {
				t.Errorf("/readyz: %d", status)
			}
			if told := hears("not connected"); told != "STATUS=is not connected to Discord, and tries again" {
				t.Errorf("while Discord is away it tells %q", told)
			}
			w.discord.RefuseConnections(false)
			if told := hears("serves"); told != "STATUS=serves 1 of Discord's shards" {
				t.Errorf("when it serves it tells %q", told)
			}
			_ = r.cmd.Process.Signal(syscall.SIGHUP)
			if told := hears("RELOADING"); !regexp.MustCompile(`^RELOADING=1\nMONOTONIC_USEC=\d+$`).MatchString(told) {
				t.Errorf("at SIGHUP it tells %q", told)
			}
			if told := hears("READY"); told != "READY=1" {
				t.Errorf("then it tells %q", told)
			}
			_ = r.cmd.Process.Signal(syscall.SIGTERM)
			if told := hears("STOPPING"); told != "STOPPING=1" {
				t.Errorf("at SIGTERM it tells %q", told)
			}
			<-r.ended
			if code := r.cmd.ProcessState.ExitCode(); code != 0 || strings.Contains(r.stderr.String(), "systemd") {
				t.Errorf("exit %d\n%s", code, r.tail())
			}
		})
	}
}
