package responder

import (
	"cmp"
	"errors"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"hostbot/bot/discord/rest"
	"hostbot/bot/interaction"
	"hostbot/hostapi"
)

// What the caller typed may be a password. So it is left out of the process log and of errors for staff: the
// hosting service and Discord may repeat it in theirs.

const (
	// leastTyped is the fewest characters of a typed text that is left out: a shorter one may be part of any
	// word. Each word of at least leastWord characters is left out as well.
	leastTyped = 5
	leastWord  = 8
	leftOut    = "…"
)

// untypedError is an error without what the caller typed.
type untypedError struct {
	text    string
	without error // the service's or Discord's error, without it; errors.As finds this one first
	whole   error
}

func (e *untypedError) Error() string { return e.text }

func (e *untypedError) Unwrap() []error { return []error{e.without, e.whole} }

// untyped returns an error whose text from the service or Discord is without what the caller typed.
func untyped(r *interaction.Request, err error) error {
	if service, ok := errors.AsType[*hostapi.Error](err); ok {
		without := *service
		without.Detail = withoutTyped(r, service.Detail)
		return replaced(err, service.Detail, without.Detail, &without)
	}
	if discord, ok := errors.AsType[*rest.Error](err); ok {
		without := *discord
		without.Message = withoutTyped(r, discord.Message)
		return replaced(err, discord.Message, without.Message, &without)
	}
	return err
}

// replaced returns err unless words have changed. Otherwise it returns an error with the new words, that wraps
// without before err.
func replaced(err error, words, now string, without error) error {
	if now == words {
		return err
	}
	return &untypedError{strings.ReplaceAll(err.Error(), words, now), without, err}
}

// separates reports whether a character separates words of a command line.
func separates(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("=\"'`,;", r) }

// withoutTyped returns a text without what the caller of a request typed.
func withoutTyped(r *interaction.Request, text string) string {
	var typed []string
	for _, values := range []map[string]string{r.Options, r.Fields} {
		for _, value := range values {
			if value = strings.TrimSpace(value); utf8.RuneCountInString(value) < leastTyped {
				continue
			}
			typed = append(typed, value)
			for word := range strings.FieldsFuncSeq(value, separates) {
				if utf8.RuneCountInString(word) >= leastWord {
					typed = append(typed, word)
				}
			}
		}
	}
	slices.SortFunc(typed, func(a, b string) int { return cmp.Compare(len(b), len(a)) }) // the longest first, so that no part of one stays
	for _, t := range typed {
		text = strings.ReplaceAll(text, t, leftOut)
	}
	return text
}
