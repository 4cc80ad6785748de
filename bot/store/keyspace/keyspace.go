// Package keyspace makes the Redis keys of one Discord application. Two bots on one Redis, such as one in
// development and one in production, then keep their shards, panels and log entries apart.
package keyspace

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"strconv"
	"strings"

	"hostbot/hostapi/secret"
)

// Space is the part of Redis that belongs to one application. The zero value is for tests.
type Space string

// Of returns the space of the application of a bot's token. The token's first part is the application's ID in base64
// (https://discord.com/developers/docs/reference#authentication). If it is anything else, a hash of the token
// takes its place: then nothing is found again under a new token.
func Of(token secret.Text) Space {
	first, _, _ := strings.Cut(token.Reveal(), ".")
	id, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(first, "="))
	if n, notID := strconv.ParseUint(string(id), 10, 64); err == nil && notID == nil && n > 0 {
		return Space(id)
	}
	sum := sha256.Sum256([]byte(token.Reveal()))
	return Space("token-" + hex.EncodeToString(sum[:8]))
}

// Key returns the key of a name in the space. The name includes the hash tag by which a Cluster chooses the slot.
func (s Space) Key(name string) string {
	if s == "" {
		return "hostbot:" + name
	}
	return "hostbot:" + string(s) + ":" + name
}

// Hash returns so many hexadecimal digits that stand for a text which may be long and contain anything.
func Hash(text string, digits int) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])[:digits]
}
