package accounts

import "time"

// SetPause changes how far calls for an account are apart.
func (c *Cache) SetPause(d time.Duration) { c.pause = d }
