// Package secret holds values that must not be printed.
package secret

import (
	"errors"
	"fmt"
	"io"
	"strings"
)

// mask is what a reader sees in the place of a secret.
const mask = "<secret>"

// maxHeader bounds a secret in a header, in bytes. It keeps the header within what
// servers accept, and the secret findable in what they send back.
const maxHeader = 1024

// Text is a secret. Printed with fmt, written to a log or marshalled to JSON,
// YAML or text, it reads <secret>, whether it is empty or not.
//
// Three uses go around that, as printers do not ask the value: a Text in an
// unexported field of a struct that is printed whole, a Text as the key of a map
// that is marshalled, and the verb %p, which vet reports.
type Text string

// Reveal returns the secret itself.
func (t Text) Reveal() string { return string(t) }

// String returns <secret>.
func (t Text) String() string { return mask }

// Format writes <secret> for every verb and flag.
func (t Text) Format(state fmt.State, _ rune) { _, _ = io.WriteString(state, mask) }

// MarshalText returns <secret>. JSON, YAML and structured logs use it.
func (t Text) MarshalText() ([]byte, error) { return []byte(mask), nil }

// CheckHeader returns what keeps the secret from standing in an HTTP header, or
// nil. A secret that it lets through can be found in any text that holds it.
func (t Text) CheckHeader() error {
	switch {
	case t == "":
		return errors.New("is missing")
	case len(t) > maxHeader:
		return fmt.Errorf("is longer than %d bytes", maxHeader)
	case strings.ContainsFunc(string(t), func(r rune) bool { return r <= ' ' || r > '~' }):
		return errors.New("holds white space, or a character that is not printable ASCII")
	}
	return nil
}
