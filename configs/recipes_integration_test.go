//go:build integration

package configs_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"hostbot/hostapi/loopback"
)

// redisGroup is a Redis of three servers behind three Sentinels, each with a file of settings, as on a machine
// of its own.
type redisGroup struct {
	t                  *testing.T
	password           string // of the user default; empty for none
	servers, sentinels []*redisMachine
}

// redisMachine is a server or a Sentinel. Its address is no other's, so that its port is the usual one.
type redisMachine struct {
	t               *testing.T
	host, port, dir string
	cmd             *exec.Cmd
}

// startRedisGroup starts a master, which is the first of the servers, its replicas and the Sentinels.
func startRedisGroup(t *testing.T, password string) *redisGroup {
	t.Helper()
	for _, program := range []string{"redis-server", "redis-cli", "bash"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Fatal(err)
		}
	}
	g := &redisGroup{t: t, password: password}
	asks := func(lines ...string) (settings []string) { // those about a password
		if password != "" {
			settings = lines
		}
		return settings
	}
	for i := range 3 {
		settings := asks("requirepass "+password, "masterauth "+password)
		settings = append(settings, "appendonly yes", "repl-diskless-sync-delay 0")
		if i > 0 {
			settings = append(settings, "replicaof "+g.servers[0].host+" "+g.servers[0].port)
		}
		g.servers = append(g.servers, newRedisMachine(t, "6379", settings))
		g.servers[i].start()
	}
	for range 3 {
		settings := append([]string{fmt.Sprintf("sentinel monitor main %s %s 2", g.servers[0].host, g.servers[0].port),
			"sentinel down-after-milliseconds main 500", "sentinel failover-timeout main 3000"}, asks("sentinel auth-pass main "+password)...)
		g.sentinels = append(g.sentinels, newRedisMachine(t, "26379", settings))
	}
	g.startSentinels()
	g.agree()
	return g
}

