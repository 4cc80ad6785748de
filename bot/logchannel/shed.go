package logchannel

import "context"

// shedPage is how many records are looked at at once.
const shedPage = 500

// shed makes a summary of the oldest errors where too much is waiting, and tells
// whether it did. Other records stay, however many there are.
func (d *deliverer) shed(ctx context.Context, q queue, h head) (bool, error) {
	if h.waiting <= max(d.maxWaiting, d.shedAt) {
		return false, nil
	}
	left := d.maxWaiting - d.maxWaiting/10 // so that not every error is shed by itself
	errors, err := oldestErrors(ctx, q, h.plan, h.waiting-left)
	if err != nil {
		return false, err
	}
	if len(errors) == 0 {
		d.shedAt = h.waiting + shedPage
		return false, nil
	}
	next := h.state
	sum := &next.Summary
	if h.plan != nil && h.plan.Summary {
		sum = &next.Later
	}
	*sum = (*sum).copy()
	positions, folded := make([]string, len(errors)), 0
	for i, r := range errors {
		(*sum).add(r)
		positions[i] = r.position
		folded += r.Tally.Count
	}
	if err := q.commit(ctx, next, positions, false); err != nil {
		return false, err
	}
	d.shedAt = 0
	d.channel.figures.fold(folded)
	d.log.Warn().Int("errors", folded).Int("waiting", h.waiting).Msg("a log channel is too far behind: its oldest errors are summed up")
	return true, nil
}

// oldestErrors returns errors that wait, so many at most, and are not about to be
// told.
func oldestErrors(ctx context.Context, q queue, underway *plan, count int) ([]record, error) {
	told := make(map[string]bool)
	if underway != nil {
		for _, position := range underway.Covers {
			told[position] = true
		}
	}
	var errors []record
	position := ""
	for {
		page, err := q.after(ctx, position, shedPage)
		if err != nil || len(page) == 0 {
			return errors, err
		}
		for _, r := range page {
			position = r.position
			if r.Category == Errors && !told[position] {
				errors = append(errors, r)
			}
			if len(errors) == count {
				return errors, nil
			}
		}
	}
}
