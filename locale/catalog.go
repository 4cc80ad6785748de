package locale

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/nicksnyder/go-i18n/v2/i18n"
	"go.yaml.in/yaml/v4"
	"golang.org/x/text/feature/plural"
	"golang.org/x/text/language"
)

// catalog is the texts of one file.
type catalog struct {
	language language.Tag
	texts    map[string]*text // by key
}

// text is what a key stands for in one language, in the plural forms that it
// has there; all have "other".
type text [plural.Many + 1]*form

// loadCatalog reads the file name of files, which is in go-i18n's format, and
// checks each of its texts.
func loadCatalog(files fs.FS, name string) (*catalog, error) {
	content, err := fs.ReadFile(files, name)
	if err != nil {
		return nil, err
	}
	file, err := i18n.ParseMessageFileBytes(content, name, map[string]i18n.UnmarshalFunc{"yaml": yaml.Unmarshal})
	if err != nil {
		return nil, err
	}
	c := &catalog{language: file.Tag, texts: make(map[string]*text, len(file.Messages))}
	for _, m := range file.Messages {
		if c.texts[m.ID], err = parseText(m); err != nil {
			return nil, fmt.Errorf("key %s: %w", m.ID, err)
		}
	}
	return c, nil
}

func parseText(m *i18n.Message) (*text, error) {
	if m.Other == "" {
		return nil, errors.New("no text")
	}
	t := &text{}
	for number, written := range map[plural.Form]string{
		plural.Zero: m.Zero, plural.One: m.One, plural.Two: m.Two, plural.Few: m.Few, plural.Many: m.Many, plural.Other: m.Other,
	} {
		if written == "" {
			continue
		}
		var err error
		if t[number], err = parseForm(written); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// count returns the form of a text that n asks for in the catalog's language.
//
// go-i18n could tell as well, but with a text/template, for whose sake the
// linker keeps every method of the program: 9 MB of 26.
func (c *catalog) count(t *text, n int) *form {
	if asked := t[plural.Cardinal.MatchPlural(c.language, max(n, -n), 0, 0, 0, 0)]; asked != nil {
		return asked
	}
	return t[plural.Other]
}
