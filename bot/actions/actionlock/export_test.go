package actionlock

import "time"

// RenewEvery changes how often locks are renewed in Redis.
func (l *Locks) RenewEvery(d time.Duration) { l.renewal = d }
