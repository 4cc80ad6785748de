package bot

import (
	"sync"
	"time"
)

// connection is what is known of the connection to Discord beyond whether it
// stands.
type connection struct {
	applications chan string // the application's ID, from the first session on

	mu     sync.Mutex
	lostAt time.Time // zero while connected
}

// connected is told of a new session.
func (b *Bot) connected(applicationID string) {
	b.log.Info().Str("application", applicationID).Msg("connected to discord")
	b.connection.found()
	b.telling.Go(b.stafflog.Connected)
	select {
	case b.connection.applications <- applicationID:
	default: // the commands are registered once
	}
}

// resumed is told that a lost session goes on.
func (b *Bot) resumed() {
	after := b.connection.found()
	b.log.Info().Dur("after", after).Msg("connection to discord resumed")
	b.telling.Go(func() { b.stafflog.Resumed(after) })
}

// lost is told of every attempt that failed; staff read of the first.
func (b *Bot) lost(reason error) {
	b.log.Warn().Err(reason).Msg("connection to discord lost")
	if b.connection.lose() {
		b.telling.Go(func() { b.stafflog.Disconnected(reason) })
	}
}

// lose notes the loss and tells whether it is news.
func (c *connection) lose() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.lostAt.IsZero() {
		return false
	}
	c.lostAt = time.Now()
	return true
}

// found notes that the connection stands and returns for how long it did not.
func (c *connection) found() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.lostAt.IsZero() {
		return 0
	}
	after := time.Since(c.lostAt)
	c.lostAt = time.Time{}
	return after
}
