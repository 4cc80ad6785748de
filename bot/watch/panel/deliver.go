package panel

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/discord/rest"
	"hostbot/bot/interaction"
	"hostbot/bot/watch/watcher"
)

// mostAtOnce is how many panels are delivered at once: customers come first, and
// Discord takes 50 requests a second of everybody together.
const mostAtOnce = 8

// afterTrouble is when a panel is tried again that Discord does not let be changed.
// Its owner reads of it with the next /panel, which tries it at once.
const afterTrouble = 24 * time.Hour

// Run keeps panels true, while no other process does, until ctx is done.
func (p *Panels) Run(ctx context.Context) { p.lease.Run(ctx, p.Timing.Turn, p.Timing.Lease, p.turn) }

// turn delivers the panels that are due.
func (p *Panels) turn(ctx context.Context, held bool) {
	ctx, cancel := context.WithTimeout(ctx, p.Timing.Lease/2) // and nothing is sent once another process may
	defer cancel()
	for more := held; more && ctx.Err() == nil; {
		due, err := p.store.take(ctx, mostAtOnce)
		if err != nil && ctx.Err() == nil {
			p.Log.Debug().Err(err).Msg("redis does not tell which panels are due")
		}
		var working sync.WaitGroup
		for _, t := range due {
			working.Go(func() { _ = p.deliver(ctx, t) })
		}
		working.Wait()
		more = len(due) == mostAtOnce
	}
}

// errUndrawn says that it is not known what a panel is to show. Nothing was sent then.
var errUndrawn = errors.New("panel: it cannot be drawn")

// deliver makes the message of a panel show what is true. Its error is errUndrawn, or
// Discord's, where that did not take the message.
func (p *Panels) deliver(ctx context.Context, t *taken) error {
	next, err := p.update(ctx, t)
	after := context.WithoutCancel(ctx)
	switch e := p.store.keep(after, t, next.Milliseconds()); {
	case errors.Is(e, errRemoved): // meanwhile: no message of it stays
		_, _ = p.deleteMessages(after, t.ChannelID, t.MessageID, t.Outdated) // it is logged, and nobody waits for it
	case e != nil:
		p.Log.Debug().Err(e).Msg("redis does not take what became of a panel")
	}
	return err
}

// update draws a panel and sends it, unless that need not be, or not yet. It returns when
// the panel is due again.
func (p *Panels) update(ctx context.Context, t *taken) (next time.Duration, err error) {
	timing, age := p.Timing, time.Duration(t.now-t.Edited)*time.Millisecond
	if age < timing.Between {
		return timing.Between - age, nil
	}
	m, err := p.Draw(ctx, t.Panel)
	if err != nil {
		p.Log.Debug().Err(err).Str("panel", t.ID).Msg("a panel cannot be drawn")
		return timing.Retry, fmt.Errorf("%w: %w", errUndrawn, err)
	}
	shown := digest(m)
	if t.MessageID != "" && !t.Posting && t.Outdated == "" && shown == t.Shown && age < timing.Beat {
		return min(timing.Check, timing.Beat-age), nil
	}
	if age >= timing.Beat { // Redis may have lost it
		if err := p.Watching.Watch(ctx, t.OwnerID, watcher.Panel); err != nil {
			p.Log.Debug().Err(err).Msg("redis does not take that an account is watched")
		}
	}
	if err := p.send(ctx, t, m, shown); err != nil {
		return p.failed(ctx, t, err), err
	}
	t.Edited, t.Trouble, t.TroubleCode = t.now, "", 0
	if t.Shown == "" {
		return timing.Between, nil
	}
	return timing.Check, nil
}

