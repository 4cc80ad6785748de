// Package following tells those who follow a public panel by direct message that a bot on it went
// down, and that it is back.
//
// Anybody who sees a panel may follow it. A follower is told what the panel shows to everybody: a
// bot's name, its state and when that was noticed. Nothing can be done to the bot there, and the
// owner is not named.
//
// Which bots are down is kept once for an owner, and for each follower which of them that person was
// told of. The leader compares both, and sends what is new in a message of its own, as an edit
// notifies nobody; a bot that is back before a follower was told that it was down is not mentioned.
// Of one panel a follower gets a few messages an hour at most.
//
// A first message goes to somebody new, behind the same brake as that of alerts. Following ends
// with the panel, with /alerts, and when a person takes no messages any more.
package following

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/rs/zerolog"

	"hostbot/bot/discord/message"
	"hostbot/bot/interaction"
	"hostbot/bot/store/keyspace"
	"hostbot/bot/store/record"
	"hostbot/bot/watch/alerts"
	"hostbot/bot/watch/panel"
)

// Limits of following.
const (
	MostFollowers = 200 // of a panel
	MostPanels    = 25  // that one person follows: as many as a menu takes
)

var (
	// ErrFull says that a panel has MostFollowers.
	ErrFull = errors.New("following: the panel has too many followers")
	// ErrTooMany says that a person follows MostPanels.
	ErrTooMany = errors.New("following: the person follows too many panels")
	// ErrNoPanel says that there is no such panel any more.
	ErrNoPanel = errors.New("following: there is no such panel")
)

// What Redis keeps in the application's space are records of three kinds:
//
//	follows    PANEL/USER: what a follower was told of a panel. Its owner is the panel
//	following  USER/PANEL: that somebody follows a panel. Its owner is that person
//	fallen     OWNER: which bots of a customer are down, while their panels have followers
const (
	followKind, indexKind, fallenKind = "follows", "following", "fallen"

	format = 1 // of each as JSON
)

// follow is what is known of somebody who follows a panel.
type follow struct {
	OwnerID string `json:"owner"` // of the panel
	Locale  string `json:"locale"`
	Channel string `json:"channel"` // of the DM
	// Down names, by bot, the outage that the person was told of last, until they were told of
	// its end.
	Down    map[string]string `json:"down,omitempty"`
	Sent    []int64           `json:"sent,omitempty"`    // when messages were sent in the last hour, in Unix ms
	Sending *News             `json:"sending,omitempty"` // what is being sent
	Message message.State     `json:"message"`           // that says so
	Refused int               `json:"refused,omitempty"` // how often Discord refused it
}

// entry is that somebody follows a panel.
type entry struct {
	OwnerID string `json:"owner"`
	Channel string `json:"channel"`
}

// DMs are the direct messages of the bot.
type DMs interface {
	// Kept returns the channel of somebody's direct messages, among others, if it is known.
	Kept(ctx context.Context, userID string) (alerts.Settings, alerts.Contact, error)
	Introduce(ctx context.Context, to alerts.Recipient) (channelID string, err error)
	HeldFor(ctx context.Context) (time.Duration, error)
}

// Panels are customers' public messages.
type Panels interface {
	Of(ctx context.Context, customerID string) ([]panel.Panel, error)
	Get(ctx context.Context, customerID, id string) (*panel.Panel, error)
}

// Config is what Following needs.
type Config struct {
	// Redis must heed the deadline of a command's context.
	Redis   redis.UniversalClient
	Space   keyspace.Space // in Redis
	Discord message.Discord
	DMs     DMs
	Panels  Panels
	// Draw returns the message of news. The first embed of it must have the timestamp News.At.
	Draw func(News) interaction.Message
	// Wake tells the leader which follows are due.
	Wake   func(ctx context.Context, kind string, ids ...string)
	Log    zerolog.Logger
	Timing Timing
}

// Timing is how Following uses time. Tests may be less patient.
type Timing struct {
	Work  time.Duration // bound on what is done about a follow at once; it is due again after that
	Retry time.Duration // pause after a message was not sent, which doubles where Discord refuses it
}

// DefaultTiming returns the timing for Discord.
func DefaultTiming() Timing { return Timing{Work: 8 * time.Second, Retry: 10 * time.Second} }

// Following keeps who follows what, and tells. It is safe for concurrent use.
type Following struct {
	Config
	follows *record.Kind[follow]
	index   *record.Kind[entry]
	fallen  *record.Kind[fallen]
}

// New returns the following. The leader sends (Work).
func New(c Config) *Following {
	return &Following{
		Config:  c,
		follows: &record.Kind[follow]{Redis: c.Redis, Space: c.Space, Name: followKind, Format: format},
		index:   &record.Kind[entry]{Redis: c.Redis, Space: c.Space, Name: indexKind, Format: format},
		fallen:  &record.Kind[fallen]{Redis: c.Redis, Space: c.Space, Name: fallenKind, Format: format},
	}
}

