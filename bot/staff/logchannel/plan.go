package logchannel

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"time"
	"unicode/utf8"
)

// Discord's limits of a message.
// https://discord.com/developers/docs/resources/message#embed-object-embed-limits
const (
	maxEmbeds     = 10
	maxCharacters = 6000 // over all embeds
	maxContent    = 2000 // characters of all lines
	maxRows       = 5    // of buttons
	nonceBytes    = 12   // twice as many hexadecimal digits, of 25 characters
)

// maxCounters is how many messages are remembered that may go on counting.
const maxCounters = 10

// plan is one request to Discord: a message to post, or one to edit. It is kept
// with its content before it is sent. Any process that finds it can send it
// again: the content is absolute, and Discord posts no second message for its
// nonce.
type plan struct {
	Nonce  string    `json:"nonce"`
	At     time.Time `json:"at"`
	Edits  string    `json:"edits,omitempty"` // ID of the message to edit
	Slots  []slot    `json:"slots"`
	Covers []string  `json:"records"` // IDs of the records that it tells of
	// Stub says that it stands in for a record that Discord refused.
	Stub bool `json:"stub,omitempty"`
	// Posted is the ID of the message that Discord posted for it without its embeds, as the
	// bot may not embed links, or that of Edits if an edit has cleared its embeds. It is
	// edited until they are there, and nothing else is posted.
	Posted string `json:"posted,omitempty"`
	// Again is how often such a message was given up and another is to be posted.
	Again int `json:"again,omitempty"`
}

// state is how far the delivery to a channel is.
type state struct {
	Plan     *plan     `json:"plan,omitempty"`     // the request under way
	Counters []counter `json:"counters,omitempty"` // oldest first
	Trouble  *trouble  `json:"trouble,omitempty"`  // nil while the channel works
}

// counter is a message with errors that are counted by editing it.
type counter struct {
	Message string    `json:"message"` // ID
	Created time.Time `json:"created"` // or somewhat later
	Slots   []slot    `json:"slots"`
}

// trouble is why nothing can be written to a channel.
type trouble struct {
	Since  time.Time `json:"since"`
	Reason string    `json:"reason"`
	// Forbidden says that the bot lacks a permission.
	Forbidden bool `json:"forbidden,omitempty"`
	// Passing says that nobody has to mend anything. Other channels are not told.
	Passing bool `json:"passing,omitempty"`
}

// counterOf returns the index of the message that counts errors of a group, or
// -1. It is one that may be edited freely: Discord limits edits of a message
// that is more than an hour old (429 with code 30046).
// https://discord.com/developers/docs/topics/opcodes-and-status-codes#json
func (s state) counterOf(group string, now time.Time, lifetime time.Duration) int {
	for i, c := range slices.Backward(s.Counters) {
		if now.Sub(c.Created) < lifetime && indexOf(c.Slots, group) >= 0 {
			return i
		}
	}
	return -1
}

// indexOf returns the index of the slot that counts errors of a group, or -1.
func indexOf(slots []slot, group string) int {
	if group == "" {
		return -1
	}
	return slices.IndexFunc(slots, func(s slot) bool { return s.GroupKey == group })
}

// abandoned returns the state without its plan and without the message that this
// should have edited.
func (s state) abandoned() state {
	edits := s.Plan.Edits
	s.Plan = nil
	s.Counters = slices.DeleteFunc(slices.Clone(s.Counters), func(c counter) bool { return c.Message == edits })
	return s
}

// posted returns the state with a plan for which a message is there without its embeds.
func (s state) posted(message string) state {
	p := *s.Plan
	p.Posted = message
	s.Plan = &p
	return s
}

// anew returns the state with its plan to be posted once more, all of its slots in a message
// of their own: also those that the message showed which the plan should have edited. The
// nonce is another one: Discord would post nothing for that of a message that was deleted.
func (s state) anew(channel string) state {
	p := *s.Plan
	if p.Edits != "" {
		s = s.abandoned()
	}
	p.At, p.Edits, p.Posted, p.Again = time.Now(), "", "", p.Again+1
	s.Plan = p.namedFor(channel)
	return s
}

// carriedOut returns the state after its plan, whose message has this ID. It is
// empty where the message was deleted.
func (s state) carriedOut(message string) state {
	p := s.Plan
	next := state{Counters: slices.Clone(s.Counters)}
	if p.Edits != "" {
		for i := range next.Counters {
			if next.Counters[i].Message == p.Edits {
				next.Counters[i].Slots = p.Slots
			}
		}
		return next
	}
	counts := slices.ContainsFunc(p.Slots, func(s slot) bool { return s.GroupKey != "" })
	if counts && message != "" && !p.Stub {
		next.Counters = append(next.Counters, counter{Message: message, Created: p.At, Slots: p.Slots})
		next.Counters = next.Counters[max(0, len(next.Counters)-maxCounters):]
	}
	return next
}

// plan returns what to send for the records that wait first, or nil where there
// is nothing: an edit of the message that counts the first of them, or a message
// with those that none counts.
func (ch *channel) plan(s state, waiting []record) *plan {
	if len(waiting) == 0 {
		return nil
	}
	p := &plan{At: time.Now()}
	limit := maxEmbeds
	if ch.single {
		limit = 1
	}
	if i := s.counterOf(waiting[0].GroupKey, p.At, ch.Timing.CountFor); i >= 0 {
		p.Edits, p.Slots, limit = s.Counters[i].Message, slices.Clone(s.Counters[i].Slots), 0
	}
	for _, r := range waiting {
		i := indexOf(p.Slots, r.GroupKey)
		if i < 0 {
			if s.counterOf(r.GroupKey, p.At, ch.Timing.CountFor) >= 0 {
				continue
			}
			if len(p.Slots) >= limit || len(p.Slots) > 0 && !fits(p.Slots, r.slot) {
				limit = 0 // a later record may still be counted
				continue
			}
			i = len(p.Slots)
			p.Slots = append(p.Slots, slot{Entry: r.Entry})
		}
		p.Slots[i].add(r.slot)
		p.Covers = append(p.Covers, r.ID)
	}
	return p.namedFor(ch.id)
}

// fits tells whether a message has room for one more slot. The lines of a message
// stand above its embeds, so that none can follow one in the order of the posts.
func fits(slots []slot, another slot) bool {
	var characters, content, rows int
	for _, s := range append(slices.Clip(slots), another) {
		characters += s.size()
		content += utf8.RuneCountInString(s.Line) + len("\n")
		rows += min(1, len(s.Tally.References))
	}
	follows := another.Line == "" || slots[len(slots)-1].Line != ""
	return follows && characters <= maxCharacters && content <= maxContent && rows <= maxRows
}

// namedFor returns the plan with its nonce. Equal plans for a channel have equal
// nonces, those for two channels have not: Discord compares nonces "by the same author"
// (https://discord.com/developers/docs/resources/message#create-message), and whether it
// does so across channels is not documented. Here nothing depends on that.
func (p *plan) namedFor(channel string) *plan {
	content, _ := json.Marshal([]any{channel, p.Covers, p.Slots, p.Again}) // they consist of what can be encoded
	sum := sha256.Sum256(content)
	p.Nonce = hex.EncodeToString(sum[:nonceBytes])
	return p
}
