package bot

import "time"

// connected is told of a new session.
func (b *Bot) connected(applicationID string) {
	b.log.Info().Str("application", applicationID).Msg("connected to discord")
	b.lostAt = time.Time{}
	b.telling.Go(b.stafflog.Connected)
	select {
	case b.applications <- applicationID:
	default: // the commands are registered once
	}
}

// resumed is told that a lost session goes on.
func (b *Bot) resumed() {
	after := time.Since(b.lostAt)
	b.lostAt = time.Time{}
	b.log.Info().Dur("after", after).Msg("connection to discord resumed")
	b.telling.Go(func() { b.stafflog.Resumed(after) })
}

// lost is told of every attempt that failed; staff read of the first.
func (b *Bot) lost(reason error) {
	b.log.Warn().Err(reason).Msg("connection to discord lost")
	if b.lostAt.IsZero() {
		b.lostAt = time.Now()
		b.telling.Go(func() { b.stafflog.Disconnected(reason) })
	}
}
