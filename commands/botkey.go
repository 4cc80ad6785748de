package commands

import (
	"crypto/sha256"
	"encoding/base64"
	"strings"

	"hostbot/hostapi"
)

// maxBotKey keeps a key within what Discord allows for a custom ID and a value
// (100 characters), with room for a route before it.
const maxBotKey = 64

// botKey returns the text that stands for a bot in custom IDs and values. It is the
// ID itself, or a digest of an ID that is too long or has characters that might not
// come back as they were sent. A key is only ever compared with those of the
// caller's own bots.
func botKey(serverID string) string {
	if len(serverID) <= maxBotKey && !strings.HasPrefix(serverID, "~") && isSafe(serverID) {
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

// byKey finds the bot with a key.
func byKey(servers []hostapi.Server, key string) (hostapi.Server, bool) {
	for _, s := range servers {
		if botKey(s.ID) == key {
			return s, true
		}
	}
	return hostapi.Server{}, false
}
