//go:build integration

package main

import (
	"bufio"
	"bytes"
	"io"
	"net"
	"net/http"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"hostbot/bot/testing/discordtest"
	"hostbot/bot/testing/faultproxy"
	"hostbot/hostapi/hostapitest"
	"hostbot/hostapi/loopback"
	"hostbot/hostapi/redistest"
)

// checksLine is a line of check.
var checksLine = regexp.MustCompile(`^[✓!✗] [a-z, ]+: .+\n$`)

// checkIsQuiet has the built program check counterparts that are broken, each in a way in which
// a library has something to say. What it prints are its own lines alone.
func checkIsQuiet(t *testing.T, path string) {
	t.Helper()
	for name, test := range map[string]struct {
		redis   faultproxy.Condition
		query   string // of REDIS_URL
		discord faultproxy.Condition
		chatty  bool // Discord says more than it is asked
	}{
		"all is well":                      {},
		"Redis refuses connections":        {redis: faultproxy.Refusing},
		"Redis breaks connections":         {redis: faultproxy.Resetting},
		"Redis breaks off in an answer":    {redis: faultproxy.CuttingOff},
		"Sentinels refuse connections":     {redis: faultproxy.Refusing, query: "?master_name=main&addr="},
		"Sentinels break connections":      {redis: faultproxy.Resetting, query: "?master_name=main&addr="},
		"Sentinels are none":               {query: "?master_name=main&addr="},
		"a Cluster refuses connections":    {redis: faultproxy.Refusing, query: "?addr="},
		"a Cluster is none":                {query: "?addr="},
		"Discord refuses connections":      {discord: faultproxy.Refusing},
		"Discord breaks connections":       {discord: faultproxy.Resetting},
		"Discord breaks off in an answer":  {discord: faultproxy.CuttingOff},
		"Discord answers what nobody asks": {chatty: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			discord, service := discordtest.RunT(t), hostapitest.RunT(t)
			discord.ExpectFailures()
			toRedis := faultproxy.RunT(t, redistest.StartMiniredis(t).Addr())
			toDiscord := faultproxy.RunT(t, host(discord.URL()))
			toRedis.Set(test.redis)
			toDiscord.Set(test.discord)
			api := strings.Replace(discord.URL(), host(discord.URL()), toDiscord.Addr(), 1)
			if test.chatty {
				api = "http://" + answerTwice(t) + "/api/v10"
			}
			address := "redis://" + toRedis.Addr()
			if test.query != "" {
				address += test.query + toRedis.Addr()
			}
			check := exec.Command(path, "check")
			check.Env = []string{
				"DISCORD_TOKEN=" + discord.Token(), "DISCORD_API_URL=" + api, "REDIS_URL=" + address,
				"HOSTAPI_URL=" + service.URL(), "HOSTAPI_SECRET=" + service.Secret(),
			}
			var stdout, stderr bytes.Buffer
			check.Stdout, check.Stderr = &stdout, &stderr
			_ = check.Run() // which fails where something is broken
			if stderr.Len() > 0 || stdout.Len() == 0 {
				t.Errorf("stderr: %q, stdout: %q", &stderr, &stdout)
			}
			for line := range strings.Lines(stdout.String()) {
				if !checksLine.MatchString(line) {
					t.Errorf("a line that is not its own: %q", line)
				}
			}
		})
	}
}

// host returns the host and port of an address.
func host(address string) string {
	_, after, _ := strings.Cut(address, "://")
	before, _, _ := strings.Cut(after, "/")
	return before
}

// answerTwice runs a server that answers each request twice, and returns its address.
func answerTwice(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", loopback.AnyPort())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer func() { _ = conn.Close() }()
				requests := bufio.NewReader(conn)
				for {
					if _, err := http.ReadRequest(requests); err != nil {
						return
					}
					_, _ = io.WriteString(conn, strings.Repeat("HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n", 2))
				}
			}()
		}
	}()
	return listener.Addr().String()
}
