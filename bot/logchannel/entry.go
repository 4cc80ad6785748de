package logchannel

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"time"

	"github.com/bwmarrin/discordgo"
)

// Category is a kind of entry, which may have a channel of its own.
type Category string

// The categories.
const (
	Actions   Category = "actions"
	Errors    Category = "errors"
	Lifecycle Category = "lifecycle"
)

// Entry is something that staff should know.
type Entry struct {
	Category Category
	Embed    *discordgo.MessageEmbed
	// DedupKey names the occurrence that the entry tells of. Processes that share
	// a Redis tell of an occurrence once, however many of them post it within a
	// day. Empty: each post is an occurrence of its own.
	DedupKey string
	// GroupKey is equal for errors that become one message that counts. Empty for an
	// entry that is shown by itself, as everything but errors is.
	GroupKey string
	// Reference leads to the details behind the entry. A message that counts
	// shows the latest ones. It may be empty.
	Reference string
}

// maxReferences is how many references a message that counts shows.
const maxReferences = 5

// tally is how often something happened.
type tally struct {
	Count      int       `json:"count"`
	Since      time.Time `json:"since"`
	Last       time.Time `json:"last"`
	References []string  `json:"references,omitempty"` // the latest ones
}

func (t *tally) add(later tally) {
	if t.Count == 0 {
		t.Since = later.Since
	}
	t.Count += later.Count
	t.Last = later.Last
	t.References = append(t.References[:len(t.References):len(t.References)], later.References...)
	t.References = t.References[max(0, len(t.References)-maxReferences):]
}

// slot is an embed of a message, shown with its count where that is above one.
type slot struct {
	Embed *discordgo.MessageEmbed `json:"embed"`
	Group string                  `json:"group,omitempty"`
	Tally tally                   `json:"tally"`
}

// record is an entry as it is kept until Discord has it: one, or several equal
// errors that came within a moment.
type record struct {
	// ID is the same wherever a record is kept, so that none is kept twice.
	ID       string   `json:"id"`
	Category Category `json:"category"`
	slot
}

func newRecord(e Entry, now time.Time) record {
	r := record{
		ID: rand.Text(), Category: e.Category,
		slot: slot{Embed: e.Embed, Group: e.GroupKey, Tally: tally{Count: 1, Since: now, Last: now}},
	}
	if e.DedupKey != "" {
		r.ID = idOf(e.DedupKey)
	}
	if e.Reference != "" {
		r.Tally.References = []string{e.Reference}
	}
	return r
}

// idOf returns the ID of the record that has a key.
func idOf(key string) string {
	sum := sha256.Sum256([]byte(key))
	return base64.RawURLEncoding.EncodeToString(sum[:16])
}
