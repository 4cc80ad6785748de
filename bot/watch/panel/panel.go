// Package panel keeps public messages true that show how a customer's bots fare.
//
// Redis holds the panels, and when each is due to be looked at. The leader draws those that
// are due, and edits the messages that show something else by now. So a panel survives
// restarts, and no two processes edit it at once.
//
// Discord lets messages that are more than an hour old be edited much less often than
// others (code 30046), and none in a thread that is archived (code 50083), as threads are
// by time. Where a panel meets that, its message is posted anew, without a notification,
// and the old one is deleted. In a locked thread nothing can be done: the owner is told.
package panel

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/rs/zerolog"

	"hostbot/bot/discord/message"
	"hostbot/bot/interaction"
	"hostbot/bot/store/keyspace"
	"hostbot/bot/store/record"
	"hostbot/bot/watch/watcher"
	"hostbot/hostapi"
)

// Panel is a public message about a customer's bots.
type Panel struct {
	ID        string   `json:"id"` // of the interaction that made it
	OwnerID   string   `json:"owner"`
	GuildID   string   `json:"guild,omitempty"`
	Guild     string   `json:"guild_name,omitempty"` // the guild's name as the panel was made; "" if Discord did not tell it
	ChannelID string   `json:"channel"`
	InThread  bool     `json:"thread,omitempty"` // the channel is a thread
	Title     string   `json:"title,omitempty"`  // the owner's, at most MaxTitle characters; "" for the usual one
	Bots      []string `json:"bots"`             // IDs, in the owner's order
	All       bool     `json:"all,omitempty"`    // it shows all of the owner's bots, also later ones: behind those of Bots
	Locale    string   `json:"locale"`           // the owner's as it was made, which the panel keeps
	// Trouble is why Discord does not let the message be changed; "" where it does.
	// TroubleCode is Discord's code for that, or 0.
	Trouble     string `json:"trouble,omitempty"`
	TroubleCode int    `json:"trouble_code,omitempty"`

	Message message.State `json:"message"`
	Edited  int64         `json:"edited,omitempty"` // when the message was last posted or edited, in ms by Redis's clock
}

// Shown returns those of an owner's bots that the panel shows, in its order.
func (p Panel) Shown(servers []hostapi.Server) (shown []hostapi.Server) {
	for _, id := range p.Bots {
		if i := slices.IndexFunc(servers, func(s hostapi.Server) bool { return s.ID == id }); i >= 0 {
			shown = append(shown, servers[i])
		}
	}
	for _, s := range servers {
		if p.All && !slices.Contains(p.Bots, s.ID) {
			shown = append(shown, s)
		}
	}
	return shown
}

// Limits of what one customer may have.
const (
	MostPanels = 10
	MostBots   = 25 // that are chosen: as many as a menu takes
	MaxTitle   = 80 // characters
)

// ErrTooMany says that a customer has MostPanels already.
var ErrTooMany = record.ErrTooMany

// Watching is what panels need of the watcher.
type Watching interface {
	Watch(ctx context.Context, customerID string, why watcher.Reason) error
	Unwatch(ctx context.Context, customerID string, why watcher.Reason) error
}

// Discord is where panels are.
type Discord interface {
	message.Discord
	// Get reads what is at a path below the API's base.
	Get(ctx context.Context, path string, out any) error
}

// Config is what Panels need.
type Config struct {
	// Redis must heed the deadline of a command's context.
	Redis    redis.UniversalClient
	Space    keyspace.Space // in Redis
	Discord  Discord
	Watching Watching
	// Draw returns what a panel is to show.
	Draw func(context.Context, Panel) (interaction.Message, error)
	// Bare returns what a panel is to show where Discord takes no embeds from the bot: text
	// alone.
	Bare func(Panel) interaction.Message
	// Ended is told of each panel that is no more; it may be nil.
	Ended func(ctx context.Context, id string) error
	// Wake tells the leader which panels are due.
	Wake   func(ctx context.Context, kind string, ids ...string)
	Log    zerolog.Logger
	Timing Timing
}

// Timing says how often a panel is looked at and edited.
type Timing struct {
	Check   time.Duration // between two looks at a panel where nothing tells of a change
	Between time.Duration // between two edits, at least
	Beat    time.Duration // after which a panel is edited although it shows the same, to learn whether it is still there
	Retry   time.Duration // after which a panel is tried again that Discord did not take for now
	// Work bounds what is done about a panel at once. It is due again after that.
	Work time.Duration
}

// DefaultTiming edits a panel twice a minute at most, and every hour at least.
func DefaultTiming() Timing {
	return Timing{
		Check: time.Minute, Between: 30 * time.Second, Beat: time.Hour,
		Retry: 5 * time.Second, Work: 10 * time.Second,
	}
}

// Panels are all panels. They are safe for concurrent use.
type Panels struct {
	cfg     Config
	records *record.Kind[Panel]
}

// New returns panels. The leader keeps them true (Work).
func New(c Config) *Panels {
	return &Panels{
		cfg:     c,
		records: &record.Kind[Panel]{Redis: c.Redis, Space: c.Space, Name: kind, Format: format},
	}
}

