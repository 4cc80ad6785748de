package locale

import (
	"maps"

	"golang.org/x/text/feature/plural"
)

// Args are the arguments of a text by the name of their placeholder. Values are
// printed as fmt.Print does; numbers come formatted for the reader.
type Args map[string]any

// Texts is every text as a reader with one Discord locale sees it. It may be
// used from many goroutines at once.
type Texts struct {
	locale   string
	catalog  *catalog
	fallback *catalog // of Default
}

// Locale returns the Discord locale that the texts are for, which may be
// another than the one they are written in: en-GB reads the texts of en-US.
func (t *Texts) Locale() string { return t.locale }

// Text returns a text that has no placeholders.
func (t *Texts) Text(key string) string { return t.Format(key, nil) }

// Format returns a text with args in its placeholders.
func (t *Texts) Format(key string, args Args) string {
	_, found := t.find(key)
	if found == nil {
		return key
	}
	return found[plural.Other].with(args)
}

// Count returns the form of a text that n asks for in the language's grammar,
// with n as the placeholder Count and args in the others.
func (t *Texts) Count(key string, n int, args Args) string {
	c, found := t.find(key)
	if found == nil {
		return key
	}
	counted := make(Args, len(args)+1)
	maps.Copy(counted, args)
	counted["Count"] = n
	return c.count(found, n).with(counted)
}

// find returns the text of key and the catalog that holds it, or nil for both
// where no language has it.
func (t *Texts) find(key string) (*catalog, *text) {
	for _, c := range [...]*catalog{t.catalog, t.fallback} {
		if found := c.texts[key]; found != nil {
			return c, found
		}
	}
	return nil, nil
}
