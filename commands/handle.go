package commands

import (
	"crypto/sha256"
	"encoding/base64"
	"strings"

	"hostbot/hostapi"
)

// maxHandle keeps a handle within what Discord allows for a custom ID and a
// value (100 characters), with room for a route before it.
const maxHandle = 64

// handle returns what stands for a bot in custom IDs and values. It is the ID
// itself, or a digest of it where that is too long or has characters that
// might not come back as they were sent. A handle is only ever compared with
// those of the caller's own bots.
func handle(serverID string) string {
	if len(serverID) <= maxHandle && !strings.HasPrefix(serverID, "~") && isSafe(serverID) {
		return serverID
	}
	sum := sha256.Sum256([]byte(serverID))
	return "~" + base64.RawURLEncoding.EncodeToString(sum[:16])
}

// isSafe tells of printable ASCII without outer space, which may be trimmed.
func isSafe(id string) bool {
	for i := range len(id) {
		if id[i] < ' ' || id[i] > '~' {
			return false
		}
	}
	return id != "" && strings.TrimSpace(id) == id
}

// byHandle finds the caller's bot for which a handle stands.
func byHandle(servers []hostapi.Server, h string) (hostapi.Server, bool) {
	for _, s := range servers {
		if handle(s.ID) == h {
			return s, true
		}
	}
	return hostapi.Server{}, false
}
