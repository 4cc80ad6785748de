// Package secret holds values that must not be printed.
package secret

// Text is a secret. However it is printed, it reads <secret>.
type Text string

// Reveal returns the secret itself.
func (t Text) Reveal() string { return string(t) }

// String returns <secret>.
func (t Text) String() string { return "<secret>" }
