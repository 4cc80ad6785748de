package following

import (
	"context"
	"errors"
	"slices"
	"time"

	"hostbot/bot/store/record"
	"hostbot/bot/watch/history"
	"hostbot/bot/watch/panel"
	"hostbot/bot/watch/watcher"
	"hostbot/hostapi"
)

const (
	// changeAttempts is how often what is down is changed where others do so at the same time.
	changeAttempts = 10
	// fallenFor is for how long it is kept which bots are down, and recoveredFor that one is back:
	// longer than any message waits.
	fallenFor, recoveredFor = 90 * 24 * time.Hour, 24 * time.Hour
)

// fallen are the bots of an owner that went down, by ID.
type fallen map[string]outage

// outage is that of a bot.
type outage struct {
	ID          string        `json:"id"` // as watcher.Change.Left has it
	Name        string        `json:"name"`
	State       hostapi.State `json:"state"`
	DownAt      time.Time     `json:"down"`
	RecoveredAt time.Time     `json:"recovered,omitzero"` // zero: it is still down
}

// down returns the outages of bots that are down.
func (f fallen) down() map[string]string {
	down := make(map[string]string)
	for serverID, o := range f {
		if o.RecoveredAt.IsZero() {
			down[serverID] = o.ID
		}
	}
	return down
}

// note notes a change of a bot, and reports whether it says anything new.
func (f fallen) note(c watcher.Change) bool {
	o, known := f[c.ServerID]
	id := c.Left()
	switch {
	case c.Unexpected && (!known || o.ID != id):
		f[c.ServerID] = outage{ID: id, Name: c.Name, State: c.To, DownAt: c.At}
	case c.To == hostapi.StateRunning && known && o.RecoveredAt.IsZero():
		o.RecoveredAt = c.At
		f[c.ServerID] = o
	case c.To == history.Gone && known:
		delete(f, c.ServerID)
	default:
		return false
	}
	return true
}

// prune forgets bots that have been back for long.
func (f fallen) prune(now time.Time) {
	for serverID, o := range f {
		if !o.RecoveredAt.IsZero() && now.Sub(o.RecoveredAt) > recoveredFor {
			delete(f, serverID)
		}
	}
}

// fallenOf returns which bots of an owner went down. It is never nil without an error.
func (f *Following) fallenOf(ctx context.Context, ownerID string) (*record.Record[fallen], error) {
	r, err := f.fallen.Get(ctx, ownerID, ownerID)
	if err == nil && r == nil {
		r = f.fallen.New(ownerID, ownerID)
	}
	if r != nil && r.Value == nil {
		r.Value = make(fallen)
	}
	return r, err
}

// Changed has those told who follow panels with bots that went down or are back. It may be told of a
// change twice.
func (f *Following) Changed(ctx context.Context, changes []watcher.Change) error {
	concerns := func(c watcher.Change) bool {
		return c.Unexpected || c.To == hostapi.StateRunning || c.To == history.Gone
	}
	return watcher.ByCustomer(changes, concerns, func(ownerID string, own []watcher.Change) error { return f.changed(ctx, ownerID, own) })
}

func (f *Following) changed(ctx context.Context, ownerID string, changes []watcher.Change) error {
	followers, err := f.concerned(ctx, ownerID, changes)
	if err != nil || len(followers) == 0 {
		return err
	}
	for range changeAttempts {
		if err = f.note(ctx, ownerID, changes); !errors.Is(err, record.ErrConflict) {
			break
		}
	}
	if err != nil {
		return err
	}
	if err := f.follows.Schedule(ctx, followers...); err != nil {
		return err
	}
	f.Wake(ctx, followKind, followers...)
	return nil
}

// concerned returns the follows of panels on which bots have changed.
func (f *Following) concerned(ctx context.Context, ownerID string, changes []watcher.Change) (ids []string, err error) {
	panels, err := f.Panels.Of(ctx, ownerID)
	if err != nil {
		return nil, err
	}
	for _, p := range panels {
		if !shows(p, changes) {
			continue
		}
		followers, err := f.follows.Of(ctx, p.ID)
		if err != nil {
			return nil, err
		}
		for _, r := range followers {
			ids = append(ids, r.ID)
		}
	}
	return ids, nil
}

// shows reports whether a panel shows one of the bots that have changed.
func shows(p panel.Panel, changes []watcher.Change) bool {
	return slices.ContainsFunc(changes, func(c watcher.Change) bool { return slices.Contains(p.Bots, c.ServerID) })
}

// note keeps what changes have made of an owner's bots.
func (f *Following) note(ctx context.Context, ownerID string, changes []watcher.Change) error {
	r, err := f.fallenOf(ctx, ownerID)
	if err != nil {
		return err
	}
	news := false
	for _, c := range changes {
		news = r.Value.note(c) || news
	}
	if !news {
		return nil
	}
	r.Value.prune(changes[0].At)
	r.Life = fallenFor
	return f.fallen.Save(ctx, r, record.Never)
}
