package bot

import "time"

// guardAlone is told that this process alone sees to it that actions are not
// done twice.
func (b *Bot) guardAlone(reason error) {
	b.log.Warn().Err(reason).Msg("redis does not answer: other processes' actions are not seen")
	b.journal.GuardAlone(reason)
}

// guardShared is told that all processes do so together again.
func (b *Bot) guardShared(after time.Duration) {
	b.log.Info().Dur("after", after).Msg("redis answers again: other processes' actions are seen")
	b.journal.GuardShared(after)
}
