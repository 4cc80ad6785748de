// Package following notifies the followers of a public panel by direct message when a bot on it goes down, and when it
// is back. It is a topic of package notify.
//
// Anybody who sees a panel may follow it. A message has only what the panel shows to everybody: a bot's name, its
// state, and since when. It has no actions and does not name the owner.
//
// Each follower of a panel has a record: which bots the person was notified are down. A change of a bot makes the
// records of its panels due. The leader compares them with the history, and sends what is new as a new message, as an
// edit notifies nobody. Then it edits the message that said that the bot is down, so that nothing red stays that is
// over. A bot that is back before a follower was notified is not mentioned. A follower gets a few messages an hour
// about one panel at most.
//
// Following ends with the panel, through /alerts, and when a person takes no messages any more.
package following

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"hostbot/bot/interaction"
	"hostbot/bot/store/keyspace"
	"hostbot/bot/store/record"
	"hostbot/bot/watch/history"
	"hostbot/bot/watch/notify"
	"hostbot/bot/watch/panel"
	"hostbot/hostapi"
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

// Records in the application's space are of two kinds:
//
//	follows    PANEL/USER: a follow. Its owner is the panel
//	following  USER/PANEL: an entry. Its owner is the person
const (
	followKind, indexKind = "follows", "following"

	format = 2 // of both
)

// follow is a follower of a panel. Only the leader changes it.
type follow struct {
	OwnerID string `json:"owner"` // of the panel
	// Down has the bots that the person was notified are down.
	Down    map[string]bool `json:"known,omitempty"`
	Times   []int64         `json:"times,omitempty"`   // when messages were sent in the last hour, in Unix ms
	Sending *News           `json:"sending,omitempty"` // what is being sent
	Open    []open          `json:"open,omitempty"`    // the latest messages that tell of bots that are down
	notify.Delivery
}

// open is a message that tells of bots of which some are down still. It is edited as these come back.
type open struct {
	MessageID string `json:"id"`
	News      News   `json:"news"`
	Turned    bool   `json:"turned,omitempty"` // it is yet to show what News says
}

// entry lists a panel among those that a person follows.
type entry struct {
	OwnerID string `json:"owner"`
}

// History is history.History.
type History interface {
	Bots(ctx context.Context, customerID string, since time.Time, serverIDs ...string) (map[string]history.Past, error)
}

// Config is what Following needs.
type Config struct {
	// Redis must heed the deadline of a command's context.
	Redis   redis.UniversalClient
	Space   keyspace.Space // in Redis
	DMs     *notify.Notifier
	Panels  panel.Reader
	History History
	// Known returns the cached account, without asking the service.
	Known func(ctx context.Context, customerID string) (accounts.Snapshot, error)
	// Draw returns the message. The timestamp of its first embed must be News.At.
	Draw func(News) interaction.Message
	// Held is outages.Outages.Held. Followers are told of a fall during maintenance if the bot is down after it.
	Held func(serverID, name string) time.Duration
}

// Following keeps who follows which panels, and notifies them. It is safe for concurrent use.
type Following struct {
	cfg Config
	*notify.Topic[follow]
	index *record.Kind[entry]
}

// New returns a Following. The leader sends the messages (Work). Panels take turns.
func New(c Config) *Following {
	f := &Following{cfg: c, index: &record.Kind[entry]{Redis: c.Redis, Space: c.Space, Name: indexKind, Format: format}}
	f.Topic = notify.Add(c.DMs, notify.Topic[follow]{
		Name: followKind, Format: format, AtOnce: atOnce,
		Delivery: func(to *follow) *notify.Delivery { return &to.Delivery },
		Next:     f.next,
		GiveUp:   (*follow).giveUp,
		End:      f.Forget,
	})
	return f
}

// Follow makes a person follow a panel, and reports whether that is new. The error may be ErrNoPanel, ErrFull,
// ErrTooMany, or that of notify.Notifier.Reach.
func (f *Following) Follow(ctx context.Context, ownerID, panelID string, to notify.Recipient) (began bool, err error) {
	p, err := f.cfg.Panels.Get(ctx, ownerID, panelID)
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
	case len(followers) >= MostFollowers: // before a DM is opened for nothing
		return false, ErrFull
	}
	ids := p.Bots
	if p.All {
		account, err := f.cfg.Known(ctx, ownerID)
		if err != nil {
			return false, err
		}
		ids = hostapi.IDs(p.Shown(account.List.Servers))
	}
	past, err := f.cfg.History.Bots(ctx, ownerID, time.Now(), ids...)
	if err != nil {
		return false, err
	}
	down := make(map[string]bool)
	for serverID, bot := range past {
		if isDown(bot) {
			down[serverID] = true
		}
	}
	to.Stranger = true // a customer's DM is mostly known already
	if _, err = f.cfg.DMs.Reach(ctx, followKind, to); err != nil {
		return false, err
	}
	// The index comes first, so that a follower can always unfollow.
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

// Unfollow ends a person's following of a panel.
func (f *Following) Unfollow(ctx context.Context, userID, panelID string) error {
	if _, _, err := f.Records.Remove(ctx, panelID+"/"+userID, panelID); err != nil {
		return err
	}
	_, left, err := f.index.Remove(ctx, userID+"/"+panelID, userID)
	if err == nil && left == 0 {
		err = f.cfg.DMs.Release(ctx, followKind, userID, false)
	}
	return err
}

// Of returns the panels that a person follows, the oldest first.
func (f *Following) Of(ctx context.Context, userID string) ([]panel.Panel, error) {
	own, err := f.index.Of(ctx, userID)
	var followed []panel.Panel
	for _, r := range own {
		_, panelID, _ := strings.Cut(r.ID, "/")
		p, err := f.cfg.Panels.Get(ctx, r.Value.OwnerID, panelID)
		switch {
		case err != nil:
			return nil, err
		case p != nil:
			followed = append(followed, *p)
		default: // the panel was removed, but Redis failed before Unfollow
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
	followers, err := f.FollowerIDs(ctx, panelID)
	return len(followers), err
}

// FollowerIDs returns who follows a panel.
func (f *Following) FollowerIDs(ctx context.Context, panelID string) (userIDs []string, err error) {
	followers, err := f.Records.Of(ctx, panelID)
	for _, r := range followers {
		userIDs = append(userIDs, strings.TrimPrefix(r.ID, panelID+"/"))
	}
	return userIDs, err
}

// Follows reports whether a person follows a panel.
func (f *Following) Follows(ctx context.Context, userID, panelID string) (bool, error) {
	r, err := f.Records.Get(ctx, panelID+"/"+userID, panelID)
	return r != nil, err
}

// End ends all following of a panel that was removed.
func (f *Following) End(ctx context.Context, panelID string) error {
	followers, err := f.Records.Of(ctx, panelID)
	for _, r := range followers {
		_, userID, _ := strings.Cut(r.ID, "/")
		err = errors.Join(err, f.Unfollow(ctx, userID, panelID))
	}
	return errors.Join(err, f.Records.RemoveUnreadable(ctx, panelID))
}

// Forget ends all of a person's following, and reports whether there was any.
func (f *Following) Forget(ctx context.Context, userID string) (known bool, err error) {
	own, err := f.index.Of(ctx, userID)
	for _, r := range own {
		_, panelID, _ := strings.Cut(r.ID, "/")
		err = errors.Join(err, f.Unfollow(ctx, userID, panelID))
	}
	return len(own) > 0, errors.Join(err, f.index.RemoveUnreadable(ctx, userID))
}
