package commands

import (
	"crypto/sha256"
	"encoding/base64"
	"strings"
)

// maxBotKey keeps a key within what Discord allows for a custom ID and a value
// (100 characters), with room for a route before it.
const maxBotKey = 64

// botKey returns the text that stands for a bot in custom IDs and values. It is the
// ID itself, or a digest of an ID that is too long or might not come back as it was
// sent: one with characters beyond printable ASCII, or with space around it. A key is
// only ever compared with those of the caller's own bots.
func botKey(serverID string) string {
	mayChange := func(c rune) bool { return c < ' ' || c > '~' }
	if len(serverID) <= maxBotKey && !strings.HasPrefix(serverID, "~") &&
		strings.TrimSpace(serverID) == serverID && !strings.ContainsFunc(serverID, mayChange) {
		return serverID
	}
	sum := sha256.Sum256([]byte(serverID))
	return "~" + base64.RawURLEncoding.EncodeToString(sum[:16])
}
