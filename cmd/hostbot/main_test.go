package main

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"hostbot/bot/discordtest"
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
		"unknown flag":     {args: []string{"--verbose"}, lines: []string{"verbose"}},
		"no such file":     {args: []string{"--config", "/does/not/exist.yaml"}, lines: []string{"/does/not/exist.yaml"}},
		"unknown command":  {args: []string{"dance"}, environ: valid("https://panel.example", "off"), lines: []string{"dance"}},
		"too many of them": {args: []string{"health", "now"}, environ: valid("https://panel.example", "off"), lines: []string{"now"}},
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

func TestVersionAndHelp(t *testing.T) {
	var stdout, stderr bytes.Buffer
	if code := run([]string{"--version"}, nil, &stdout, &stderr); code != exitDone || !strings.Contains(stdout.String(), version) {
		t.Errorf("--version: exit %d, %q", code, &stdout)
	}
	if code := run([]string{"--help"}, nil, &stdout, &stderr); code != exitDone || !strings.Contains(stderr.String(), "Usage") {
		t.Errorf("--help: exit %d, %q", code, &stderr)
	}
}

func TestHealthAsksTheRunningBot(t *testing.T) {
	status := http.StatusOK
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }))
	defer server.Close()
	addr := strings.TrimPrefix(server.URL, "http://")
	ask := func(addr string) int {
		var out bytes.Buffer
		return run([]string{"health"}, valid("https://panel.example", addr), &out, &out)
	}
	if code := ask(addr); code != exitDone {
		t.Errorf("a bot that serves: exit %d", code)
	}
	status = http.StatusServiceUnavailable
	if code := ask(addr); code != exitFailure {
		t.Errorf("a bot that does not: exit %d", code)
	}
	server.Close()
	if code := ask(addr); code != exitFailure {
		t.Errorf("no bot: exit %d", code)
	}
	if code := ask("off"); code != exitFailure {
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
	if n := len(discord.Calls()); n != 1 {
		t.Errorf("Discord was called %d times", n)
	}
}
