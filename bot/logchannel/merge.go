package logchannel

import "context"

// merge makes one of equal errors among the oldest records, and tells whether
// there were any. Other records stay, however many there are. So do those that
// a plan tells of.
func (ch *channel) merge(ctx context.Context, q queue, s state) (bool, error) {
	waiting, err := q.oldest(ctx, ch.MaxWaiting)
	if err != nil {
		return false, err
	}
	groups := make(map[string][]record)
	for _, r := range waiting {
		if r.Group != "" && !s.Plan.covers(r.ID) {
			groups[r.Group] = append(groups[r.Group], r)
		}
	}
	var merged []record
	var done []string
	for _, equal := range groups {
		if len(equal) == 1 {
			continue
		}
		one := equal[0]
		one.ID = idOf("merged " + one.ID) // the same where this is cut off and repeated
		one.Tally = tally{}
		for _, r := range equal {
			one.Tally.add(r.Tally)
			done = append(done, r.ID)
		}
		merged = append(merged, one)
	}
	if len(merged) == 0 {
		return false, nil
	}
	if q == ch.stream {
		if err := ch.stream.add(ctx, merged); err != nil {
			return false, err
		}
	}
	ch.outbox.keep(merged)
	ch.log.Warn().Int("entries", len(done)).Int("kinds", len(merged)).Msg("a log channel is too far behind: equal errors are told together")
	return true, q.save(ctx, s, done)
}
