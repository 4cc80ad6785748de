package locale

import (
	"bufio"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
)

// read passes the texts of a file to use, one after the other, until that returns
// false. form is the plural form, and empty for a text that has but one.
//
// A file is YAML of the simplest kind, a key and a quoted text to a line:
//
//	list.title: "Your bots"
//	list.count:
//	  one: "{{.Count}} bot"
//	  other: "{{.Count}} bots"
//
// so no library need be asked, which would take a hundred times as long.
func read(files fs.FS, name string, use func(key, form, text string) bool) error {
	file, err := files.Open(name)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }() // of which only is read
	lines := bufio.NewScanner(file)
	above := "" // the key to which plural forms belong
	for n := 1; lines.Scan(); n++ {
		line := lines.Text()
		if line == "" || line[0] == '#' {
			continue
		}
		key, value, _ := strings.Cut(line, ":")
		if key != "" && line == key+":" && !strings.HasPrefix(key, " ") {
			above = key
			continue
		}
		text, err := quoted(value)
		if err != nil {
			return fmt.Errorf("line %d: want key: \"text\", have %s", n, line)
		}
		form := ""
		switch inner, indented := strings.CutPrefix(key, "  "); {
		case !indented:
			above = ""
		case above == "":
			return fmt.Errorf("line %d: a plural form without a key: %s", n, line)
		default:
			key, form = above, inner
		}
		if !use(key, form, text) {
			return nil
		}
	}
	return lines.Err()
}

// quoted returns the text of a line after its key. A comment may follow.
func quoted(value string) (string, error) {
	value, found := strings.CutPrefix(value, " ")
	text, err := strconv.QuotedPrefix(value)
	rest := value[len(text):]
	if err != nil || !found || value[0] != '"' || rest != "" && !strings.HasPrefix(rest, " #") {
		return "", strconv.ErrSyntax
	}
	return strconv.Unquote(text)
}

// formKey returns under which key a plural form of a text is kept; the form other, and
// a text that has but one, under its own.
func formKey(key, form string) string {
	if form == "" || form == "other" {
		return key
	}
	return key + " " + form
}
