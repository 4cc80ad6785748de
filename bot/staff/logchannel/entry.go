package logchannel

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"slices"
	"time"

	"github.com/bwmarrin/discordgo"
)

// Category is a kind of entry. Each may have its own channel.
type Category string

// The categories.
const (
	Actions   Category = "actions"
	Errors    Category = "errors"
	Lifecycle Category = "lifecycle"
	Staff     Category = "staff"
)

// Entry is something that staff should know: a line, or else a card.
type Entry struct {
	Category Category                `json:"-"`
	Line     string                  `json:"line,omitempty"` // of markdown, 500 characters at most
	Embed    *discordgo.MessageEmbed `json:"embed"`          // its title says what happened
	// Own are the first fields of the embed. They are about this occurrence alone, so they are not shown in a message that
	// counts several.
	Own []*discordgo.MessageEmbedField `json:"own,omitempty"`
	// Customer is the customer concerned. A message that counts says how many there are. The ID may be empty.
	Customer Customer `json:"-"`
	// DedupKey names the occurrence. However many processes that share a Redis post it within a day, it is shown
	// once. If it is empty, each post is an occurrence of its own.
	DedupKey string `json:"-"`
	// GroupKey is equal for errors that are counted in one message. It is empty for an entry that is shown by itself,
	// as all but errors are.
	GroupKey string `json:"group,omitempty"`
	// Latest has the group's message show the latest entry in place of a count.
	Latest bool `json:"latest,omitempty"`
	// Reference leads to the incident. A message that counts shows the latest ones. It may be empty.
	Reference string `json:"-"`
}

// Customer is a user with a name. The name may be empty.
type Customer struct {
	ID   string `json:"id"`
	Name string `json:"name,omitempty"`
}

const (
	// maxReferences is how many references a card that counts shows: as many as a menu takes.
	maxReferences = maxChoices
	// maxCustomers is how many customers are counted at most. The text log.group.many names this number.
	maxCustomers = 50
)

// tally is how often something happened.
type tally struct {
	Count      int       `json:"count"`
	Since      time.Time `json:"since"`
	Last       time.Time `json:"last"`
	References []string  `json:"references,omitempty"` // the latest ones
	// Customers are those whom it happened to, each once.
	Customers []Customer `json:"customers,omitempty"`
}

func (t *tally) add(later tally) {
	if t.Count == 0 {
		t.Since = later.Since
	}
	t.Count += later.Count
	t.Last = later.Last
	for _, code := range later.References { // equal failures of one user share theirs
		if !slices.Contains(t.References, code) {
			t.References = append(slices.Clip(t.References), code)
		}
	}
	t.References = t.References[max(0, len(t.References)-maxReferences):]
	for _, c := range later.Customers {
		known := slices.ContainsFunc(t.Customers, func(other Customer) bool { return other.ID == c.ID })
		if len(t.Customers) < maxCustomers && !known {
			t.Customers = append(slices.Clip(t.Customers), c)
		}
	}
}

// slot is a line or an embed of a message. It is shown with its count if that is above one.
type slot struct {
	Entry
	Tally tally `json:"tally"`
}

// add adds a later slot of the same group.
func (s *slot) add(later slot) {
	s.Tally.add(later.Tally)
	if later.Latest {
		s.Embed = later.Embed
	}
}

// kept is what is kept until Discord has it: one Entry, or several equal errors that came within a second.
type kept struct {
	// ID is that of the occurrence, so that no entry is added twice.
	ID string `json:"id"`
	slot
	at string // its ID in the stream; "" if it is in the memory of this process
}

func newKept(e Entry, now time.Time) kept {
	r := kept{ID: rand.Text(), slot: slot{Entry: e, Tally: tally{Count: 1, Since: now, Last: now}}}
	if e.DedupKey != "" {
		sum := sha256.Sum256([]byte(e.DedupKey))
		r.ID = base64.RawURLEncoding.EncodeToString(sum[:16])
	}
	if e.Reference != "" {
		r.Tally.References = []string{e.Reference}
	}
	if e.Customer.ID != "" {
		r.Tally.Customers = []Customer{e.Customer}
	}
	return r
}
