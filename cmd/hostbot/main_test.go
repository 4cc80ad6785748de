package main

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"hostbot/bot/testing/discordtest"
	"hostbot/hostapi/hostapitest"
)

func TestMisuseIsReportedLineByLine(t *testing.T) {
	tests := map[string]struct {
		args    []string
		environ []string
		lines   []string
	}{
		"nothing is set": {lines: []string{"DISCORD_TOKEN", "HOSTAPI_URL", "HOSTAPI_SECRET"}},
		"several mistakes": {
			environ: []string{
				"DISCORD_TOKEN=Bot very-secret-token", "HOSTAPI_URL=http://panel.example", "HOSTAPI_SECRET=very-secret-secret",
				"HOSTAPI_TIMEOUT=soon", "LOG_CHANNEL_ID=#general", "LOG_LEVEL=loud",
			},
			lines: []string{"DISCORD_TOKEN", "HOSTAPI_URL", "HOSTAPI_TIMEOUT", "LOG_CHANNEL_ID", "LOG_LEVEL"},
		},
		"unknown flag":       {args: []string{"--loud"}, lines: []string{"loud"}},
		"flag of another":    {args: []string{"check", "--verbose"}, lines: []string{"--verbose"}},
		"nowhere to ask":     {args: []string{"health"}, environ: []string{"HTTP_ADDR=everywhere"}, lines: []string{"HTTP_ADDR"}},
		"no file to ask by":  {args: []string{"--config", "/does/not/exist.yaml", "health"}, lines: []string{"/does/not/exist.yaml"}},
		"no such file":       {args: []string{"--config", "/does/not/exist.yaml"}, lines: []string{"/does/not/exist.yaml"}},
		"unknown command":    {args: []string{"dance"}, environ: valid("https://panel.example", "off"), lines: []string{"dance"}},
		"flag of check":      {args: []string{"--json"}, lines: []string{"--json"}},
		"flag of health":     {args: []string{"health", "--user", "1"}, lines: []string{"--user"}},
		"no user's ID":       {args: []string{"check", "--user", "anna"}, lines: []string{"--user"}},
		"settings for check": {args: []string{"check"}, lines: []string{"DISCORD_TOKEN"}},
		"too many of them":   {args: []string{"health", "now"}, environ: valid("https://panel.example", "off"), lines: []string{"now"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			if code := run(test.args, test.environ, &stdout, &stderr); code != exitMisuse {
				t.Errorf("exit %d, want %d", code, exitMisuse)
			}
			for _, word := range test.lines {
				if !strings.Contains(stderr.String(), word) {
					t.Errorf("no line about %s in:\n%s", word, &stderr)
				}
			}
			if strings.Contains(stderr.String(), "very-secret") {
				t.Errorf("a secret is shown:\n%s", &stderr)
			}
		})
	}
}

func valid(hostAPI, httpAddr string) []string {
	return []string{"DISCORD_TOKEN=token", "HOSTAPI_URL=" + hostAPI, "HOSTAPI_SECRET=secret", "HTTP_ADDR=" + httpAddr}
}

var versionLine = regexp.MustCompile(`^hostbot development, commit .+, go1\.\d+\S*\n$`)

func TestVersionAndHelp(t *testing.T) {
	var stdout, stderr bytes.Buffer
	if code := run([]string{"--version"}, nil, &stdout, &stderr); code != exitDone || !versionLine.MatchString(stdout.String()) {
		t.Errorf("--version: exit %d, %q", code, &stdout)
	}
	if code := run([]string{"--help"}, nil, &stdout, &stderr); code != exitDone || !strings.Contains(stderr.String(), "Usage") {
		t.Errorf("--help: exit %d, %q", code, &stderr)
	}
}

// TestHealthAsksTheRunningBot at HTTP_ADDR: it needs no other setting, and minds none that is wrong.
func TestHealthAsksTheRunningBot(t *testing.T) {
	status := http.StatusOK
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/readyz" {
			w.WriteHeader(status)
		}
		_, _ = w.Write([]byte(r.URL.String() + "\n"))
	}))
	defer server.Close()
	addr := strings.TrimPrefix(server.URL, "http://")
	ask := func(addr string, flags ...string) (code int, said string) {
		var out bytes.Buffer
		return run(append([]string{"health"}, flags...), []string{"HTTP_ADDR=" + addr, "LOG_LEVEL=loud"}, &out, &out), out.String()
	}
	if code, said := ask(addr); code != exitDone || said != "200 OK\n" {
		t.Errorf("a bot that serves: exit %d, %q", code, said)
	}
	file := filepath.Join(t.TempDir(), "hostbot.yaml")
	if err := os.WriteFile(file, []byte("http: {addr: '"+addr+"'}\nhostapi: {timeout: soon}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, said := ask("", "--config", file); code != exitDone || said != "200 OK\n" {
		t.Errorf("a bot whose address is in a file: exit %d, %q", code, said)
	}
	status = http.StatusServiceUnavailable
	if code, said := ask(addr, "--verbose"); code != exitFailure || said != "503 Service Unavailable\n/healthz?verbose\n" {
		t.Errorf("a bot that does not, and says why: exit %d, %q", code, said)
	}
	server.Close()
	if code, _ := ask(addr); code != exitFailure {
		t.Errorf("no bot: exit %d", code)
	}
	if code, _ := ask("off"); code != exitFailure {
		t.Errorf("nothing to ask: exit %d", code)
	}
}

