package watcher

import "strconv"

// Left names a change by the state that the bot has left, and since when it had that. The name is the same in each
// process and poll until the new state is written, even if a failover loses writes.
func (c Change) Left() string {
	return string(c.From) + strconv.FormatInt(c.Since.Unix(), 10) // a history has whole seconds
}
