package locale

import (
	"cmp"
	"fmt"
	"maps"
	"strings"

	"github.com/nicksnyder/go-i18n/v2/i18n"
	"golang.org/x/text/feature/plural"
	"golang.org/x/text/language"
)

// Args are the arguments of a text by the name of their placeholder. Values are
// printed as fmt.Print does; numbers come formatted for the reader.
type Args map[string]any

// Texts is every text in one language. It may be used from many goroutines at once.
type Texts struct {
	bundle   *Bundle
	language language.Tag
	messages map[string]*i18n.Message // by key
}

// Text returns a text that has no placeholders.
func (t *Texts) Text(key string) string { return t.Format(key, nil) }

// Format returns a text with args in its placeholders.
func (t *Texts) Format(key string, args Args) string {
	_, found := t.find(key)
	if found == nil {
		return key
	}
	return fill(found.Other, args)
}

// Count returns the form of a text that n asks for in the language's grammar,
// with n as the placeholder Count and args in the others.
func (t *Texts) Count(key string, n int, args Args) string {
	in, found := t.find(key)
	if found == nil {
		return key
	}
	counted := make(Args, len(args)+1)
	maps.Copy(counted, args)
	counted["Count"] = n
	return fill(in.form(found, n), counted)
}

// find returns the text of key and the language that has it, or nil for both
// where none does.
func (t *Texts) find(key string) (*Texts, *i18n.Message) {
	for _, t := range [...]*Texts{t, t.bundle.languages[Default]} {
		if found := t.messages[key]; found != nil {
			return t, found
		}
	}
	return nil, nil
}

// form returns the form of a text that n asks for.
//
// go-i18n could tell as well, but with a text/template, for whose sake the
// linker keeps every method of the program: 9 MB of 26.
func (t *Texts) form(m *i18n.Message, n int) string {
	forms := [...]string{
		plural.Zero: m.Zero, plural.One: m.One, plural.Two: m.Two, plural.Few: m.Few, plural.Many: m.Many, plural.Other: m.Other,
	}
	return cmp.Or(forms[plural.Cardinal.MatchPlural(t.language, max(n, -n), 0, 0, 0, 0)], m.Other)
}

// fill puts args into the placeholders of a text.
func fill(text string, args Args) string {
	if !strings.Contains(text, "{{.") {
		return text
	}
	filled := make([]byte, 0, 128) // on the stack, where it is enough: most texts are a line
	for {
		before, rest, found := strings.Cut(text, "{{.")
		filled = append(filled, before...)
		if !found {
			return string(filled)
		}
		name, after, _ := strings.Cut(rest, "}}")
		switch value := args[name].(type) {
		case nil:
			filled = append(filled, '?')
		case string:
			filled = append(filled, value...)
		default:
			filled = fmt.Append(filled, value)
		}
		text = after
	}
}