// Create posts a panel. Where nobody knows what it is to show, there is none, and an error. Where
// Discord refuses it, or takes it without its embeds (rest.LacksEmbeds), there is none either, and
// the error is Discord's; unless a message without embeds cannot be deleted (giveUp). Where it is
// not known whether Discord took it, there is one, which the leader posts: with the same nonce, so that it
// is there once.
func (p *Panels) Create(ctx context.Context, panel Panel) (posted bool, err error) {
	if err := p.cfg.Watching.Watch(ctx, panel.OwnerID, watcher.Panel); err != nil {
		return false, err
	}
	panel.Guild = p.guildName(ctx, panel.GuildID)
	t, err := p.add(ctx, panel)
	if errors.Is(err, record.ErrExists) { // another process was told to create it as well
		return false, nil
	}
	if err != nil {
		return false, err
	}
	err = p.deliver(ctx, t)
	if errors.Is(err, errUndrawn) || err != nil && !panel.passes(err) {
		return false, errors.Join(err, p.giveUp(context.WithoutCancel(ctx), t.Value))
	}
	return t.Value.Message.ID != "", nil
}

// guildName asks Discord for the name of a guild, which those read who follow a panel of it. It is "" if
// Discord does not tell it: then they read the channel alone.
func (p *Panels) guildName(ctx context.Context, guildID string) string {
	var guild struct {
		Name string `json:"name"`
	}
	if guildID != "" {
		_ = p.cfg.Discord.Get(ctx, "guilds/"+url.PathEscape(guildID), &guild)
	}
	return guild.Name
}

// giveUp forgets a panel that Discord has refused, or was not sent. Where Discord has taken the message without its
// embeds, that is deleted; if Discord fails or refuses to do so, the panel is kept with its
// trouble, so that its owner knows of the message.
func (p *Panels) giveUp(ctx context.Context, panel Panel) error {
	if stay, err := p.delete(ctx, panel.ChannelID, panel.Message.ID); err != nil || len(stay) > 0 {
		return nil // it is logged
	}
	_, err := p.forget(ctx, panel)
	return err
}

// Removal is what became of panels that were to be removed.
type Removal struct {
	Known bool // there was one
	// Stays are the IDs of the channels in which a message stays that Discord refuses to
	// delete. No panel keeps it true any more.
	Stays []string
}

// Remove removes a panel of a customer's, and its message. Where Discord fails to delete
// the message for now, the panel is kept, and the error is Discord's. Messages may stay beside
// another error.
func (p *Panels) Remove(ctx context.Context, customerID, id string) (Removal, error) {
	panel, err := p.Get(ctx, customerID, id)
	if err != nil || panel == nil {
		return Removal{}, err
	}
	m := panel.Message
	stay, err := p.delete(ctx, panel.ChannelID, append([]string{m.ID, m.Stale}, m.Left...)...)
	if err != nil {
		return Removal{}, err
	}
	more, err := p.forget(ctx, *panel)
	removal := Removal{Known: err == nil}
	if len(stay)+len(more) > 0 { // also where the panel may be forgotten, so that nothing else would tell
		removal.Stays = []string{panel.ChannelID}
	}
	return removal, err
}

// Forget removes all panels of a customer as Remove does. With an error it says which messages
// stay of those that were removed.
func (p *Panels) Forget(ctx context.Context, customerID string) (all Removal, err error) {
	own, err := p.Of(ctx, customerID)
	if err == nil && len(own) == 0 {
		err = p.cfg.Watching.Unwatch(ctx, customerID, watcher.Panel)
	}
	for _, panel := range own {
		one, failure := p.Remove(ctx, customerID, panel.ID)
		all.Stays = append(all.Stays, one.Stays...)
		err = errors.Join(err, failure)
	}
	err = errors.Join(err, p.records.RemoveUnreadable(ctx, customerID))
	slices.Sort(all.Stays)
	all.Known, all.Stays = len(own) > 0, slices.Compact(all.Stays)
	return all, err
}

// Observe has a customer's panels looked at if bots have changed. It may be given a poll twice.
func (p *Panels) Observe(ctx context.Context, poll watcher.Poll) error {
	if len(poll.Changes) == 0 {
		return nil
	}
	return p.Retry(ctx, poll.CustomerID)
}

// forget removes a panel, and a message that was posted in the place of the one that the
// caller knows: of that it returns what stays, as delete does. The account of the
// last panel is not watched for panels any more.
func (p *Panels) forget(ctx context.Context, panel Panel) (stay []string, err error) {
	removed, left, err := p.records.Remove(ctx, panel.ID, panel.OwnerID)
	last := panel
	if removed != nil {
		last = removed.Value
	}
	if err == nil && last.Message.ID != panel.Message.ID {
		var failed error // it is logged; the panel is no more
		if stay, failed = p.delete(ctx, last.ChannelID, last.Message.ID, last.Message.Stale); failed != nil {
			stay = append(stay, last.Message.ID)
		}
	}
	if err == nil && p.cfg.Ended != nil {
		err = p.cfg.Ended(ctx, panel.ID)
	}
	if err == nil && left == 0 {
		err = p.cfg.Watching.Unwatch(ctx, panel.OwnerID, watcher.Panel)
	}
	return stay, err
}

// delete deletes messages as message.Delete does, and logs what stays.
func (p *Panels) delete(ctx context.Context, channelID string, ids ...string) (stay []string, failed error) {
	stay, failed = message.Delete(ctx, p.cfg.Discord, channelID, ids...)
	if failed != nil || len(stay) > 0 {
		p.cfg.Log.Info().Err(failed).Str("channel", channelID).Strs("stay", stay).Msg("the message of a panel could not be deleted")
	}
	return stay, failed
}