func newRedisMachine(t *testing.T, port string, settings []string) *redisMachine {
	t.Helper()
	m := &redisMachine{t: t, host: loopback.Host(), port: port, dir: t.TempDir()}
	settings = append([]string{"bind " + m.host, "bind-source-addr " + m.host, "protected-mode no", "port " + port, "dir " + m.dir}, settings...)
	if err := os.WriteFile(m.file(), []byte(strings.Join(settings, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.kill)
	return m
}

func (m *redisMachine) file() string { return filepath.Join(m.dir, "redis.conf") }

// start starts the server, or the Sentinel, with what its file says by now, and waits until it answers.
func (m *redisMachine) start(args ...string) {
	m.t.Helper()
	m.cmd = exec.Command("redis-server", append([]string{m.file()}, args...)...)
	m.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := m.cmd.Start(); err != nil {
		m.t.Fatal(err)
	}
	eventually(m.t, m.host+" answers", func() bool {
		said := m.says("", "PING")
		return strings.Contains(said, "PONG") || strings.Contains(said, "NOAUTH")
	})
}

func (m *redisMachine) kill() {
	if m.cmd != nil {
		_ = m.cmd.Process.Kill()
		_ = m.cmd.Wait()
		m.cmd = nil
	}
}

// says returns what redis-cli prints for commands, a line each.
func (m *redisMachine) says(password, commands string, args ...string) string {
	cmd := exec.Command("redis-cli", append([]string{"-h", m.host, "-p", m.port}, args...)...)
	cmd.Env = os.Environ()
	if password != "" {
		cmd.Env = append(cmd.Env, "REDISCLI_AUTH="+password)
	}
	cmd.Stdin = strings.NewReader(commands)
	said, _ := cmd.CombinedOutput() // where it fails, it says why
	return strings.TrimSpace(string(said))
}

func (g *redisGroup) startSentinels() {
	for _, s := range g.sentinels {
		s.start("--sentinel")
	}
}

// master returns the server that a Sentinel names.
func (g *redisGroup) master() *redisMachine {
	host, _, _ := strings.Cut(g.sentinels[0].says("", "SENTINEL GET-MASTER-ADDR-BY-NAME main"), "\n")
	for _, s := range g.servers {
		if s.host == host {
			return s
		}
	}
	return nil
}

// agree waits until the Sentinels agree on a master, and all other servers that run replicate it.
func (g *redisGroup) agree() {
	g.t.Helper()
	eventually(g.t, "the Sentinels agree", func() bool {
		master, running := g.master(), 0
		if master == nil {
			return false
		}
		for _, s := range g.servers {
			if s.cmd == nil {
				continue
			}
			running++
			if s != master && !strings.Contains(s.says(g.password, "INFO replication"), "master_host:"+master.host+"\r\n") {
				return false
			}
		}
		for _, s := range g.sentinels {
			known := s.says("", "SENTINEL MASTER main")
			if !strings.HasPrefix(s.says("", "SENTINEL CKQUORUM main"), "OK 3 ") || !strings.Contains(known, "flags\nmaster\n") || !strings.Contains(known, "\n"+master.host+"\n") {
				return false
			}
		}
		said := master.says(g.password, "INFO replication")
		return strings.Contains(said, "role:master") && strings.Count(said, "state=online") == running-1
	})
}

// eventually asks again and again until something is so.
func eventually(t *testing.T, what string, isSo func() bool) {
	t.Helper()
	tick, tooLate := time.NewTicker(20*time.Millisecond), time.After(2*time.Minute)
	defer tick.Stop()
	for !isSo() {
		select {
		case <-tick.C:
		case <-tooLate:
			t.Fatal("not so: ", what)
		}
	}
}

// blocks returns the blocks of commands below a heading, or a phrase, of a page up to the next one.
func blocks(t *testing.T, page, from, to string) (found []string) {
	t.Helper()
	_, text, ok := strings.Cut(read(t, page), from)
	text, _, ends := strings.Cut(text, to)
	for _, block := range regexp.MustCompile("(?ms)^ *```(?:ba)?(?:sh)?\n(.*?)^ *```$").FindAllStringSubmatch(text, -1) {
		found = append(found, regexp.MustCompile(`(?m)^ +`).ReplaceAllString(block[1], ""))
	}
	if !ok || !ends || len(found) == 0 {
		t.Fatalf("%s has no commands between %q and %q", page, from, to)
	}
	return found
}

// given gives a block of commands, which are to be done, to a server or Sentinel.
func (g *redisGroup) given(m *redisMachine, block, former, new string) {
	g.t.Helper()
	block, password := strings.NewReplacer("NEW", new, "OLD", former, "PASSWORD", former).Replace(block), g.password
	if slices.Contains(g.sentinels, m) {
		password = ""
	}
	for line := range strings.Lines(m.says(password, block)) {
		if line = strings.TrimSpace(line); line != "OK" && line != "" && !regexp.MustCompile(`^\d+$`).MatchString(line) {
			g.t.Fatalf("%q: %s", block, line)
		}
	}
}

// cut ends all connections: those of bots, replicas and Sentinels.
func (g *redisGroup) cut() {
	g.t.Helper()
	for _, s := range g.servers {
		g.given(s, "CLIENT KILL TYPE replica\nCLIENT KILL TYPE pubsub\nCLIENT KILL TYPE master\nCLIENT KILL TYPE normal\n", "", "")
	}
	g.agree()
}

// accepts reports whether a server lets a user in.
func (m *redisMachine) accepts(user, password string) bool {
	return m.says(password, "ECHO in", "--user", user) == "in"
}

// TestRedisPasswordsAreReplacedBehindSentinels gives what deploy/ROTATE.md says to each server. After each
// step all connections are cut; after the last one each server is started again, and the master dies.
func TestRedisPasswordsAreReplacedBehindSentinels(t *testing.T) {
	const former, new = "f0rmer", "n3w"
	for user, between := range map[string][2]string{
		"hostbot": {"**If `REDIS_URL` names a user**", "**If it names none**"},
		"default": {"**If it names none**", "connects again at once"},
	} {
		t.Run(user, func(t *testing.T) {
			t.Parallel()
			g := startRedisGroup(t, former)
			for _, s := range g.servers {
				g.given(s, blocks(t, "deploy/CHECK.md", "## Redis's user", "## Where")[0], former, new)
			}
			for i, block := range blocks(t, "deploy/ROTATE.md", between[0], between[1]) {
				on := g.servers
				if strings.HasPrefix(block, "SENTINEL") {
					on = g.sentinels
				}
				for _, s := range g.servers {
					if i > 0 && (!s.accepts(user, former) || !s.accepts(user, new)) {
						t.Errorf("before %q a password is refused", block)
					}
				}
				for _, m := range on {
					g.given(m, block, former, new)
				}
				if strings.Contains(block, "requirepass") {
					g.password = new
				}
				g.cut()
			}
			for _, s := range g.servers {
				s.kill()
				s.start()
			}
			g.agree()
			died := g.master()
			died.kill()
			eventually(t, "another server is the master", func() bool { return g.master() != died })
			g.agree()
			for _, s := range g.servers {
				if s != died && (s.accepts(user, former) || !s.accepts(user, new)) {
					t.Errorf("at the end the former password is accepted: %t, the new one: %t", s.accepts(user, former), s.accepts(user, new))
				}
			}
		})
	}
}

// TestABackupIsRestoredBehindSentinels does what deploy/BACKUP.md says: a dump, people who go on, and the
// dump again. sudo and systemctl are programs that act on the server of the test.
func TestABackupIsRestoredBehindSentinels(t *testing.T) {
	t.Parallel()
	g := startRedisGroup(t, "")
	master := g.servers[0]
	paste := func(block string) (lastLine string) {
		t.Helper()
		block = strings.NewReplacer("/etc/redis/", master.dir+"/", "/var/lib/redis", master.dir, "-o redis ", "").Replace(block)
		cmd := exec.Command("bash", "-c", block)
		cmd.Dir = filepath.Join(master.dir, "programs")
		cmd.Env = append(os.Environ(), "PATH="+cmd.Dir+":"+os.Getenv("PATH"), "HOST="+master.host)
		said, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s\n%s", err, block, said)
		}
		lines := strings.Split(strings.TrimSpace(string(said)), "\n")
		return lines[len(lines)-1]
	}
	for name, script := range map[string]string{
		"sudo":      `[ "$1" != -u ] || shift 2; exec "$@"`,
		"systemctl": "true", // the test stops and starts the server
		"redis-cli": `PATH=${PATH#*:}; exec redis-cli -h "$HOST" "$@"`,
	} {
		path := filepath.Join(master.dir, "programs", name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("#!/bin/sh\n"+script+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	settings := func(who string) string { return "hostbot:1:{settings}:record:" + who }
	master.says("", "SET "+settings("anna")+" 1\nSET "+settings("ben")+" 1\n")
	number := paste(blocks(t, "deploy/BACKUP.md", "## Make one", "With Compose:")[0])
	master.says("", "DEL "+settings("anna")+" "+settings("ben")+"\nSET "+settings("carol")+" 1\n")

	for _, m := range append(g.sentinels, g.servers[1:]...) {
		m.kill()
	}
	restore := blocks(t, "deploy/BACKUP.md", "**One server,**", "**Behind Sentinels,**")
	master.says("", "SHUTDOWN") // as systemctl stop does
	master.kill()
	for _, block := range restore[:2] {
		paste(block)
	}
	master.start()
	if is := paste(restore[2]); is != number || number != "2" {
		t.Errorf("%s people have alerts, and %s had when the backup was made", is, number)
	}
	for _, s := range g.servers[1:] {
		s.start()
	}
	replicated := func() bool {
		return !slices.ContainsFunc(g.servers, func(s *redisMachine) bool {
			keys := s.says("", "KEYS *")
			return !strings.Contains(keys, "anna") || strings.Contains(keys, "carol")
		})
	}
	eventually(t, "the replicas hold the backup", replicated)
	g.startSentinels()
	g.agree()
	if g.master() != master || !replicated() {
		t.Error("the Sentinels have another server be the master, or the backup is lost")
	}
}
