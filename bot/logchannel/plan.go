package logchannel

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"time"

	"github.com/bwmarrin/discordgo"

	"hostbot/locale"
)

// Discord's limits of a message.
const (
	maxEmbeds     = 10
	maxCharacters = 6000 // over all embeds
	nonceBytes    = 12   // twice as many hexadecimal digits, of 25 characters
)

// plan is one request to Discord: a message to post, or one to edit. It is kept
// with what it is about before it is carried out, so that whoever finds it can
// carry it out again: what it says is absolute, and Discord posts no second
// message for its nonce.
type plan struct {
	Nonce string    `json:"nonce"`
	At    time.Time `json:"at"`
	Edits string    `json:"edits,omitempty"` // ID of the message to edit
	Slots []slot    `json:"slots"`
	// Covers are the positions of the records that are told with it.
	Covers []string `json:"covers"`
	// Summary says that what was shed is told with it.
	Summary bool `json:"summary,omitempty"`
	// Stub says that it stands in for a record that Discord refused.
	Stub bool `json:"stub,omitempty"`
}

// slot is an embed of a message. One that counts is shown with its count.
type slot struct {
	Embed *discordgo.MessageEmbed `json:"embed"`
	Fold  string                  `json:"fold,omitempty"`
	Tally tally                   `json:"tally"`
}

// state is what is known of a channel between two plans.
type state struct {
	Counters []counter `json:"counters,omitempty"` // oldest first
	Summary  *summary  `json:"summary,omitempty"`  // of what was shed and is not told yet
	Later    *summary  `json:"later,omitempty"`    // of what was shed while that is being told
	Trouble  *trouble  `json:"trouble,omitempty"`  // nil while the channel works
}

// trouble is why nothing can be written to a channel.
type trouble struct {
	Since  time.Time `json:"since"`
	Reason string    `json:"reason"`
	Code   int       `json:"code,omitempty"` // Discord's; 0 where it gave none
}

// planner decides what is to be said next in a channel.
type planner struct {
	channel string // ID
	texts   *locale.Texts
	timing  Timing
}

// circumstances are what a decision depends on besides what is waiting.
type circumstances struct {
	now    time.Time
	full   bool // more is waiting than was read
	hurry  bool // nothing is to be waited for
	single bool // Discord refused several embeds at once
}

// next returns what to send for the records that wait first, or nil for nothing
// yet. Messages come before edits, and an edit waits for a while after the one
// before, unless what waits for edits is all that can be seen.
func (p planner) next(s state, waiting []record, c circumstances) *plan {
	draft := &plan{At: c.now}
	room := maxCharacters
	limit := maxEmbeds
	if c.single {
		limit = 1
	}
	if s.Summary != nil {
		draft.Summary = true
		draft.Slots = append(draft.Slots, slot{Embed: s.Summary.embed(p.texts)})
		room -= draft.Slots[0].size()
	}
	counted := make(map[int][]record) // by the index of a counter's message
	full := false
	for _, r := range waiting {
		if i := indexOf(draft.Slots, r.Fold); i >= 0 {
			draft.Slots[i].Tally.add(r.Tally)
			draft.Covers = append(draft.Covers, r.position)
			continue
		}
		if i := s.counterOf(r.Fold, c.now, p.timing.CountFor); i >= 0 {
			counted[i] = append(counted[i], r)
			continue
		}
		next := slot{Embed: r.Embed, Fold: r.Fold, Tally: r.Tally}
		full = full || len(draft.Slots) >= limit || len(draft.Slots) > 0 && next.size() > room
		if full {
			continue // what comes later may still be counted
		}
		room -= next.size()
		draft.Slots = append(draft.Slots, next)
		draft.Covers = append(draft.Covers, r.position)
	}
	if len(draft.Slots) > 0 {
		return draft.namedFor(p.channel)
	}
	return p.edit(s, counted, c)
}

// edit returns the edit that is due, of the message that was edited longest ago.
func (p planner) edit(s state, counted map[int][]record, c circumstances) *plan {
	chosen := -1
	for i := range counted {
		due := c.hurry || c.full || c.now.Sub(s.Counters[i].Edited) >= p.timing.EditPause
		if due && (chosen < 0 || s.Counters[i].Edited.Before(s.Counters[chosen].Edited)) {
			chosen = i
		}
	}
	if chosen < 0 {
		return nil
	}
	message := s.Counters[chosen]
	draft := &plan{At: c.now, Edits: message.Message, Slots: slices.Clone(message.Slots)}
	for _, r := range counted[chosen] {
		draft.Slots[indexOf(draft.Slots, r.Fold)].Tally.add(r.Tally)
		draft.Covers = append(draft.Covers, r.position)
	}
	return draft.namedFor(p.channel)
}

// stub returns a plan that tells, in the place of one that Discord refused, that
// something could not be shown.
func (p planner) stub(refused *plan, now time.Time) *plan {
	stub := *refused
	stub.At, stub.Stub = now, true
	stub.Slots = []slot{{Embed: p.refused(refused.Slots)}}
	return stub.namedFor(p.channel)
}

// namedFor returns the plan with its nonce. Equal plans for a channel have equal
// ones, and Discord compares those of all channels.
func (p *plan) namedFor(channel string) *plan {
	content, _ := json.Marshal([]any{channel, p.Covers, p.Slots}) // they consist of what can be encoded
	sum := sha256.Sum256(content)
	p.Nonce = hex.EncodeToString(sum[:nonceBytes])
	return p
}

// carriedOut returns what is known of a channel after a plan, whose message
// has this ID. It is empty where the message was deleted.
func (s state) carriedOut(p *plan, message string, now time.Time) state {
	next := state{Counters: slices.Clone(s.Counters), Summary: s.Summary, Later: s.Later}
	if p.Summary {
		next.Summary, next.Later = s.Later, nil
	}
	if p.Edits != "" {
		for i := range next.Counters {
			if next.Counters[i].Message == p.Edits {
				next.Counters[i].Slots, next.Counters[i].Edited = p.Slots, now
			}
		}
		return next
	}
	counts := slices.ContainsFunc(p.Slots, func(s slot) bool { return s.Fold != "" })
	if counts && message != "" && !p.Stub {
		next.Counters = append(next.Counters, counter{Message: message, Created: p.At, Edited: now, Slots: p.Slots})
		next.Counters = next.Counters[max(0, len(next.Counters)-maxCounters):]
	}
	return next
}
