package hostapi

import (
	"net/http"
	"sync"
	"time"

	"hostbot/hostapi/secret"
)

// secretInUse is the secret that requests carry. It is kept in closures: package fmt does not call the String method of
// an unexported field, so it would print the secret.
type secretInUse struct {
	text func() secret.Text
	own  func(text string) string // masks it
	mask func(text string) string // masks what the service and the network say
}

func newSecretInUse(s secret.Text) *secretInUse {
	own := masking(s.Reveal(), s.String())
	return &secretInUse{text: func() secret.Text { return s }, own: own, mask: own}
}

// SetSecret sets the secret of all later requests, and reports whether it differs from the one before. If the new secret
// is invalid, the one before stays, and the error is that of Config.Validate.
func (c *Client) SetSecret(s secret.Text) (changed bool, err error) {
	if err := s.CheckHeader(); err != nil {
		return false, err
	}
	before := c.secret.Load()
	if before.text() == s {
		return false, nil
	}
	after := newSecretInUse(s)
	// The answers to requests that are under way may repeat the one before.
	after.mask = func(text string) string { return before.own(after.own(text)) }
	c.secret.Store(after)
	return true, nil
}

// renewPause is between two looks for another secret.
const renewPause = time.Second

// renewal looks for another secret when the service refuses the one in use.
type renewal struct {
	look func() // Config.OnRefused; nil: there is no other

	mu   sync.Mutex
	next time.Time // when it may look again
}

// renewed reports whether a call failed because its secret was refused, and another secret is in use by now. Calls that
// are refused at the same time look for another secret only once.
func (c *Client) renewed(used *secretInUse, failure *Error) bool {
	if failure == nil || failure.Code != CodeUnauthorized || failure.Status != http.StatusUnauthorized {
		return false
	}
	r := c.renewal
	r.mu.Lock()
	defer r.mu.Unlock()
	if now := time.Now(); r.look != nil && c.secret.Load() == used && !now.Before(r.next) {
		r.next = now.Add(renewPause)
		r.look()
	}
	return c.secret.Load() != used
}
