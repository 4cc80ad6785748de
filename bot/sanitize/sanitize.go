// Package sanitize makes text from outside fit to be shown on Discord. Names,
// statuses and errors come from the hosting service and its customers: they may
// be endless, mention people, format, link, hide in invisible characters or
// turn the writing direction around.
//
// What is written from right to left does not move what stands beside it.
//
// Lengths are in Unicode code points; an ellipsis stands for what was cut off
// and counts. A result may be empty.
package sanitize

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/bidi"
)

// Plain returns text in one line of at most limit characters, for places where
// Discord renders no markdown: labels, options of a select menu, suggestions,
// footers, log lines.
func Plain(text string, limit int) string { return isolated(text, limit, cleaned) }

// Markdown returns text in one line of at most limit characters that shows as
// it is where Discord renders markdown: nothing in it formats, links or
// mentions. Backslashes that this takes count.
func Markdown(text string, limit int) string { return isolated(text, limit, escaped) }

// cleaned is Plain without an isolate.
func cleaned(text string, limit int) string {
	if isClean(text, limit) {
		return text
	}
	return string(plain(text, limit))
}

// escaped is Markdown without an isolate.
func escaped(text string, limit int) string {
	text = cleaned(text, limit)
	marked := 0
	for i := range len(text) {
		if isMarkup(text, i) {
			marked++
		}
	}
	switch {
	case marked == 0: // as most texts
		return text
	case utf8.RuneCountInString(text)+marked <= limit:
		return withBackslashes(text, marked)
	}
	var out strings.Builder
	out.Grow(len(text) + 8)
	count := 0 // of characters in out
	fits := 0  // how much of out leaves room for an ellipsis
	for i, r := range text {
		markup := isMarkup(text, i)
		if markup {
			out.WriteByte('\\')
			count++
		}
		out.WriteRune(r)
		// An underscore is plain for what follows it, which an ellipsis is not.
		if count++; count < limit && (r != '_' || markup) {
			fits = out.Len()
		}
	}
	return out.String()[:fits] + "…"
}

// withBackslashes escapes so many characters of a text.
func withBackslashes(text string, marked int) string {
	var out strings.Builder
	out.Grow(len(text) + marked)
	for i := range len(text) {
		if isMarkup(text, i) {
			out.WriteByte('\\')
		}
		out.WriteByte(text[i])
	}
	return out.String()
}

// Code returns text as inline code of at most limit characters, or "" where
// nothing of it can be shown.
func Code(text string, limit int) string {
	p := Plain(text, limit-2)
	if p == "" {
		return ""
	}
	return "`" + strings.ReplaceAll(p, "`", "ˋ") + "`" // inline code knows no escape
}

// isolated returns a clean text. One that is written from right to left goes into an
// isolate: what stands beside it stays where it is (Unicode Standard Annex #9, "Explicit
// Directional Isolates"). The two characters that this takes count.
func isolated(text string, limit int, clean func(text string, limit int) string) string {
	const first, last = "\u2068", "\u2069"
	all := clean(text, limit)
	if !hasRightToLeft(all) {
		return all
	}
	if all = clean(text, max(limit-2, 0)); !hasRightToLeft(all) { // that part was cut off
		return all
	}
	return first + all + last
}

// isClean tells of most texts that they may stand as they are: printable characters of
// ASCII with single spaces between them. A list has dozens of texts.
func isClean(text string, limit int) bool {
	for i := range len(text) {
		if c := text[i]; c < ' ' || c > '~' {
			return false
		}
	}
	return len(text) <= limit && !strings.Contains(text, "  ") && strings.TrimSpace(text) == text
}

// hasRightToLeft reports whether a text has characters that isRightToLeft tells of. Most texts
// have no byte with which one begins.
func hasRightToLeft(text string) bool {
	const least = 0xD6 // begins U+0590 in UTF-8
	for i := range len(text) {
		if text[i] >= least {
			return strings.ContainsFunc(text[i:], isRightToLeft)
		}
	}
	return false
}

// isRightToLeft tells of characters that are written from right to left, or turn
// numbers beside them around. The tables begin with Hebrew.
func isRightToLeft(r rune) bool {
	if r < '\u0590' {
		return false
	}
	p, _ := bidi.LookupRune(r)
	return p.Class() == bidi.R || p.Class() == bidi.AL || p.Class() == bidi.AN
}

// maxMarks is how many combining marks may stand on one character: enough for
// every written language, too few to paint over other lines.
const maxMarks = 4

// plain returns the characters of a text that are to be seen.
func plain(text string, limit int) []rune {
	text = within(text, limit)
	out, marks := make([]rune, 0, min(len(text), limit+2)), 0
	for _, r := range text {
		switch {
		case r > ' ' && r < '\u007f': // most characters, of which there is nothing else to know
		case r == utf8.RuneError || isInvisible(r):
			continue
		case unicode.IsSpace(r) || unicode.IsControl(r):
			if len(out) == 0 || out[len(out)-1] == ' ' {
				continue
			}
			r = ' '
		}
		if isMark(r) {
			if marks++; marks > maxMarks {
				continue
			}
		} else {
			marks = 0
		}
		if out = append(out, r); len(out) > limit+1 {
			break
		}
	}
	if n := len(out); n > 0 && out[n-1] == ' ' {
		out = out[:n-1]
	}
	if !slices.ContainsFunc(out, stands) {
		return nil
	}
	if len(out) > limit {
		out = append(out[:max(limit-1, 0)], '…')
	}
	return out
}

// within returns as much of a text as is worth looking at where limit characters are shown. Most
// may be dropped, so the length alone says nothing.
func within(text string, limit int) string { return text[:min(len(text), limit*16*utf8.UTFMax)] }

// stands tells of characters that show something by themselves: joiners and
// marks alone do not.
func stands(r rune) bool {
	return r != ' ' && !isMark(r) && !unicode.Is(unicode.Cf, r)
}

// isMark tells of characters that stand on the one before. The tables begin
// above what most names are made of.
func isMark(r rune) bool { return r > unicode.MaxLatin1 && unicode.In(r, unicode.Mn, unicode.Me) }

// isInvisible tells of characters that show nothing: format characters such as
// zero-width ones and those that turn the writing direction around, and
// fillers. Joiners stay, since emoji and several scripts need them.
func isInvisible(r rune) bool {
	switch r {
	case '\u200c', '\u200d':
		return false
	case '\u115f', '\u1160', '\u3164', '\uffa0', '\u2800', '\u034f':
		return true
	default:
		return r >= utf8.RuneSelf && unicode.Is(unicode.Cf, r)
	}
}

// isMarkup reports whether the character at the byte i must be escaped. As few as
// possible are, so that names can be searched for as they are.
func isMarkup(text string, i int) bool {
	switch text[i] {
	case '\\', '*', '`', '~', '|', '<', '[', ']', '@':
		return true
	case '_': // not within a word
		return i == 0 || i == len(text)-1 || !isWord(text[i-1]) || !isWord(text[i+1])
	case ':': // http://
		return strings.HasPrefix(text[i:], "://")
	case '#', '>', '-', '+': // headings, quotes and lists begin a line
		return i == 0
	case '.': // 1. begins a list
		return i > 0 && strings.Trim(text[:i], "0123456789") == ""
	default:
		return false
	}
}

// isWord tells of the characters within which an underscore is one: to Discord
// only those of ASCII.
func isWord(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}

// User shows a user by a mention, which pings nobody where the message allows no
// mentions, and by the ID, which can be copied and searched. The ID must be one
// of Discord's own.
func User(id string) string { return "<@" + id + "> `" + id + "`" }
