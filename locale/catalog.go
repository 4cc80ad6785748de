package locale

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/nicksnyder/go-i18n/v2/i18n"
)

// missing is what a reader sees in place of an argument that was not given.
const missing = "?"

var placeholder = regexp.MustCompile(`\{\{\.([A-Z][A-Za-z]*)\}\}`)

// catalog is the texts of one file.
type catalog struct {
	messages  map[string]*message
	localizer *i18n.Localizer
}

// message is what there is to know of a text before go-i18n is asked for it.
type message struct {
	// fixed is the text, or its form "other", where there are no placeholders:
	// most texts are shown without any work.
	fixed        string
	placeholders []string // of all plural forms
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
		messages:  make(map[string]*message, len(file.Messages)),
		localizer: i18n.NewLocalizer(bundle, file.Tag.String()),
	}
	for _, m := range file.Messages {
		if c.messages[m.ID], err = parseMessage(m); err != nil {
			return nil, fmt.Errorf("key %s: %w", m.ID, err)
		}
	}
	return c, nil
}

func parseMessage(m *i18n.Message) (*message, error) {
	if m.Other == "" {
		return nil, errors.New("no text")
	}
	var placeholders []string
	for _, form := range []string{m.Zero, m.One, m.Two, m.Few, m.Many, m.Other} {
		names, err := parsePlaceholders(form)
		if err != nil {
			return nil, err
		}
		placeholders = append(placeholders, names...)
	}
	if len(placeholders) == 0 {
		return &message{fixed: m.Other}, nil
	}
	slices.Sort(placeholders)
	return &message{placeholders: slices.Compact(placeholders)}, nil
}

// parsePlaceholders returns the names of the placeholders in text. What else a
// template could do is refused, so that no text can fail when it is shown.
func parsePlaceholders(text string) ([]string, error) {
	if rest := placeholder.ReplaceAllString(text, ""); strings.Contains(rest, "{{") || strings.Contains(rest, "}}") {
		return nil, fmt.Errorf("%q holds more of a template than placeholders such as {{.Name}}", text)
	}
	var names []string
	for _, match := range placeholder.FindAllStringSubmatch(text, -1) {
		names = append(names, match[1])
	}
	return names, nil
}

// complete returns args with a value for each placeholder, since a template
// prints "<no value>" for one that is absent or nil. The caller's map is not
// changed.
func (m *message) complete(args Args) Args {
	complete, copied := args, false
	for _, name := range m.placeholders {
		if args[name] != nil {
			continue
		}
		if !copied {
			complete, copied = make(Args, len(m.placeholders)), true
			maps.Copy(complete, args)
		}
		complete[name] = missing
	}
	return complete
}

// localize returns the text of key in the plural form that count asks for, or
// in the form "other" where count is nil. Where an argument is of a kind that
// cannot be printed, it returns key.
func (c *catalog) localize(key string, count any, args Args) string {
	// An error can come with a good text: the form "other", where the one that
	// count asks for is not there.
	text, err := c.localizer.Localize(&i18n.LocalizeConfig{MessageID: key, PluralCount: count, TemplateData: args})
	if err != nil && text == "" {
		return key
	}
	return text
}
