package logchannel

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/discord/message"
)

// Discord's limits of a message.
// https://discord.com/developers/docs/resources/message#embed-object-embed-limits
const (
	maxEmbeds     = 10
	maxCharacters = 6000 // over all embeds
	maxContent    = 2000 // characters of all lines
	nameBytes     = 10   // twice as many hexadecimal digits: see message.Wanted
)

// maxCounters is how many messages are remembered that may go on counting.
const maxCounters = 10

// plan is a message to post, or one to edit. It is kept with its content before it is sent. Any
// process that finds it can send it again: the content is absolute, and package message posts no
// second message for it.
type plan struct {
	Name   string   `json:"name"`
	Edits  string   `json:"edits,omitempty"` // ID of the message that it counts in
	Slots  []slot   `json:"slots"`
	Covers []string `json:"records"` // IDs of the entries that it tells of
	// Stub says that it stands in for an entry that Discord refused.
	Stub bool `json:"stub,omitempty"`
	// Message is the message, also one that is there without its embeds, as the bot may not embed
	// links. That is edited until they are there, and nothing else is posted.
	Message message.State `json:"message"`
	Bare    bool          `json:"bare,omitempty"` // it is there without its embeds
}

// state is how far the delivery to a channel is.
type state struct {
	Plan     *plan     `json:"plan,omitempty"`     // the request under way
	Counters []counter `json:"counters,omitempty"` // oldest first
	Trouble  *trouble  `json:"trouble,omitempty"`  // nil while the channel works
	Failures int       `json:"failures,omitempty"` // requests in a row that failed
	Single   bool      `json:"single,omitempty"`   // Discord refused several embeds at once
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

// lasts reports whether there is trouble until somebody mends something.
func (t *trouble) lasts() bool { return t != nil && !t.Passing }

// tidy drops a plan that says nothing, which another version of the program may have written, and
// the messages that count no more: they name customers.
func (s *state) tidy(now time.Time, lifetime time.Duration) {
	s.Counters = slices.DeleteFunc(s.Counters, func(c counter) bool {
		return now.Sub(c.Created) >= lifetime && (s.Plan == nil || s.Plan.Edits != c.Message)
	})
	for i := range s.Counters {
		tidy(s.Counters[i].Slots)
	}
	if s.Plan != nil {
		tidy(s.Plan.Slots)
	}
	if s.Plan != nil && (len(s.Plan.Slots) == 0 || len(s.Plan.Covers) == 0) {
		s.Plan = nil
	}
}

// tidy drops the fields of embeds that are none.
func tidy(slots []slot) {
	none := func(f *discordgo.MessageEmbedField) bool { return f == nil }
	for i := range slots {
		s := &slots[i]
		s.Own = slices.DeleteFunc(s.Own, none)
		if s.Embed != nil {
			s.Embed.Fields = slices.DeleteFunc(s.Embed.Fields, none)
		}
	}
}

// counterOf returns the index of the message that counts errors of a group, or
// -1. It is one that may be edited freely: Discord limits edits of a message
// that is more than an hour old (429 with code 30046).
// https://discord.com/developers/docs/topics/opcodes-and-status-codes#json
func (s *state) counterOf(group string, now time.Time, lifetime time.Duration) int {
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

// abandon drops the plan, and the message that this should have edited.
func (s *state) abandon() {
	edits := s.Plan.Edits
	s.Plan = nil
	s.Counters = slices.DeleteFunc(s.Counters, func(c counter) bool { return c.Message == edits })
}

// anew has the plan posted once more, all of its slots in a message of their own: also those that
// the message showed which the plan should have edited. message.State.Posts goes on, so that the
// nonce is another one: Discord would post nothing for that of a message that was deleted.
func (s *state) anew() {
	p := s.Plan
	if p.Edits != "" {
		s.abandon()
		s.Plan = p
	}
	p.Edits, p.Bare, p.Message = "", false, message.State{Posts: p.Message.Posts + 1}
}

// carriedOut drops the plan, which Discord has carried out, and remembers its message if that may
// count further errors.
func (s *state) carriedOut(now time.Time) {
	p := s.Plan
	s.Plan, s.Trouble, s.Failures, s.Single = nil, nil, 0, false
	id := p.Message.ID
	if p.Edits != "" && id != "" {
		for i := range s.Counters {
			if c := &s.Counters[i]; c.Message == p.Edits {
				c.Slots = p.Slots
				if id != p.Edits { // it has taken the other one's place
					c.Message, c.Created = id, now
				}
			}
		}
		return
	}
	counts := slices.ContainsFunc(p.Slots, func(s slot) bool { return s.GroupKey != "" })
	if counts && id != "" && !p.Stub {
		s.Counters = append(s.Counters, counter{Message: id, Created: now, Slots: p.Slots})
		s.Counters = s.Counters[max(0, len(s.Counters)-maxCounters):]
	}
}

// plan plans what to send for the entries that wait first, of which there is one at least: an edit
// of the message that counts the first of them, or a message with those that none counts.
func (ch *channel) plan(s *state, waiting []kept, now time.Time) *plan {
	p := &plan{}
	limit := maxEmbeds
	if s.Single {
		limit = 1
	}
	if i := s.counterOf(waiting[0].GroupKey, now, ch.Timing.CountFor); i >= 0 {
		c := s.Counters[i]
		p.Edits, p.Message.ID, p.Slots, limit = c.Message, c.Message, slices.Clone(c.Slots), 0
	}
	for _, e := range waiting {
		i := indexOf(p.Slots, e.GroupKey)
		if i < 0 {
			if s.counterOf(e.GroupKey, now, ch.Timing.CountFor) >= 0 {
				continue
			}
			if len(p.Slots) >= limit || len(p.Slots) > 0 && !fits(p.Slots, e.slot) {
				limit = 0 // a later entry may still be counted
				continue
			}
			i = len(p.Slots)
			p.Slots = append(p.Slots, slot{Entry: e.Entry})
		}
		p.Slots[i].add(e.slot)
		p.Covers = append(p.Covers, e.ID)
	}
	return p.namedFor(ch.id)
}

// fits reports whether a message has room for one more slot. The lines of a message
// stand above its embeds, so that none can follow one in the order of the posts.
func fits(slots []slot, another slot) bool {
	var characters, content, title int
	for _, s := range append(slices.Clip(slots), another) {
		characters += s.size()
		content += utf8.RuneCountInString(s.Line) + len("\n")
		if s.Embed != nil {
			title = max(title, utf8.RuneCountInString(s.Embed.Title))
		}
	}
	follows := another.Line == "" || slots[len(slots)-1].Line != ""
	return follows && characters <= maxCharacters && content+title <= maxContent
}

// namedFor returns the plan with a name, of which its nonce is made. Equal plans for a channel have
// equal names, those for two channels have not: Discord compares nonces "by the same author"
// (https://discord.com/developers/docs/resources/message#create-message), and whether it
// does so across channels is not documented. Here nothing depends on that.
func (p *plan) namedFor(channel string) *plan {
	content, _ := json.Marshal([]any{channel, p.Covers, p.Slots}) // they consist of what can be encoded
	sum := sha256.Sum256(content)
	p.Name = hex.EncodeToString(sum[:nameBytes])
	return p
}
