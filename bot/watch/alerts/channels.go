package alerts

import (
	"context"
	"errors"
	"slices"
	"time"

	"hostbot/bot/interaction"
	"hostbot/bot/store/record"
	"hostbot/bot/watch/notify"
	"hostbot/bot/watch/panel"
	"hostbot/bot/watch/watcher"
)

// Channel is that alerts of a panel's bots are posted in the panel's channel. Only the panel's owner changes it.
type Channel struct {
	OwnerID string `json:"owner"`          // of the panel
	RoleID  string `json:"role,omitempty"` // of the role that each message mentions, or the guild's ID for everyone
	// Trouble is Discord's code for why it has refused the latest message; 0 if it has not.
	Trouble int `json:"-"`
}

// Channels post alerts in the channels of panels, with the waiting and the counting of a customer's own. They end with
// the panel. They are safe for concurrent use.
type Channels struct {
	*teller
	panels   panel.Reader
	draw     func(Alert, panel.Panel, Channel) interaction.Message
	channels *record.Kind[Channel]
}

// NewChannels returns channels. draw is Config.Draw for everybody in a channel, and used in its place. The leader posts
// (Work).
func NewChannels(c Config, panels panel.Reader, draw func(Alert, panel.Panel, Channel) interaction.Message) *Channels {
	n := &Channels{panels: panels, draw: draw, channels: &record.Kind[Channel]{Redis: c.Redis, Space: c.Space, Name: channelsKind, Format: channelFormat, Lenient: true}}
	n.teller = newTeller(c, n.audience, notify.Topic[delivery]{
		Name: channelTopic, AtOnce: channelsAtOnce, InChannels: true,
		GiveUp: func(*delivery) time.Duration { return record.Never }, // the panel's owner is to read of it
	})
	return n
}

// audience is the channel of a panel. Without a panel any more, nothing is kept of it.
func (n *Channels) audience(ctx context.Context, panelID string) (audience, error) {
	r, err := n.channels.Get(ctx, panelID, "")
	if err != nil || r == nil {
		return audience{}, err
	}
	p, err := n.panels.Get(ctx, r.Value.OwnerID, panelID)
	if err == nil && p == nil { // it was removed, but Redis failed before End
		err = n.End(ctx, panelID)
	}
	if err != nil || p == nil {
		return audience{}, err
	}
	settings := Settings{All: p.All}
	for _, id := range p.Bots {
		settings.Set(id, true)
	}
	return audience{settings, "", p.ChannelID, func(a Alert, _ string) interaction.Message {
		a.CustomerID, a.Locale = p.OwnerID, p.Locale
		return n.draw(a, *p, r.Value)
	}}, nil
}

// Observe has those changes posted that concern a customer's panels. It may be given a poll twice.
func (n *Channels) Observe(ctx context.Context, p watcher.Poll) error {
	if len(p.Changes) == 0 {
		return nil
	}
	own, err := n.panels.Of(ctx, p.CustomerID)
	for _, shown := range own {
		err = errors.Join(err, n.observe(ctx, shown.ID, p))
	}
	return err
}

// Redraw has messages drawn once more, of all channels, that tell of bots which are down: there is more to say.
func (n *Channels) Redraw(ctx context.Context) error {
	all, err := n.channels.Of(ctx, "")
	for _, r := range all {
		err = errors.Join(err, n.teller.Redraw(ctx, []string{r.ID}))
	}
	return err
}

// Of returns what is posted in a panel's channel; nil for nothing. If Discord refuses the latest message, that is tried
// once more at once.
func (n *Channels) Of(ctx context.Context, panelID string) (*Channel, error) {
	r, err := n.channels.Get(ctx, panelID, "")
	if err != nil || r == nil {
		return nil, err
	}
	known, err := n.Records.Of(ctx, panelID)
	if err != nil || len(known) == 0 {
		return &r.Value, err
	}
	last := slices.MaxFunc(known, func(a, b *record.Record[delivery]) int { return a.Value.First.Compare(b.Value.First) })
	if r.Value.Trouble = last.Value.Code; r.Value.Trouble != 0 {
		err = n.Records.Schedule(ctx, last.ID)
		n.Wake(ctx, last.ID)
	}
	return &r.Value, err
}

// Begin has alerts posted in a panel's channel from now on, as change says, and returns how.
func (n *Channels) Begin(ctx context.Context, p panel.Panel, change func(*Channel)) (*Channel, error) {
	r, err := n.channels.Upsert(ctx, p.ID, "", record.Keep, func(r *record.Record[Channel]) bool {
		r.Value.OwnerID, r.Life = p.OwnerID, record.ForEver
		change(&r.Value)
		return true
	})
	if err != nil {
		return nil, err
	}
	return &r.Value, nil
}

// End has no alerts posted in a panel's channel any more, and forgets those that were. Their messages stay.
func (n *Channels) End(ctx context.Context, panelID string) error {
	_, _, err := n.channels.Remove(ctx, panelID, "")
	_, failed := n.Records.RemoveAll(ctx, panelID)
	return errors.Join(err, failed)
}

// Users returns in how many channels alerts are posted.
func (n *Channels) Users(ctx context.Context) (int, error) {
	all, err := n.channels.Of(ctx, "")
	return len(all), err
}
