package watcher

import "strconv"

// Left names the state that a bot has left, and since when it had that: a change has one name, whichever
// process sees it. Each poll sees that alike until the new state is written, also if a failover
// has lost what was written.
func (c Change) Left() string {
	return string(c.From) + strconv.FormatInt(c.Since.Unix(), 10) // a history has whole seconds
}
