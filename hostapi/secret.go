package hostapi

import "hostbot/hostapi/secret"

// secretInUse is the secret that requests carry. It is kept in functions: package fmt would print
// a field that is not exported without asking its String method.
type secretInUse struct {
	is            func(secret.Text) bool
	authorization func() string
	own           func(text string) string // masks it
	mask          func(text string) string // masks what the service and the network say
}

func newSecretInUse(s secret.Text) *secretInUse {
	own := masking(s.Reveal(), s.String())
	return &secretInUse{
		is:            func(other secret.Text) bool { return s == other },
		authorization: func() string { return "Bearer " + s.Reveal() },
		own:           own, mask: own,
	}
}

// SetSecret has requests carry another secret from the next one on, and reports whether it is
// another. What is wrong with a secret is as Validate says; the one before stays then.
func (c *Client) SetSecret(s secret.Text) (changed bool, err error) {
	if err := s.CheckHeader(); err != nil {
		return false, err
	}
	before := c.secret.Load()
	if before.is(s) {
		return false, nil
	}
	after := newSecretInUse(s)
	// The answers to requests that are under way may repeat the one before.
	after.mask = func(text string) string { return before.own(after.own(text)) }
	c.secret.Store(after)
	return true, nil
}
