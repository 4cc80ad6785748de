package outages

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"hostbot/bot/store/record"
)

const (
	noticeKind   = "notices"
	noticeFormat = 1

	// overFor is how long a notice is kept that is over: alerts are held a little longer than it lasts.
	overFor = 24 * time.Hour
)

// Notice is what the company says about bots, from one time until another.
type Notice struct {
	ID    string    `json:"-"`
	Text  string    `json:"text"` // as staff typed it
	From  time.Time `json:"from"`
	Until time.Time `json:"until,omitzero"` // zero until staff end it
	// Prefix is what the ID or the name of a bot begins with that it concerns; "" for all bots.
	Prefix string `json:"prefix,omitempty"`
	// Maintenance holds the alerts of these bots.
	Maintenance bool `json:"maintenance,omitempty"`
	// Announce has those who have alerts for these bots, or follow panels with them, get a message at the beginning and at
	// the end.
	Announce bool `json:"announce,omitempty"`
}

// Concerns reports whether the notice is about a bot. Upper and lower case are the same.
func (n Notice) Concerns(serverID, name string) bool {
	prefix := strings.ToLower(n.Prefix)
	return strings.HasPrefix(strings.ToLower(serverID), prefix) || strings.HasPrefix(strings.ToLower(name), prefix)
}

// Over reports whether the time of the notice has ended.
func (n Notice) Over(now time.Time) bool { return !n.Until.IsZero() && !now.Before(n.Until) }

// InForce reports whether it is the time of the notice.
func (n Notice) InForce(now time.Time) bool { return !now.Before(n.From) && !n.Over(now) }

// Notices returns the notices that are in force or to come, by when they begin. Other processes know of a change up
// to 5 s after the one that made it.
func (o *Outages) Notices() []Notice {
	now := time.Now()
	return slices.DeleteFunc(slices.Clone(*o.noticed.Load()), func(n Notice) bool { return n.Over(now) })
}

// Notice returns a notice as it is kept now; nil if there is none.
func (o *Outages) Notice(ctx context.Context, id string) (*Notice, error) {
	r, err := o.notices.Get(ctx, id, "")
	if err != nil || r == nil {
		return nil, err
	}
	r.Value.ID = id
	return &r.Value, nil
}

// SaveNotice makes or changes a notice. One whose time has ended is removed after a while.
func (o *Outages) SaveNotice(ctx context.Context, n Notice) error {
	_, err := o.notices.Upsert(ctx, n.ID, "", record.Keep, func(r *record.Record[Notice]) bool {
		r.Value, r.Life = n, record.ForEver
		if !n.Until.IsZero() {
			r.Life = max(0, time.Until(n.Until)) + overFor
		}
		return true
	})
	if err == nil {
		_ = o.readNotices(ctx) // otherwise with the next Sync
	}
	return err
}

// readNotices reads the notices from Redis.
func (o *Outages) readNotices(ctx context.Context) error {
	records, err := o.notices.Of(ctx, "")
	if err != nil {
		return err
	}
	kept := make([]Notice, len(records))
	for i, r := range records {
		kept[i] = r.Value
		kept[i].ID = r.ID
	}
	slices.SortFunc(kept, func(a, b Notice) int { return cmp.Or(a.From.Compare(b.From), cmp.Compare(a.ID, b.ID)) })
	o.noticed.Store(&kept)
	return nil
}

// Held returns after which time it is to be asked again whether alerts of a bot are held, an interval at most as staff
// may end the maintenance; 0 if they are not. They are held one interval longer: until then the bot is seen to be back.
func (o *Outages) Held(serverID, name string) (left time.Duration) {
	now, interval := time.Now(), o.config.Interval()
	for _, n := range *o.noticed.Load() {
		switch {
		case !n.Maintenance, now.Before(n.From), !n.Concerns(serverID, name):
		case n.Until.IsZero():
			left = interval
		default:
			left = max(left, min(interval, n.Until.Add(interval).Sub(now)))
		}
	}
	return left
}
