//go:build integration

package processes_test

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"hostbot/bot/testing/discordtest"
	"hostbot/bot/testing/e2e/world"
)

// asked is how many interactions arrive in a test of this file.
const asked = 500

// TestStopBehindNginxRefusesNobody has Discord send interactions through a real nginx, with the file
// that operators are given, to two replicas of which one after the other is stopped and started again.
func TestStopBehindNginxRefusesNobody(t *testing.T) {
	t.Parallel()
	w := newScene(t, time.Second, discordtest.Config{Lean: true})
	replicas := []*replica{w.behind(t), w.behind(t)}
	w.discord.AddEndpoint(startNginx(t, replicas[0].interactions, replicas[1].interactions))
	w.staysServed(t, 30*time.Second, func() {
		for i, r := range replicas {
			r.stops(t)
			again := w.behind(t, "INTERACTIONS_ADDR="+r.interactions)
			again.interactions, replicas[i] = r.interactions, again
			eventually(t, "it finds that it is reached through nginx", func() bool {
				_, metrics := again.get("/metrics")
				return strings.Contains(metrics, "\nhostbot_interactions_arrive 1\n")
			})
		}
	})
}

// behind starts a replica to which something else passes Discord's requests on.
func (w *scene) behind(t *testing.T, environment ...string) *replica {
	t.Helper()
	address := world.FreeAddress(t)
	r := w.start(t, append([]string{"LOG_LEVEL=warn", "INTERACTIONS_ADDR=" + address, "DISCORD_PUBLIC_KEY=" + w.discord.PublicKey()}, environment...)...)
	r.interactions = address
	return r
}

// stops tells a replica to stop, and waits until it has.
func (r *replica) stops(t *testing.T) {
	began := time.Now()
	_ = r.cmd.Process.Signal(syscall.SIGTERM)
	<-r.ended
	if took := time.Since(began); took > 25*time.Second {
		t.Errorf("a replica took %v to stop", took)
	}
}

// staysServed has customers ask, and each tenth restart a bot, evenly over a time in which something is
// done. Each of them has to be served.
func (w *scene) staysServed(t *testing.T, over time.Duration, do func()) {
	t.Helper()
	who := w.customers("c", asked)
	var refused, unanswered, served atomic.Int32
	var all sync.WaitGroup
	began := time.Now()
	all.Go(do)
	for i, c := range who {
		<-time.After(time.Until(began.Add(time.Duration(i) * over / asked)))
		all.Go(func() {
			command, options, want := "/bot list", discordtest.Options(nil), "🟢 Shop"
			if i%10 == 0 {
				command, options, want = "/bot restart", discordtest.Options{"bot": c.bot}, "✅ Restarted"
			}
			reply, err := c.Start(command, options)
			if err != nil {
				t.Error(err)
				return
			}
			ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
			defer cancel()
			switch v, _ := reply.Await(ctx, isSettled); {
			case v.Contains(want):
				served.Add(1)
			case v.Contains("Our system is restarting"):
				refused.Add(1)
			default:
				if unanswered.Add(1) < 3 {
					t.Logf("%s after %v: state %v, %q", c.Name, time.Since(began), v.State, v.Text())
				}
			}
		})
	}
	all.Wait()
	if served.Load() < asked {
		t.Errorf("of %d, %d read that the bot is restarting and %d were not served", asked, refused.Load(), unanswered.Load())
	}
}

// startNginx starts an nginx with the file for operators, but for a certificate, in front of two
// replicas. It returns the address for Discord.
func startNginx(t *testing.T, first, second string) string {
	t.Helper()
	program, err := exec.LookPath("nginx")
	if err != nil {
		t.Fatal("nginx is not in PATH: install nginx-light")
	}
	dir, address := t.TempDir(), world.FreeAddress(t)
	config := filepath.Join(dir, "nginx.conf")
	if err := os.WriteFile(config, []byte(nginxConfig(t, dir, address, first, second)), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, "-c", config, "-e", "stderr")
	var stderr strings.Builder
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_, _ = cmd.Process.Kill(), cmd.Wait()
		if t.Failed() {
			t.Logf("nginx's stderr:\n%s", stderr.String()[:min(4000, stderr.Len())])
		}
	})
	eventually(t, "nginx listens", func() bool {
		res, err := http.Get("http://" + address)
		if err == nil {
			_ = res.Body.Close()
		}
		return err == nil
	})
	return "http://" + address + "/interactions"
}

// nginxConfig returns the file for operators with other addresses and without a certificate, and what
// nginx needs around it to run for whoever tests.
func nginxConfig(t *testing.T, dir, address, first, second string) string {
	t.Helper()
	shipped, err := os.ReadFile("../../../../configs/deploy/proxy/nginx.conf")
	if err != nil {
		t.Fatal(err)
	}
	text := string(shipped)
	for old, adapted := range map[string]string{
		"127.0.0.1:8081": first, "127.0.0.1:8082": second, "listen 443 ssl;": "listen " + address + ";",
		"ssl_certificate     /etc/letsencrypt/live/bot.example.com/fullchain.pem;": "",
		"ssl_certificate_key /etc/letsencrypt/live/bot.example.com/privkey.pem;":   "",
	} {
		if strings.Count(text, old) != 1 {
			t.Fatalf("nginx.conf has %q %d times", old, strings.Count(text, old))
		}
		text = strings.ReplaceAll(text, old, adapted)
	}
	var temporary strings.Builder // as only root may write to the usual places
	for _, of := range []string{"client_body", "proxy", "fastcgi", "uwsgi", "scgi"} {
		fmt.Fprintf(&temporary, "%s_temp_path %s;\n", of, filepath.Join(dir, of))
	}
	return fmt.Sprintf("daemon off;\nmaster_process off;\npid %s/pid;\nerror_log stderr warn;\nevents {}\nhttp {\naccess_log off;\n%s%s}\n", dir, &temporary, text)
}
