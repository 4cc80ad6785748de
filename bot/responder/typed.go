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

// What the caller typed is in no line of the process log, and no error that staff read: it may be a
// password. The hosting service, and Discord, may repeat it in their words.

const (
	// leastTyped is how many characters a text has at least that is left out: a shorter one may be a part
	// of any word. Of a longer text each word is left out that has leastWord.
	leastTyped = 5
	leastWord  = 8
	leftOut    = "…"
)

// untypedError is an error in whose text nothing is that the caller typed, nor in its service's or
// Discord's error.
type untypedError struct {
	text    string
	without error // found before the same in whole
	whole   error
}

func (e *untypedError) Error() string { return e.text }

func (e *untypedError) Unwrap() []error { return []error{e.without, e.whole} }

// untyped returns an error in which the service's words, or Discord's, are without what the caller of a
// request typed.
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

// replaced returns an error with other words in its text, if they are others, and without in the place
// of the error that has the words.
func replaced(err error, words, now string, without error) error {
	if now == words {
		return err
	}
	return &untypedError{strings.ReplaceAll(err.Error(), words, now), without, err}
}

// separates tells of what stands between the words of a command.
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
	slices.SortFunc(typed, func(a, b string) int { return cmp.Compare(len(b), len(a)) }) // so that no part of a longer one stays
	for _, t := range typed {
		text = strings.ReplaceAll(text, t, leftOut)
	}
	return text
}
