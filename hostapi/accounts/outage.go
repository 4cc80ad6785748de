package accounts

import (
	"sync/atomic"

	"github.com/rs/zerolog"
)

// outage logs when something begins to fail and when it is over, and nothing in
// between.
type outage struct {
	log    zerolog.Logger
	doing  string
	active atomic.Bool
}

// note takes the outcome of the latest attempt.
func (o *outage) note(err error) {
	switch {
	case err != nil && o.active.CompareAndSwap(false, true):
		o.log.Warn().Err(err).Str("doing", o.doing).Msg("the account cache cannot be used")
	case err == nil && o.active.CompareAndSwap(true, false):
		o.log.Info().Str("doing", o.doing).Msg("the account cache can be used again")
	}
}
