//go:build integration

package processes_test

import (
	"bufio"
	"fmt"
	"maps"
	"net"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/redis/go-redis/v9"
)

// group is a command that a client sent to Redis, with those that its script called.
type group struct {
	client   string // by its address
	text     string // the command, as MONITOR writes it
	commands int
}

// recording is what Redis processes from a moment on, as its MONITOR tells.
type recording struct {
	conn  net.Conn
	heard sync.WaitGroup

	mu     sync.Mutex
	groups []group
}

// line of MONITOR: time, database and client, and the command. The client of a command that
// a script calls is "lua".
var monitored = regexp.MustCompile(`^\+[\d.]+ \[\d+ (\S+)\] (.*)$`)

// record begins to record.
func record(t *testing.T, redisAddr string) *recording {
	t.Helper()
	conn, err := net.Dial("tcp", redisAddr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	if _, err := conn.Write([]byte("MONITOR\r\n")); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(conn)
	lines.Buffer(nil, 1<<24)
	if !lines.Scan() || lines.Text() != "+OK" {
		t.Fatalf("MONITOR: %q, %v", lines.Text(), lines.Err())
	}
	r := &recording{conn: conn}
	r.heard.Go(func() {
		for lines.Scan() {
			if found := monitored.FindStringSubmatch(lines.Text()); found != nil {
				r.note(found[1], found[2])
			}
		}
	})
	return r
}

// note notes a command. Redis runs one at a time, so that what "lua" calls belongs to the one
// before.
func (r *recording) note(client, text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if last := len(r.groups) - 1; client == "lua" && last >= 0 {
		r.groups[last].commands++
		return
	}
	r.groups = append(r.groups, group{client, text, 1})
}

// end ends the recording and returns what was recorded.
func (r *recording) end() []group {
	_ = r.conn.Close()
	r.heard.Wait()
	return r.groups
}

// part names the part of the program that a command belongs to, by the braces in its key.
func (g group) part() string {
	found := regexp.MustCompile(`\{([^}]+)\}`).FindStringSubmatch(g.text)
	switch {
	case found == nil:
		return strings.Trim(strings.ToLower(strings.Fields(g.text)[0]), `"`)
	case strings.Contains(g.text, ":account:{"):
		return "cached accounts"
	}
	return found[1]
}

// byPart counts commands by the part of the program that they belong to.
func byPart(groups []group) string {
	parts := make(map[string]int)
	for _, g := range groups {
		parts[g.part()] += g.commands
	}
	var text []string
	for _, part := range slices.SortedFunc(maps.Keys(parts), func(a, b string) int { return parts[b] - parts[a] }) {
		text = append(text, fmt.Sprintf("%s %d", part, parts[part]))
	}
	return strings.Join(text, ", ")
}

// processed is how many commands Redis has processed, those that scripts called included.
func processed(t *testing.T, client *redis.Client) int {
	t.Helper()
	_, after, _ := strings.Cut(client.Info(t.Context(), "stats").Val(), "total_commands_processed:")
	n, err := strconv.Atoi(strings.TrimSpace(strings.SplitN(after, "\r\n", 2)[0]))
	if err != nil {
		t.Fatal(err)
	}
	return n
}
