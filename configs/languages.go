package configs

import (
	"cmp"
	"errors"
	"strings"
	"unicode/utf8"

	"hostbot/hostapi"
)

// Languages are those that are offered for a new bot. Each is an identifier of the
// service, or identifier=label|startup command|entry file.
type Languages []hostapi.Language

// set leaves the default where there are no elements.
func (l *Languages) set(elements []string) {
	if len(elements) > 0 {
		*l = nil
	}
	for _, text := range elements {
		*l = append(*l, language(text))
	}
}

// language reads one language. Parts that are left out have a default: the identifier as the
// label, and the usual startup of the languages that the service's document and the
// default setting name. A startup command may hold a | itself.
func language(text string) hostapi.Language {
	id, rest, _ := strings.Cut(text, "=")
	id = strings.TrimSpace(id)
	label, startup, _ := strings.Cut(rest, "|")
	command, entry := startup, ""
	if i := strings.LastIndex(startup, "|"); i >= 0 {
		command, entry = startup[:i], startup[i+1:]
	}
	usual := map[string]hostapi.Startup{
		"NODE":   {Command: "node index.js", EntryFile: "index.js"},
		"PYTHON": {Command: "python main.py", EntryFile: "main.py"},
	}[strings.ToUpper(id)]
	return hostapi.Language{ID: id, Label: cmp.Or(strings.TrimSpace(label), id), Startup: hostapi.Startup{
		Command: cmp.Or(strings.TrimSpace(command), usual.Command), EntryFile: cmp.Or(strings.TrimSpace(entry), usual.EntryFile),
	}}
}

// languages returns the mistake in a list of languages, or nil. Discord offers 25
// options at most, each with a label and a value of 100 characters.
func languages(list Languages) error {
	const most, longest = 25, 100
	seen := make(map[string]bool)
	for _, l := range list {
		id := strings.ToUpper(l.ID)
		switch {
		case l.ID == "", !utf8.ValidString(l.ID + l.Label + l.Startup.Command + l.Startup.EntryFile), utf8.RuneCountInString(l.ID) > longest, utf8.RuneCountInString(l.Label) > longest:
			return errors.New("is not a list of identifier or identifier=label|startup command|entry file, of 100 characters each at most, with commas between them")
		case seen[id]:
			return errors.New("names a language twice")
		}
		seen[id] = true
	}
	if len(list) > most {
		return errors.New("has more than 25 languages")
	}
	return nil
}
