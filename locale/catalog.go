package locale

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/nicksnyder/go-i18n/v2/i18n"
)

// catalog is the texts of one file.
type catalog struct {
	others    map[string]*form // the form "other" of each text, which it shows without a count
	localizer *i18n.Localizer  // of texts with a count
}

// loadCatalog reads the file name of files, adds it to bundle, which knows the
// plural rules, and checks each of its texts.
func loadCatalog(bundle *i18n.Bundle, files fs.FS, name string) (*catalog, error) {
	content, err := fs.ReadFile(files, name)
	if err != nil {
		return nil, err
	}
	file, err := bundle.ParseMessageFileBytes(content, name)
	if err != nil {
		return nil, err
	}
	c := &catalog{
		others:    make(map[string]*form, len(file.Messages)),
		localizer: i18n.NewLocalizer(bundle, file.Tag.String()),
	}
	for _, m := range file.Messages {
		if c.others[m.ID], err = parseForms(m); err != nil {
			return nil, fmt.Errorf("key %s: %w", m.ID, err)
		}
	}
	return c, nil
}

// parseForms checks all forms of a text and returns its form "other".
func parseForms(m *i18n.Message) (other *form, err error) {
	if m.Other == "" {
		return nil, errors.New("no text")
	}
	for _, text := range []string{m.Zero, m.One, m.Two, m.Few, m.Many, m.Other} {
		if other, err = parseForm(text); err != nil {
			return nil, err
		}
	}
	return other, nil
}

// count returns the text of key in the plural form that n asks for.
func (c *catalog) count(key string, n int, args Args) string {
	// An error can come with a good text: the form "other", where the one that
	// n asks for is not there.
	text, err := c.localizer.Localize(&i18n.LocalizeConfig{
		MessageID: key, PluralCount: n, TemplateData: args, TemplateParser: formParser{},
	})
	if err != nil && text == "" {
		return key
	}
	return text
}
