package panel

import (
	"context"
	"errors"

	"hostbot/bot/store/record"
)

// changeAttempts is how often a change of a panel is tried that meets others.
const changeAttempts = 10

// Change changes a customer's panel, has its message show that soon, and returns the panel; nil where
// the customer has none with that ID. Where somebody else changes the panel at the same time, it begins again.
func (p *Panels) Change(ctx context.Context, customerID, id string, change func(*Panel)) (*Panel, error) {
	err := record.ErrConflict
	for range changeAttempts {
		var r *record.Record[Panel]
		if r, err = p.records.Get(ctx, id, customerID); err != nil {
			return nil, err
		}
		if r == nil || r.Value.OwnerID != customerID {
			return nil, nil
		}
		change(&r.Value)
		if err = p.records.Save(ctx, r, 0); err == nil {
			p.Wake(ctx, kind, id)
			return &r.Value, nil
		}
		if !errors.Is(err, record.ErrConflict) {
			return nil, err
		}
	}
	return nil, err
}
