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
	// Once says which occurrence this tells of. Processes that share a Redis tell
	// of one once, however many of them post it within a day. Empty: each post is
	// an occurrence of its own.
	Once string
	// Fold says in which regard errors are equal, in words that staff read:
	// what has the same becomes one message that counts. Empty for an entry that
	// is shown by itself, as everything but errors is.
	Fold string
	// Reference leads to what is behind the entry. A message that counts shows
	// the latest. It may be empty.
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

// record is an entry as it is kept until Discord has it: one, or several equal
// ones that came in the same moment.
type record struct {
	// ID is the same wherever a record is kept, so that none is kept twice.
	ID       string                  `json:"id"`
	Category Category                `json:"category"`
	Embed    *discordgo.MessageEmbed `json:"embed"`
	Fold     string                  `json:"fold,omitempty"`
	Tally    tally                   `json:"tally"`

	position string // in its queue
}

func newRecord(e Entry, now time.Time) record {
	r := record{ID: rand.Text(), Category: e.Category, Embed: e.Embed, Fold: e.Fold, Tally: tally{Count: 1, Since: now, Last: now}}
	if e.Once != "" {
		sum := sha256.Sum256([]byte(e.Once))
		r.ID = base64.RawURLEncoding.EncodeToString(sum[:16])
	}
	if e.Reference != "" {
		r.Tally.References = []string{e.Reference}
	}
	return r
}
