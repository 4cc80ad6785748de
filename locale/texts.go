package locale

import (
	"fmt"
	"maps"
	"strings"

	"golang.org/x/text/feature/plural"
	"golang.org/x/text/language"
)

// Args are the arguments of a text by the name of their placeholder. A value of type
// int is written as the language writes numbers, any other as fmt.Print does.
type Args map[string]any

// Texts is every text in one language. It may be used from many goroutines at once.
type Texts struct {
	language language.Tag
	own      func() map[string]string // by key, as formKey has it
	instead  *Texts                   // where the language has no text; nil for Default
}

// Text returns a text that has no placeholders.
func (t *Texts) Text(key string) string {
	_, text := t.find(key)
	return text
}

// Format returns a text with args in its placeholders.
func (t *Texts) Format(key string, args Args) string {
	in, text := t.find(key)
	return in.fill(text, args)
}

// Count returns the form of a text that n asks for in the language's grammar,
// with n as the placeholder Count and args in the others.
func (t *Texts) Count(key string, n int, args Args) string {
	in, text := t.find(key)
	if form, ok := in.own()[formKey(key, in.form(n))]; ok {
		text = form
	}
	counted := make(Args, len(args)+1)
	maps.Copy(counted, args)
	counted["Count"] = n
	return in.fill(text, counted)
}

// find returns the text of key and the language that has it, or key where none does.
func (t *Texts) find(key string) (in *Texts, text string) {
	for in = t; in != nil; in = in.instead {
		if text, ok := in.own()[key]; ok {
			return in, text
		}
	}
	return t, key
}

// form names the plural form that a whole number asks for.
func (t *Texts) form(n int) string {
	names := [...]string{plural.Zero: "zero", plural.One: "one", plural.Two: "two", plural.Few: "few", plural.Many: "many", plural.Other: "other"}
	return names[plural.Cardinal.MatchPlural(t.language, max(n, -n), 0, 0, 0, 0)]
}

// fill puts args into the placeholders of a text. Whole numbers are written as the
// language writes them.
func (t *Texts) fill(text string, args Args) string {
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
		case int:
			filled = append(filled, t.Number(value)...)
		default:
			filled = fmt.Append(filled, value)
		}
		text = after
	}
}
