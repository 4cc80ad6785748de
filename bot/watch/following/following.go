// Package following tells those who follow a public panel by direct message that a bot on it went
// down, and that it is back. It is a topic of package notify.
//
// Anybody who sees a panel may follow it. A follower is told what the panel shows to everybody: a
// bot's name, its state and when that was noticed. Nothing can be done to the bot there, and the
// owner is not named.
//
// A record has, for each follower, of which bots the person knows that they are down. A change of a bot
// has the records of its panels be due. The leader compares them with the history, and sends what is new
// in a message of its own, as an edit notifies nobody. A bot that is back before a follower was told that
// it was down is not mentioned. Of one panel a follower gets a few messages an hour at most.
//
// Following ends with the panel, with /alerts, and when a person takes no messages any more.
package following

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/rs/zerolog"

	"hostbot/bot/interaction"
	"hostbot/bot/store/keyspace"
	"hostbot/bot/store/record"
	"hostbot/bot/watch/history"
	"hostbot/bot/watch/notify"
	"hostbot/bot/watch/panel"
	"hostbot/hostapi/accounts"
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

// What Redis keeps in the application's space are records of two kinds:
//
//	follows    PANEL/USER: of what a follower was notified. Its owner is the panel
//	following  USER/PANEL: that somebody follows a panel. Its owner is that person
const (
	followKind, indexKind = "follows", "following"

	format = 2 // of each as JSON
)

// follow is what is known of somebody who follows a panel. The leader alone changes it.
type follow struct {
	OwnerID string `json:"owner"` // of the panel
	// Down are the bots of which the person knows that they are down.
	Down    map[string]bool `json:"known,omitempty"`
	Times   []int64         `json:"times,omitempty"`   // when messages were sent in the last hour, in Unix ms
	Sending *News           `json:"sending,omitempty"` // what is being sent
	notify.Delivery
}

// entry is that somebody follows a panel.
type entry struct {
	OwnerID string `json:"owner"`
}

// Panels are customers' public messages.
type Panels interface {
	Of(ctx context.Context, customerID string) ([]panel.Panel, error)
	Get(ctx context.Context, customerID, id string) (*panel.Panel, error)
}

// History is what is kept of the states of bots.
type History interface {
	Bots(ctx context.Context, customerID string, since time.Time, serverIDs ...string) (map[string]history.Past, error)
}

// Config is what Following needs.
type Config struct {
	// Redis must heed the deadline of a command's context.
	Redis   redis.UniversalClient
	Space   keyspace.Space // in Redis
	DMs     *notify.Notifier
	Panels  Panels
	History History
	// Known returns what is known of an account without asking the service.
	Known func(ctx context.Context, customerID string) (accounts.Snapshot, error)
	// Draw returns the message of news. The first embed of it must have the timestamp News.At.
	Draw func(News) interaction.Message
	Log  zerolog.Logger
}

// Following keeps who follows what, and notifies them. It is safe for concurrent use.
type Following struct {
	Config
	*notify.Topic[follow]
	index *record.Kind[entry]
}

// New returns the following. The leader sends (Work). The followers of a panel take turns with those of
// others.
func New(c Config) *Following {
	f := &Following{Config: c, index: &record.Kind[entry]{Redis: c.Redis, Space: c.Space, Name: indexKind, Format: format}}
	f.Topic = notify.Add(c.DMs, notify.Topic[follow]{
		Name: followKind, Format: format, AtOnce: atOnce,
		Line:     func(id string) string { panelID, _, _ := strings.Cut(id, "/"); return panelID },
		Delivery: func(to *follow) *notify.Delivery { return &to.Delivery },
		Next:     f.next,
		GiveUp:   func(to *follow) bool { to.end(); return true },
		End: func(ctx context.Context, userID string) error {
			_, err := f.Forget(ctx, userID)
			return err
		},
	})
	return f
}

// Follow has somebody follow a panel of an owner's, and reports whether that is new. The error may be
// ErrNoPanel, ErrFull, ErrTooMany, or that of notify.Notifier.Reach.
func (f *Following) Follow(ctx context.Context, ownerID, panelID string, to notify.Recipient) (began bool, err error) {
	p, err := f.Panels.Get(ctx, ownerID, panelID)
	if err != nil {
		return false, err
	}
	if p == nil {
		return false, ErrNoPanel
	}
	followers, err := f.Records.Of(ctx, panelID)
	id := panelID + "/" + to.UserID
	switch {
	case err != nil:
		return false, err
	case slices.ContainsFunc(followers, func(r *record.Record[follow]) bool { return r.ID == id }):
		return false, nil
	case len(followers) >= MostFollowers: // nobody's DM is opened for nothing
		return false, ErrFull
	}
	past, err := f.History.Bots(ctx, ownerID, time.Now(), p.Bots...)
	if err != nil {
		return false, err
	}
	down := make(map[string]bool)
	for serverID, bot := range past {
		if isDown(bot) {
			down[serverID] = true
		}
	}
	to.Stranger = true // a customer's DM mostly is known
	if _, err = f.DMs.Reach(ctx, followKind, to); err != nil {
		return false, err
	}
	// The index comes first, so that who follows can always end it.
	_, err = f.index.Add(ctx, to.UserID+"/"+panelID, to.UserID, entry{ownerID}, record.Never, MostPanels)
	switch {
	case errors.Is(err, record.ErrTooMany):
		return false, ErrTooMany
	case err != nil && !errors.Is(err, record.ErrExists):
		return false, err
	}
	_, err = f.Records.Add(ctx, id, panelID, follow{OwnerID: ownerID, Down: down}, record.Never, MostFollowers)
	switch {
	case errors.Is(err, record.ErrTooMany):
		return false, errors.Join(ErrFull, f.Unfollow(ctx, to.UserID, panelID))
	case errors.Is(err, record.ErrExists): // the press came twice
		return false, nil
	}
	return err == nil, err
}

// Unfollow has somebody follow a panel no more.
func (f *Following) Unfollow(ctx context.Context, userID, panelID string) error {
	if _, _, err := f.Records.Remove(ctx, panelID+"/"+userID, panelID); err != nil {
		return err
	}
	_, left, err := f.index.Remove(ctx, userID+"/"+panelID, userID)
	if err == nil && left == 0 {
		err = f.DMs.Release(ctx, followKind, userID, false)
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
	followers, err := f.Records.Of(ctx, panelID)
	return len(followers), err
}

// End ends the following of a panel that is no more.
func (f *Following) End(ctx context.Context, panelID string) error {
	followers, err := f.Records.Of(ctx, panelID)
	for _, r := range followers {
		_, userID, _ := strings.Cut(r.ID, "/")
		err = errors.Join(err, f.Unfollow(ctx, userID, panelID))
	}
	return errors.Join(err, f.Records.RemoveUnreadable(ctx, panelID))
}

// Forget ends all that somebody follows, and returns how many panels that were.
func (f *Following) Forget(ctx context.Context, userID string) (followed int, err error) {
	own, err := f.index.Of(ctx, userID)
	for _, r := range own {
		_, panelID, _ := strings.Cut(r.ID, "/")
		err = errors.Join(err, f.Unfollow(ctx, userID, panelID))
	}
	return len(own), errors.Join(err, f.index.RemoveUnreadable(ctx, userID))
}