// send edits the message of a panel. Where there is none yet, or Discord does not let
// that one be edited now, it posts another in its place.
func (p *Panels) send(ctx context.Context, t *taken, m interaction.Message, shown string) error {
	tried := t.Posting // then the next message may be there, as it was posted
	if t.MessageID != "" && !tried {
		err := p.Discord.EditMessage(ctx, t.ChannelID, t.MessageID, m)
		if err == nil {
			t.Shown = shown
			return p.clear(ctx, t)
		}
		if rest.LacksEmbeds(err) {
			return p.strip(ctx, t, err)
		}
		if !takesAnother(err) {
			return err
		}
		t.Posting = true
		if err := p.store.keep(ctx, t, notDone); err != nil {
			return err
		}
	}
	m.Silent = t.MessageID != ""
	id, err := p.Discord.CreateMessage(ctx, t.ChannelID, t.ID+"-"+strconv.Itoa(t.Posts), m)
	lacks := rest.LacksEmbeds(err)
	t.Posting = err != nil && !lacks && (tried || !refused(err)) // what was refused is not there: the old message may be edited by then
	if err != nil && !lacks {
		return err
	}
	t.MessageID, t.Outdated, t.Posts, t.Shown = id, t.MessageID, t.Posts+1, shown
	if lacks {
		return p.strip(ctx, t, err)
	}
	if tried {
		t.Shown = ""
	}
	return p.clear(ctx, t)
}

// strip takes the buttons from a message whose embeds Discord has dropped, as they say
// nothing alone. It returns lacking, which says so: the message is to be edited once the bot
// may embed links again.
func (p *Panels) strip(ctx context.Context, t *taken, lacking error) error {
	t.Shown = ""
	if err := p.clear(ctx, t); err != nil {
		return err
	}
	if err := p.Discord.EditMessage(ctx, t.ChannelID, t.MessageID, p.Bare(t.Panel)); err != nil {
		return err
	}
	return lacking
}

// takesAnother tells whether Discord refuses to edit a message, and takes another in the
// same place: the message is too old to be edited now, or it is in a thread that is archived.
// A thread archives itself after 1 h to 7 days without a new message, of which an edit is
// none, and a new one opens it again unless it is locked.
// https://discord.com/developers/docs/topics/threads#active-archived-threads
func takesAnother(err error) bool {
	code := rest.CodeOf(err)
	return code == rest.CodeOldMessageEdits || code == rest.CodeArchivedThread
}

// refused tells whether Discord has not done, and will not do, what it was asked for.
func refused(err error) bool {
	e, ok := errors.AsType[*rest.Error](err)
	return ok && !e.Temporary() && !e.Uncertain
}

// clear deletes the message that another has taken the place of. If Discord refuses that,
// it is tried once more when the panel is removed.
func (p *Panels) clear(ctx context.Context, t *taken) error {
	stay, err := p.deleteMessages(ctx, t.ChannelID, t.Outdated)
	if err != nil {
		return err
	}
	t.Left = append(t.Left, stay...)
	t.Left = t.Left[max(0, len(t.Left)-mostLeft):]
	t.Outdated = ""
	return nil
}

// failed returns when a panel is due again whose message Discord did not take. A panel
// is forgotten whose message or channel somebody has deleted.
func (p *Panels) failed(ctx context.Context, t *taken, err error) (next time.Duration) {
	e, ok := errors.AsType[*rest.Error](err)
	switch {
	case !ok: // Redis's, or the panel was removed
		return p.Timing.Retry
	case rest.IsUnknownMessage(e), e.Code == rest.CodeUnknownChannel:
		p.Log.Info().Err(err).Str("panel", t.ID).Msg("a panel was deleted on Discord and is forgotten")
		if _, err := p.forget(ctx, t.Panel); err != nil {
			p.Log.Warn().Err(err).Str("panel", t.ID).Msg("a panel could not be forgotten")
			return p.Timing.Retry // with its message: otherwise it would be posted again
		}
		t.MessageID = ""
		return p.Timing.Retry
	case e.Status == http.StatusTooManyRequests:
		return max(e.RetryAfter, time.Second)
	case e.Temporary():
		return p.Timing.Retry
	}
	t.Trouble, t.TroubleCode = e.Message, e.Code
	p.Log.Info().Err(err).Str("panel", t.ID).Msg("discord does not let a panel be changed")
	return afterTrouble
}

// digest stands for what a message shows, whenever that is from.
func digest(m interaction.Message) string {
	embeds := make([]discordgo.MessageEmbed, len(m.Embeds))
	for i, e := range m.Embeds {
		embeds[i] = *e
		embeds[i].Timestamp = ""
	}
	text, _ := json.Marshal([]any{m.Content, embeds, m.Components}) // texts and numbers always can be encoded
	sum := sha256.Sum256(text)
	return base64.RawURLEncoding.EncodeToString(sum[:12])
}