// Follow has somebody follow a panel of an owner's, and reports whether that is new. The error may be
// ErrNoPanel, ErrFull, ErrTooMany, alerts.ErrClosed or alerts.ErrLater.
func (f *Following) Follow(ctx context.Context, ownerID, panelID string, to alerts.Recipient) (began bool, err error) {
	p, err := f.Panels.Get(ctx, ownerID, panelID)
	if err != nil {
		return false, err
	}
	if p == nil {
		return false, ErrNoPanel
	}
	followers, err := f.follows.Of(ctx, panelID)
	id := panelID + "/" + to.CustomerID
	switch {
	case err != nil:
		return false, err
	case slices.ContainsFunc(followers, func(r *record.Record[follow]) bool { return r.ID == id }):
		return false, nil
	case len(followers) >= MostFollowers: // nobody's DM is opened for nothing
		return false, ErrFull
	}
	channel, err := f.channel(ctx, to)
	if err != nil {
		return false, err
	}
	known, err := f.fallenOf(ctx, ownerID)
	if err != nil {
		return false, err
	}
	// The index comes first, so that who follows can always end it.
	_, err = f.index.Add(ctx, to.CustomerID+"/"+panelID, to.CustomerID, entry{ownerID, channel}, record.Never, MostPanels)
	switch {
	case errors.Is(err, record.ErrTooMany):
		return false, ErrTooMany
	case err != nil && !errors.Is(err, record.ErrExists):
		return false, err
	}
	_, err = f.follows.Add(ctx, id, panelID, follow{OwnerID: ownerID, Locale: to.Locale, Channel: channel, Down: known.Value.down()}, record.Never, MostFollowers)
	switch {
	case errors.Is(err, record.ErrTooMany):
		_, _, failed := f.index.Remove(ctx, to.CustomerID+"/"+panelID, to.CustomerID)
		return false, errors.Join(ErrFull, failed)
	case errors.Is(err, record.ErrExists): // the press came twice
		return false, nil
	}
	return err == nil, err
}

// channel returns the channel of somebody's DM. To somebody new it sends a first message.
func (f *Following) channel(ctx context.Context, to alerts.Recipient) (string, error) {
	_, contact, err := f.DMs.Kept(ctx, to.CustomerID)
	if err != nil {
		return "", err
	}
	others, err := f.index.Of(ctx, to.CustomerID)
	if err != nil {
		return "", err
	}
	known := contact.Channel
	for _, r := range others {
		known = cmp.Or(known, r.Value.Channel)
	}
	if known != "" {
		return known, nil
	}
	return f.DMs.Introduce(ctx, to)
}

// Unfollow has somebody follow a panel no more.
func (f *Following) Unfollow(ctx context.Context, userID, panelID string) error {
	_, _, err := f.follows.Remove(ctx, panelID+"/"+userID, panelID)
	if err == nil {
		_, _, err = f.index.Remove(ctx, userID+"/"+panelID, userID)
	}
	return err
}

// Of returns the panels that somebody follows, the oldest first.
func (f *Following) Of(ctx context.Context, userID string) ([]panel.Panel, error) {
	own, err := f.index.Of(ctx, userID)
	var followed []panel.Panel
	for _, r := range own {
		_, panelID, _ := strings.Cut(r.ID, "/")
		p, err := f.Panels.Get(ctx, r.Value.OwnerID, panelID)
		switch {
		case err != nil:
			return nil, err
		case p != nil:
			followed = append(followed, *p)
		default: // it ended, and Redis failed as the following was to
			if err := f.Unfollow(ctx, userID, panelID); err != nil {
				return nil, err
			}
		}
	}
	slices.SortFunc(followed, panel.Compare)
	return followed, err
}

// Followers returns how many people follow a panel.
func (f *Following) Followers(ctx context.Context, panelID string) (int, error) {
	followers, err := f.follows.Of(ctx, panelID)
	return len(followers), err
}

// End ends the following of a panel that is no more.
func (f *Following) End(ctx context.Context, panelID string) error {
	followers, err := f.follows.Of(ctx, panelID)
	for _, r := range followers {
		_, userID, _ := strings.Cut(r.ID, "/")
		err = errors.Join(err, f.Unfollow(ctx, userID, panelID))
	}
	return errors.Join(err, f.follows.RemoveUnreadable(ctx, panelID))
}

// Forget ends all that somebody follows, and returns how many panels that were. What is kept of the
// person's own bots for followers is forgotten as well.
func (f *Following) Forget(ctx context.Context, userID string) (followed int, err error) {
	own, err := f.index.Of(ctx, userID)
	for _, r := range own {
		_, panelID, _ := strings.Cut(r.ID, "/")
		err = errors.Join(err, f.Unfollow(ctx, userID, panelID))
	}
	_, _, failed := f.fallen.Remove(ctx, userID, userID)
	return len(own), errors.Join(err, failed, f.index.RemoveUnreadable(ctx, userID))
}
