package logchannel

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/bwmarrin/discordgo"
	"github.com/rs/zerolog"

	"hostbot/bot/discord/message"
	"hostbot/bot/discord/rest"
	"hostbot/bot/store/lease"
)

// Discord's limits of a message.
// https://discord.com/developers/docs/resources/message#embed-object-embed-limits
const (
	maxEmbeds     = 10
	maxCharacters = 6000 // over all embeds
	maxContent    = 2000 // characters of all lines
	nameBytes     = 10   // twice as many hexadecimal digits: see message.Wanted
)

// maxCounters is how many messages may go on counting.
const maxCounters = 10

// channel records the entries for a channel, and delivers them if this process leads.
type channel struct {
	*Delivery
	id     string
	log    zerolog.Logger
	stream *stream
	buffer buffer

	// Only turn uses these, one turn at a time. paced is when the next request may be sent. sure is a term of the leader:
	// in that term, Discord certainly has none of the pending entries, so they can be posted without looking for them.
	paced time.Time
	sure  uint64
	busy  atomic.Bool // a turn is under way

	// alone is the state of delivery from memory. Only run and drain use it, one after the other.
	alone state

	mu     sync.Mutex
	status Status
	asked  time.Time // when Redis was asked for the status
}

// state is the state of delivery to a channel. It is saved together with each acknowledgement, and its counts are totals.
// So an entry that is delivered twice is counted once.
type state struct {
	Counters []counter `json:"counters,omitempty"` // oldest first
	Trouble  *trouble  `json:"trouble,omitempty"`  // nil while the channel works
	Failures int       `json:"failures,omitempty"` // requests in a row that failed

	// These are about the entry that waits first, until it is delivered.
	Single  bool   `json:"single,omitempty"`  // Discord refused several embeds at once
	Refused bool   `json:"refused,omitempty"` // Discord refused what it says
	Bare    string `json:"bare,omitempty"`    // ID of a message that is there without its embeds, as the bot may not embed links; "" for none
	Posts   int    `json:"posts,omitempty"`   // messages that were there and are not any more
}

// counter is a message with errors that are counted by editing it.
type counter struct {
	Message string    `json:"message"` // ID; "" if another is to take its place
	Created time.Time `json:"created"` // or somewhat later
	Slots   []slot    `json:"slots"`
}

// trouble is why nothing can be written to a channel.
type trouble struct {
	Since  time.Time `json:"since"`
	Reason string    `json:"reason"`
	// Forbidden says that the bot lacks a permission.
	Forbidden bool `json:"forbidden,omitempty"`
	// Passing says that the trouble ends by itself, as Discord fails. It is not posted to other channels.
	Passing bool `json:"passing,omitempty"`
}

// lasts reports whether there is trouble until somebody mends something.
func (t *trouble) lasts() bool { return t != nil && !t.Passing }

// tidy forgets the messages that do not count any more, since their slots name customers.
func (s *state) tidy(now time.Time, lifetime time.Duration) {
	s.Counters = slices.DeleteFunc(s.Counters, func(c counter) bool { return now.Sub(c.Created) >= lifetime })
	for i := range s.Counters {
		tidy(s.Counters[i].Slots)
	}
}

// tidy drops nil fields of embeds. Another version of the program may have written them.
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