func TestWrongTokenEndsTheProgramWithOneClearLine(t *testing.T) {
	discord, service := discordtest.RunT(t), hostapitest.RunT(t)
	discord.ExpectFailures()
	var stdout, stderr bytes.Buffer
	code := run(nil, []string{
		"DISCORD_TOKEN=wrong", "DISCORD_API_URL=" + discord.URL(),
		"HOSTAPI_URL=" + service.URL(), "HOSTAPI_SECRET=" + service.Secret(), "HTTP_ADDR=off",
	}, &stdout, &stderr)
	lines := strings.Split(strings.TrimSpace(stderr.String()), "\n")
	last := lines[len(lines)-1]
	if code != exitFailure || strings.Count(stderr.String(), `"level":"error"`) != 1 || !strings.Contains(last, `"level":"error"`) || !strings.Contains(last, "check DISCORD_TOKEN") {
		t.Errorf("exit %d\n%s", code, &stderr)
	}
	if !strings.Contains(lines[0]+lines[1], `"version":"development","commit":"`) {
		t.Errorf("it is not said what runs:\n%s", &stderr)
	}
	if n := len(discord.Calls()); n != 1 {
		t.Errorf("Discord was called %d times", n)
	}
}

// TestThePortOfAnotherProgramIsNamed with its cure: the default is that of Prometheus, too.
func TestThePortOfAnotherProgramIsNamed(t *testing.T) {
	prometheus := httptest.NewServer(http.NotFoundHandler())
	defer prometheus.Close()
	var stdout, stderr bytes.Buffer
	code := run(nil, append(valid("https://panel.example", prometheus.Listener.Addr().String()), "DISCORD_API_URL=http://127.0.0.1:1"), &stdout, &stderr)
	if code != exitFailure || !strings.Contains(stderr.String(), "HTTP_ADDR: ") || !strings.Contains(stderr.String(), "set it to an address of this machine with a free port") {
		t.Errorf("exit %d\n%s", code, &stderr)
	}
}

func TestCheckTellsPeopleAndMachines(t *testing.T) {
	discord, service := discordtest.RunT(t), hostapitest.RunT(t)
	discord.ExpectFailures()
	anna := discord.User("anna")
	service.AddAccount(anna.ID, hostapitest.Plan{Name: "Pro", MaxServers: 5})
	environ := []string{
		"DISCORD_TOKEN=" + discord.Token(), "DISCORD_API_URL=" + discord.URL(),
		"HOSTAPI_URL=" + service.URL(), "HOSTAPI_SECRET=" + service.Secret(), "HTTP_ADDR=off",
	}
	var people, machines, stderr bytes.Buffer
	if code := run([]string{"check", "--user", anna.ID}, environ, &people, &stderr); code != exitDone || stderr.Len() > 0 {
		t.Errorf("exit %d, %s", code, &stderr)
	}
	for _, text := range []string{"✓ token: ", "✓ hosting service: user " + anna.ID + " has 0 of 5 bots", "! redis: ", " → set REDIS_URL"} {
		if !strings.Contains(people.String(), text) {
			t.Errorf("no %q in\n%s", text, &people)
		}
	}

	environ = append(environ, "HOSTAPI_SECRET=wrong")
	if code := run([]string{"check", "--json"}, environ, &machines, &stderr); code != exitFailure || stderr.Len() > 0 {
		t.Errorf("exit %d, %s", code, &stderr)
	}
	results := make(map[string]string)
	for line := range strings.Lines(machines.String()) {
		var found map[string]string
		if err := json.Unmarshal([]byte(line), &found); err != nil || len(found) != 4 || found["found"] == "" {
			t.Errorf("%v, %v: %s", found, err, line)
		}
		if order := regexp.MustCompile(`^\{"name":".+","result":".+","found":".+","cure":".*"\}\n$`); !order.MatchString(line) {
			t.Errorf("the names are others, or in another order: %s", line)
		}
		results[found["name"]] = found["result"]
		if (found["cure"] == "") != (found["result"] == "ok") {
			t.Errorf("the cure does not fit the result: %s", line)
		}
	}
	if results["token"] != "ok" || results["redis"] != "warning" || results["hosting service"] != "failure" {
		t.Errorf("%v", results)
	}
}
