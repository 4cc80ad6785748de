package panel

import (
	"cmp"
	"context"
	"slices"
	"time"

	"hostbot/bot/discord/message"
	"hostbot/bot/store/record"
)

// What Redis keeps in the application's space are the records of a kind.
const (
	kind   = "panels"
	format = 2 // of Panel as JSON
)

// taken is a panel that this process works on.
type taken struct {
	*record.Record[Panel]
	kept  message.State // as Redis has it
	added bool          // by this process just now, which is the first to post it
}

// add adds a panel that this process works on.
func (p *Panels) add(ctx context.Context, panel Panel) (*taken, error) {
	tried := panel
	tried.Message.Tried = time.Now().UnixMilli() // as far as others know
	r, err := p.records.Add(ctx, panel.ID, panel.OwnerID, tried, p.cfg.Timing.Work, MostPanels)
	r.Value = panel
	return &taken{r, tried.Message, true}, err
}

// keep keeps what has changed of a panel, which is due again after a time.
func (p *Panels) keep(ctx context.Context, t *taken, after time.Duration) error {
	err := p.records.Save(ctx, t.Record, after)
	if err == nil {
		t.kept = t.Value.Message
	}
	return err
}

// Reader is what others need of Panels.
type Reader interface {
	Of(ctx context.Context, customerID string) ([]Panel, error)
	Get(ctx context.Context, customerID, id string) (*Panel, error)
}

// Of returns a customer's panels, the oldest first.
func (p *Panels) Of(ctx context.Context, customerID string) ([]Panel, error) {
	records, err := p.records.Of(ctx, customerID)
	var own []Panel
	for _, r := range records {
		own = append(own, r.Value)
	}
	slices.SortFunc(own, Compare)
	return own, err
}

// Compare orders panels by their age, the oldest first.
func Compare(a, b Panel) int { // IDs grow with the time
	return cmp.Or(cmp.Compare(len(a.ID), len(b.ID)), cmp.Compare(a.ID, b.ID))
}

// Get returns a customer's panel; nil where the customer has none with that ID.
func (p *Panels) Get(ctx context.Context, customerID, id string) (*Panel, error) {
	r, err := p.records.Get(ctx, id, customerID)
	if err != nil || r == nil || r.Value.OwnerID != customerID {
		return nil, err
	}
	return &r.Value, nil
}

// Change changes a customer's panel, has its message show that soon, and returns the panel; nil where
// the customer has none with that ID. change may be called again, on a newer panel.
func (p *Panels) Change(ctx context.Context, customerID, id string, change func(*Panel)) (*Panel, error) {
	r, err := p.records.Update(ctx, id, customerID, 0, func(panel *Panel) bool {
		if panel.OwnerID != customerID {
			return false
		}
		change(panel)
		return true
	})
	if r == nil {
		return nil, err
	}
	p.cfg.Wake(ctx, kind, id)
	return &r.Value, nil
}

// Retry has a customer's panels looked at as soon as they may be edited again, but for one
// that is yet to be posted: Create may be posting it just now, or it is due by itself.
func (p *Panels) Retry(ctx context.Context, customerID string) error {
	own, err := p.Of(ctx, customerID)
	if err != nil {
		return err
	}
	var posted []string
	for _, panel := range own {
		if panel.Message.ID != "" {
			posted = append(posted, panel.ID)
		}
	}
	err = p.records.Hasten(ctx, posted...)
	if err == nil {
		p.cfg.Wake(ctx, kind, posted...)
	}
	return err
}
