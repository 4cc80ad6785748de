package panel

import "context"

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