// counterOf returns the index of the message that counts errors of a group, or -1. Call tidy first: Discord limits edits
// of a message that is more than an hour old (429 with code 30046).
// https://discord.com/developers/docs/topics/opcodes-and-status-codes#json
func (s *state) counterOf(group string) int {
	for i, c := range slices.Backward(s.Counters) {
		if indexOf(c.Slots, group) >= 0 {
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

// plan is one request: a message to post, or one to edit.
type plan struct {
	counter int    // index of the counter whose message is edited, or posted anew; -1 for none
	slots   []slot // what the message is to show, with totals
	covers  []kept // the entries that the message shows
}

// plan returns the request for the entries that wait first. If a message counts the first of them, the request is an edit
// of it. Otherwise it is a new message with the entries that no message counts. waiting must not be empty.
func (s *state) plan(waiting []kept) (p plan) {
	limit := maxEmbeds
	if s.Single || s.Refused {
		limit = 1
	}
	if p.counter = s.counterOf(waiting[0].GroupKey); p.counter >= 0 {
		p.slots, limit = slices.Clone(s.Counters[p.counter].Slots), 0
	}
	for _, e := range waiting {
		i := indexOf(p.slots, e.GroupKey)
		if i < 0 {
			if s.counterOf(e.GroupKey) >= 0 {
				continue
			}
			if len(p.slots) >= limit || len(p.slots) > 0 && !fits(p.slots, e.slot) {
				limit = 0 // a later entry may still be counted
				continue
			}
			i = len(p.slots)
			p.slots = append(p.slots, slot{Entry: e.Entry})
		}
		p.slots[i].add(e.slot)
		p.covers = append(p.covers, e)
	}
	return p
}

// fits reports whether a message has room for one more slot. Discord shows a message's lines above its embeds, so a line
// that was posted after an embed must be in another message.
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

// delivered notes that Discord has taken the planned message, and its ID; "" if the message is gone again. If the message
// has errors that are counted, it goes on counting.
func (s *state) delivered(p plan, id string, now time.Time) {
	counts := slices.ContainsFunc(p.slots, func(s slot) bool { return s.GroupKey != "" }) && !s.Refused
	s.Trouble, s.Failures, s.Single, s.Refused, s.Bare, s.Posts = nil, 0, false, false, "", 0
	switch {
	case p.counter >= 0:
		c := &s.Counters[p.counter]
		if c.Slots = p.slots; id != c.Message { // it has taken the other one's place
			c.Message, c.Created = id, now
		}
	case counts && id != "":
		s.Counters = append(s.Counters, counter{Message: id, Created: now, Slots: p.slots})
		s.Counters = s.Counters[max(0, len(s.Counters)-maxCounters):]
	}
}

// forbids reports whether an error says that the bot lacks a permission.
func forbids(err error) bool {
	code := rest.CodeOf(err)
	return code == rest.CodeMissingAccess || code == rest.CodeMissingPermissions
}

// turn sends one request to a channel for the entries that wait first. former says that the channel is not in this
// process's settings.
func (ch *channel) turn(ctx context.Context, former bool) (again time.Duration, err error) {
	if wait := time.Until(ch.paced); wait > 0 && !ch.closing.Load() { // Redis has it due
		return wait, nil
	}
	ch.busy.Store(true)
	defer ch.busy.Store(false)
	term := ch.config.Term()
	r, tried, err := ch.read(ctx, former, ch.sure == term)
	if err != nil {
		return 0, err
	}
	ch.sure = 0
	var o outcome
	var done []string
	if len(r.entries) > 0 {
		if o = ch.deliver(ctx, &r.state, r.entries, tried); o.ended {
			return 0, nil
		}
		for _, e := range o.done {
			done = append(done, e.at)
		}
	}
	saving, cancel := context.WithTimeout(context.WithoutCancel(ctx), callLimit)
	defer cancel()
	waiting, err := ch.stream.settle(saving, r, done, o.after)
	if err != nil || waiting < 0 {
		return 0, err
	}
	if !o.unsure {
		ch.sure = term
	}
	ch.paced = time.Now().Add(min(o.after, ch.config.Timing.Turn))
	if waiting == 0 {
		return 0, nil
	}
	return max(o.after, time.Millisecond), nil
}

// read reads the entries that wait first. Before that it drops entries if too many wait, or if they have waited too long
// for a former channel.
func (ch *channel) read(ctx context.Context, former, sure bool) (r reading, tried bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	if r, err = ch.stream.look(ctx); err != nil {
		return r, false, err
	}
	r.state.tidy(time.Now(), ch.config.Timing.CountFor)
	var dropped int64
	why, surplus := "log.channel.dropped.many", r.waiting-ch.config.MaxWaiting
	if former {
		why = "log.channel.dropped.former"
		dropped, err = ch.stream.dropOutdated(ctx)
	} else if surplus > 0 {
		dropped, err = ch.stream.dropSurplus(ctx, surplus, ch.config.MaxWaiting)
	}
	if dropped > 0 {
		ch.noteDropped(int(dropped), why)
	}
	if err != nil {
		return r, false, err
	}
	tried, err = ch.stream.read(ctx, &r, sure)
	return r, tried, err
}

// outcome is that of a request.
type outcome struct {
	done   []kept        // Discord has them
	after  time.Duration // pause before the next request
	unsure bool          // Discord may have taken the message, but has not said so
	ended  bool          // another process leads, or will: this one must not save anything
}

// deliver sends one request for the entries that wait first. tried says that Discord may already have a message with the
// first ones.
func (ch *channel) deliver(ctx context.Context, s *state, waiting []kept, tried bool) outcome {
	p := s.plan(waiting)
	shown, failure := ch.send(ctx, s, p, tried)
	if failure != nil && (lease.Check(ctx) != nil || errors.Is(ctx.Err(), context.Canceled)) { // another leads, or will
		return outcome{ended: true}
	}
	if rest.LacksEmbeds(failure) && shown.ID != "" {
		s.Bare = shown.ID
	}
	edits := p.counter >= 0 && s.Counters[p.counter].Message != ""
	v := rest.VerdictOf(failure)
	deleted, malformed := rest.IsUnknownMessage(failure), v == rest.Never
	switch {
	case v == rest.Taken:
		return ch.taken(s, p, shown.ID)
	case deleted && !edits && s.Bare == "": // by staff, after it was posted
		return ch.taken(s, p, "")
	case s.Bare != "" && (deleted || edits && malformed):
		// The message has no embeds, perhaps since an edit has cleared them: another message takes its place.
		ch.deleteBare(ctx, s)
		if edits {
			s.Counters[p.counter].Message = ""
		}
		return outcome{after: s.pause(ch.config.Timing, ch.config.Timing.RetryMost)}
	case edits && deleted, p.counter >= 0 && malformed: // the errors go into a new message
		s.Counters = slices.Delete(s.Counters, p.counter, p.counter+1)
	case malformed && len(p.slots) > 1: // the one that is at fault is found by itself
		ch.deleteBare(ctx, s)
		s.Single = true
	case malformed && !s.Refused:
		ch.log.Error().Err(failure).Interface("entry", p.slots[0]).Msg("discord refuses a log channel entry")
		s.Refused = true
	default:
		o := ch.postpone(s, v, failure)
		o.unsure = shown.Tried != 0
		return o
	}
	return outcome{after: ch.next()}
}

// send sends a planned request. It returns the message's state after that, and Discord's error.
func (ch *channel) send(ctx context.Context, s *state, p plan, tried bool) (message.State, error) {
	ctx, cancel := context.WithTimeout(ctx, ch.config.Timing.Send)
	defer cancel()
	slots := p.slots
	if s.Refused && p.counter < 0 {
		slots = []slot{{Entry: Entry{Embed: refused(slots[0], ch.config.Texts)}}}
	}
	is := message.State{ID: s.Bare, Posts: s.Posts}
	if p.counter >= 0 { // if another is to take that message's place, that may be there without its embeds
		is.ID = cmp.Or(s.Counters[p.counter].Message, s.Bare)
	}
	if tried && is.ID == "" {
		is.Tried = max(1, p.covers[0].Tally.Since.UnixMilli()) // not before that
	}
	// Discord compares the nonces of one author (https://discord.com/developers/docs/resources/message#create-message,
	// discord-api-docs#6647, staff). Nobody says that it does so for each channel, so each has its own.
	sum := sha256.Sum256([]byte(ch.id + " " + p.covers[0].ID))
	content := ch.message(slots)
	return message.Show(ctx, ch.config.Discord, is, message.Wanted{
		ChannelID: ch.id, Name: hex.EncodeToString(sum[:nameBytes]), Message: content,
		Is:   func(m rest.Posted) bool { return equal(m, content) || bare(m, content) },
		Save: func(context.Context, message.State) error { return nil }, // what is pending may have been sent
	})
}

// taken notes that Discord has taken the planned message, and its ID; "" if the message is gone again. If the channel had
// trouble, it logs and posts that this is over.
func (ch *channel) taken(s *state, p plan, id string) outcome {
	before := s.Trouble
	s.delivered(p, id, time.Now())
	ch.noteSent(true)
	ch.noteTrouble(nil)
	if before != nil {
		ch.log.Info().Msg("discord takes log channel entries again")
	}
	if before.lasts() {
		ch.announce(ch.id, "healed", before, before.healed(ch.id, ch.config.Texts, time.Now()))
	}
	return outcome{done: p.covers, after: ch.next()}
}

// next returns the pause before the next request to the channel.
func (ch *channel) next() time.Duration {
	if ch.closing.Load() {
		return 0
	}
	return ch.config.Timing.Turn
}

// pause counts a failure, and returns the pause before the request is repeated.
func (s *state) pause(t Timing, longest time.Duration) time.Duration {
	s.Failures++
	wait := t.RetryFirst
	for i := 1; i < s.Failures && wait < longest; i++ {
		wait *= 2
	}
	return min(wait, longest)
}

// deleteBare deletes the message that is there without its embeds, since it says nothing. If Discord does not delete it,
// it stays. The next message gets another nonce: for the nonce of a deleted message Discord would post nothing.
func (ch *channel) deleteBare(ctx context.Context, s *state) {
	_, _ = message.Delete(ctx, ch.config.Discord, ch.id, s.Bare)
	s.Bare = ""
	s.Posts++
}

// postpone makes the request be repeated later, and logs why, once. If somebody has to mend something, it also posts that
// to the other channels.
func (ch *channel) postpone(s *state, v rest.Verdict, failure error) outcome {
	ch.noteSent(false)
	t := ch.config.Timing
	if v == rest.Limited {
		return outcome{after: min(cmp.Or(rest.RetryAfter(failure), t.RetryFirst), t.RetryBusy)}
	}
	passing := v == rest.Later
	o, before := outcome{after: s.pause(t, t.RetryMost)}, s.Trouble
	if before != nil && (passing || before.lasts()) { // it is logged already
		return o
	}
	s.Trouble = &trouble{Since: time.Now(), Reason: failure.Error(), Forbidden: forbids(failure), Passing: passing}
	ch.noteTrouble(s.Trouble)
	level := zerolog.WarnLevel
	if !passing {
		level = zerolog.ErrorLevel
		ch.announce(ch.id, "failing", s.Trouble, s.Trouble.failing(ch.id, ch.config.Texts))
	}
	event := ch.log.WithLevel(level)
	if forbids(failure) { // the other channels may not be there to be told
		event = event.Str("cure", ch.config.Texts.Text("log.channel.permissions"))
	}
	event.Err(failure).Msg("discord does not take log channel entries; they wait and are tried again")
	return o
}

// noteDropped counts entries that were dropped, and posts why to all channels, once a day. The channel itself shows it
// once it works again.
func (ch *channel) noteDropped(n int, why string) {
	texts := ch.config.Texts
	ch.dropped.Add(uint64(n))
	ch.log.Error().Int("entries", n).Str("why", texts.Text(why)).Msg("log channel entries are dropped")
	text := mention(ch.id) + "\n" + texts.Text(why)
	e := Entry{Category: Lifecycle, Embed: notice("⚠️ "+texts.Text("log.channel.dropped"), text, orange, time.Now()), DedupKey: why + " " + ch.id}
	for _, other := range ch.all {
		other.post(e)
	}
}
