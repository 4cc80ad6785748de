package configs

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// pasted returns what a value has that belongs to the place from which it was copied, or nil. Docker's
// --env-file, and the lists of a compose file, take quotes for a part of the value
// (https://github.com/docker/cli/issues/3630); an editor on Windows adds a byte order mark and carriage returns;
// a page, a chat or a phone has no-break spaces, invisible characters and quotes of its own; and echo, before base64,
// a line break. No setting means any of that, not even a secret: a value that begins and ends with quotes is
// practically always one that somebody quoted.
func pasted(value string) error {
	switch first, last := edges(value); {
	case value == "":
		return nil
	case !utf8.ValidString(value):
		return errors.New("is not UTF-8: save its file as UTF-8 without a byte order mark")
	case first == byteOrderMark:
		return errors.New("begins with a byte order mark: save its file as UTF-8 without one")
	case strings.HasSuffix(strings.TrimSuffix(value, "\n"), "\r"):
		return errors.New("ends with a carriage return: its file has Windows line endings")
	case last == '\n':
		return errors.New("ends with a line break")
	case isSpace(first):
		return errors.New("begins with " + called(first))
	case isSpace(last):
		return errors.New("ends with " + called(last))
	case inQuotes(value):
		return errors.New("stands in quotes; write it without")
	}
	before := rune(0)
	for _, r := range value {
		if isForeign(r) && !joins(before, r) {
			return errors.New("holds " + called(r))
		}
		before = r
	}
	return nil
}

const byteOrderMark = '\uFEFF'

func edges(text string) (first, last rune) {
	first, _ = utf8.DecodeRuneInString(text)
	last, _ = utf8.DecodeLastRuneInString(text)
	return first, last
}

// inQuotes reports whether the whole of a text does. Those of a typewriter must be the same at both ends. Of others
// Unicode knows most as a first or a last one.
func inQuotes(text string) bool {
	first, last := edges(text)
	isQuote := func(r rune) bool {
		return strings.ContainsRune("\"'`´„‚″′＂＇「」『』", r) || unicode.In(r, unicode.Pi, unicode.Pf)
	}
	return utf8.RuneCountInString(text) > 1 && isQuote(first) && isQuote(last) && (first == last || max(first, last) > unicode.MaxASCII)
}

// isForeign reports whether no setting means a character: one that cannot be seen, or a space that is none of
// ASCII's. Line breaks and tabs may stand in a list.
func isForeign(r rune) bool {
	return r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r > unicode.MaxASCII && unicode.IsSpace(r))
}

func isSpace(r rune) bool { return unicode.IsSpace(r) || isForeign(r) }

// joins reports whether a joiner has something to join, as it does in many emojis, and in the scripts of Persian
// and of India.
func joins(before, r rune) bool {
	const nonJoiner, joiner = '\u200C', '\u200D'
	return (r == nonJoiner || r == joiner) && before > unicode.MaxASCII
}

// called names a character that nobody sees.
func called(r rune) string {
	switch r {
	case ' ':
		return "a space"
	case '\t':
		return "a tab"
	case '\r':
		return "a carriage return: its file has Windows line endings"
	case '\u00A0', '\u202F', '\u2007':
		return "a no-break space"
	case byteOrderMark:
		return "a byte order mark"
	}
	switch {
	case unicode.IsControl(r):
		return "a control character"
	case unicode.IsSpace(r):
		return fmt.Sprintf("a space that is not the usual one (%U)", r)
	}
	return fmt.Sprintf("an invisible character (%U)", r)
}

// pastedNames notes the variables whose names have something at their ends that nobody meant, as the first of a
// file has that begins with a byte order mark. They count as set.
func (l *loader) pastedNames(names map[string]string) {
	settings := settingsIn("", reflect.ValueOf(l.settings).Elem())
	for _, name := range slices.Sorted(maps.Keys(names)) {
		meant := strings.TrimFunc(name, func(r rune) bool { return isSpace(r) || r == '"' || r == '\'' })
		if meant != name && slices.ContainsFunc(settings, func(s setting) bool { return s.variable == meant }) {
			l.wrong[meant] = true
			l.mistake("%s has a quote, a space or a byte order mark before or after its name", meant)
		}
	}
}

// pastedProxies looks at the variables that Go reads by itself (https://pkg.go.dev/net/http#ProxyFromEnvironment). It goes
// without a proxy where it cannot read the address of one.
func (l *loader) pastedProxies(environ map[string]string) {
	for _, name := range []string{"HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "NO_PROXY", "no_proxy"} {
		if wrong := pasted(environ[name]); wrong != nil {
			l.mistake("%s %w", name, wrong)
		}
	}
}
