// Package keyspace names what the program keeps in Redis for one Discord application, so
// that two bots on one Redis, such as one that is developed and one that customers use,
// do not take each other's shards, panels or log entries for their own.
package keyspace

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"strconv"
	"strings"

	"hostbot/hostapi/secret"
)

// unnamed begins the space of an application whose token does not say its ID.
const unnamed = "token-"

// Space is the part of Redis that belongs to one application. The zero value is for tests
// that have one alone.
type Space string

// Of returns the space of the application whose bot has a token. The token's first part is
// the application's ID in base64
// (https://discord.com/developers/docs/reference#authentication). Where it is anything
// else, a hash of the token takes the ID's place: what is kept is then not found under
// another token.
func Of(token secret.Text) Space {
	first, _, _ := strings.Cut(token.Reveal(), ".")
	id, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(first, "="))
	if n, notID := strconv.ParseUint(string(id), 10, 64); err == nil && notID == nil && n > 0 {
		return Space(id)
	}
	sum := sha256.Sum256([]byte(token.Reveal()))
	return Space(unnamed + hex.EncodeToString(sum[:8]))
}

// MayBeOf reports whether the space may be that of the application with an ID: a space that names none
// may be anybody's.
func (s Space) MayBeOf(applicationID string) bool {
	return s == "" || string(s) == applicationID || strings.HasPrefix(string(s), unnamed)
}

// Key returns the key in Redis of what has a name in the space. A hash tag, by which a
// Cluster keeps keys in one slot, is a part of the name.
func (s Space) Key(name string) string {
	if s == "" {
		return "hostbot:" + name
	}
	return "hostbot:" + string(s) + ":" + name
}
