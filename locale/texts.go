package locale

import (
	"maps"

	"github.com/nicksnyder/go-i18n/v2/i18n"
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
	if _, m := t.find(key); m != nil {
		return m.format(args, key)
	}
	return key
}

// Count returns the form of a text that n asks for in the language's grammar,
// with n as the placeholder Count and args in the others.
func (t *Texts) Count(key string, n int, args Args) string {
	c, m := t.find(key)
	if m == nil {
		return key
	}
	counted := make(Args, len(args)+1)
	maps.Copy(counted, args)
	counted["Count"] = n
	// An error can come with a good text: the form "other", where the one that
	// n asks for is not there.
	text, err := c.localizer.Localize(&i18n.LocalizeConfig{
		MessageID:      key,
		PluralCount:    n,
		TemplateData:   m.complete(counted),
		TemplateParser: parser(),
	})
	if err != nil && text == "" {
		return key
	}
	return text
}

// find returns the message of key and the catalog that holds it, or nil for
// both where no language has it.
func (t *Texts) find(key string) (*catalog, *message) {
	if m := t.catalog.messages[key]; m != nil {
		return t.catalog, m
	}
	if m := t.fallback.messages[key]; m != nil {
		return t.fallback, m
	}
	return nil, nil
}
