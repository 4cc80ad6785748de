package panel

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/interaction"
	"hostbot/bot/rest"
)

const (
	// afterTrouble is when a panel is tried again that Discord does not let be changed.
	// Its owner reads of it with the next /panel, which tries it at once.
	afterTrouble = 24 * time.Hour
	// lastLimit bounds what is sent while the program stops.
	lastLimit = 3 * time.Second
)

// Run keeps panels true until ctx is done and the last one it works on is delivered.
func (p *Panels) Run(ctx context.Context) {
	defer p.working.Wait()
	defer p.stop()
	ticker := time.NewTicker(p.cfg.Timing.Turn)
	defer ticker.Stop()
	for {
		for ctx.Err() == nil && p.turn(ctx) {
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// turn begins with a panel that is due, and tells whether there was one.
func (p *Panels) turn(ctx context.Context) bool {
	select {
	case p.atOnce <- struct{}{}:
	case <-ctx.Done():
		return false
	}
	t, err := p.store.take(ctx)
	if err != nil || t == nil {
		<-p.atOnce
		if err != nil && ctx.Err() == nil {
			p.cfg.Log.Debug().Err(err).Msg("redis does not tell which panels are due")
		}
		return false
	}
	p.working.Go(func() {
		defer func() { <-p.atOnce }()
		_ = p.deliver(context.WithoutCancel(ctx), t)
	})
	return true
}

// deliver makes the message of a panel show what is true. Its error is Discord's, where
// that did not take the message.
func (p *Panels) deliver(ctx context.Context, t *taken) error {
	ctx, cancel := context.WithTimeout(ctx, p.cfg.Timing.Lease*2/3) // and nothing is sent once another process may
	defer cancel()
	defer context.AfterFunc(p.stopping, func() { time.AfterFunc(lastLimit, cancel) })()
	next, edited, err := p.update(ctx, t)
	if e := p.store.done(context.WithoutCancel(ctx), t, edited, next); e != nil {
		p.cfg.Log.Debug().Err(e).Msg("redis does not take when a panel is due again")
	}
	return err
}

// update draws a panel and sends it, unless that need not be. It returns when the panel
// is due again.
func (p *Panels) update(ctx context.Context, t *taken) (next time.Duration, edited bool, err error) {
	timing := p.cfg.Timing
	m, err := p.cfg.Draw(ctx, t.Panel)
	if err != nil {
		p.cfg.Log.Debug().Err(err).Str("panel", t.ID).Msg("a panel cannot be drawn")
		return timing.Retry, false, nil
	}
	shown := digest(m)
	if t.MessageID != "" && !t.Posting && t.Outdated == "" && shown == t.Shown && t.age < timing.Beat {
		return min(timing.Check, timing.Beat-t.age), false, nil
	}
	if t.age >= timing.Beat { // Redis may have lost it
		if err := p.cfg.Watch(ctx, t.OwnerID); err != nil {
			p.cfg.Log.Debug().Err(err).Msg("redis does not take that an account is watched")
		}
	}
	if err := p.send(ctx, t, m, shown); err != nil {
		return p.failed(ctx, t, err), false, err
	}
	next, t.Trouble, t.TroubleCode = timing.Check, "", 0
	if t.Shown == "" {
		next = timing.Between
	}
	return next, true, p.kept(ctx, t)
}

// send edits the message of a panel. Where there is none yet, or Discord does not let
// so old a one be edited now, it posts another in its place.
func (p *Panels) send(ctx context.Context, t *taken, m interaction.Message, shown string) error {
	if t.MessageID != "" && !t.Posting {
		err := p.cfg.Discord.EditMessage(ctx, t.ChannelID, t.MessageID, m)
		if err == nil {
			t.Shown = shown
			return p.clear(ctx, t)
		}
		if rest.CodeOf(err) != rest.CodeOldMessageEdits {
			return err
		}
		t.Posting = true
		if err := p.kept(ctx, t); err != nil {
			return err
		}
		t.Posting = false
	}
	if t.Shown = shown; t.Posting { // where that was taken, Discord returns it as it was posted
		t.Shown = ""
	}
	m.Silent = t.MessageID != ""
	id, err := p.cfg.Discord.CreateMessage(ctx, t.ChannelID, t.ID+"-"+strconv.Itoa(t.Posts), m)
	if err != nil {
		t.Posting = true
		return err
	}
	t.MessageID, t.Outdated, t.Posts, t.Posting = id, t.MessageID, t.Posts+1, false
	if err := p.kept(ctx, t); err != nil {
		return err
	}
	return p.clear(ctx, t)
}

// clear deletes the message that another has taken the place of.
func (p *Panels) clear(ctx context.Context, t *taken) error {
	if t.Outdated == "" {
		return nil
	}
	err := p.cfg.Discord.DeleteMessage(ctx, t.ChannelID, t.Outdated)
	if e, ok := errors.AsType[*rest.Error](err); ok && e.Temporary() {
		return err
	}
	t.Outdated = ""
	return nil
}

// kept keeps what has changed of a panel. Where it was removed meanwhile, no message of
// it stays.
func (p *Panels) kept(ctx context.Context, t *taken) error {
	err := p.store.keep(ctx, t)
	if errors.Is(err, errRemoved) {
		_ = p.deleteMessages(ctx, t.Panel) // it is logged, and nobody waits for it
	}
	return err
}

// failed returns when a panel is due again whose message Discord did not take. A panel
// is forgotten whose message or channel somebody has deleted.
func (p *Panels) failed(ctx context.Context, t *taken, err error) (next time.Duration) {
	e, ok := errors.AsType[*rest.Error](err)
	switch {
	case !ok: // Redis's, or the panel was removed
		return p.cfg.Timing.Retry
	case rest.IsUnknownMessage(e), e.Code == rest.CodeUnknownChannel:
		p.cfg.Log.Info().Err(err).Str("panel", t.ID).Msg("a panel was deleted on Discord and is forgotten")
		if err := p.forget(ctx, t.Panel); err != nil {
			p.cfg.Log.Warn().Err(err).Str("panel", t.ID).Msg("a panel could not be forgotten")
		}
		return p.cfg.Timing.Retry
	case e.Status == http.StatusTooManyRequests:
		return max(e.RetryAfter, time.Second)
	case e.Temporary():
		return p.cfg.Timing.Retry
	}
	t.Trouble, t.TroubleCode = e.Message, e.Code
	_ = p.kept(ctx, t) // otherwise the next try says it again
	p.cfg.Log.Info().Err(err).Str("panel", t.ID).Msg("discord does not let a panel be changed")
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
