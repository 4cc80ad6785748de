// Package sanitize makes untrusted text safe to show on Discord. Names, statuses and errors from the hosting service
// and its customers may be endless, mention people, contain markup, links or invisible characters, or reverse the
// writing direction.
//
// Limits are in Unicode code points, and include the ellipsis that stands for what was cut off. A result may be
// empty.
package sanitize

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/bidi"
)

// Plain returns text as one line of at most limit characters, for places where Discord renders no markdown: labels,
// options of a select menu, suggestions, footers, log lines.
func Plain(text string, limit int) string { return isolated(text, limit, cleaned) }

// Markdown returns text as one line of at most limit characters, escaped for places where Discord renders markdown:
// nothing in it formats, links or mentions. Added backslashes count.
func Markdown(text string, limit int) string { return isolated(text, limit, escaped) }

// Lines is Markdown for a text of several lines, of which limit characters are looked at. Escaped they are twice as many
// at most, and one more. Empty lines at the ends are left out.
func Lines(text string, limit int) string {
	var lines []string
	all := []rune(text)
	for line := range strings.SplitSeq(string(all[:min(len(all), limit)]), "\n") {
		lines = append(lines, Markdown(line, 2*limit))
	}
	return strings.Trim(strings.Join(lines, "\n"), "\n")
}

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
	var out strings.Builder
	out.Grow(len(text) + 8)
	count := 0 // of characters in out
	fits := 0  // the length of out that leaves room for an ellipsis
	for i, r := range text {
		markup := isMarkup(text, i)
		if markup {
			out.WriteByte('\\')
			count++
		}
		out.WriteRune(r)
		// An underscore that is not escaped must not come to stand before the ellipsis.
		if count++; count < limit && (r != '_' || markup) {
			fits = out.Len()
		}
	}
	if count <= limit {
		return out.String()
	}
	return out.String()[:fits] + "…"
}

// Code returns text as inline code of at most limit characters; "" if nothing of it is visible.
func Code(text string, limit int) string {
	p := Plain(text, limit-2)
	if p == "" {
		return ""
	}
	return "`" + strings.ReplaceAll(p, "`", "ˋ") + "`" // inline code knows no escape
}

// isolated cleans a text. A text with right-to-left characters is put into an isolate, so that it does not reorder the
// text beside it (Unicode Standard Annex #9, "Explicit Directional Isolates"). Its two characters count.
func isolated(text string, limit int, clean func(text string, limit int) string) string {
	const first, last = "\u2068", "\u2069"
	all := clean(text, limit)
	if !strings.ContainsFunc(all, isRightToLeft) {
		return all
	}
	if all = clean(text, max(limit-2, 0)); !strings.ContainsFunc(all, isRightToLeft) { // that part was cut off
		return all
	}
	return first + all + last
}

// isClean reports whether a text consists of printable ASCII with single spaces, as most do. It is a shortcut.
func isClean(text string, limit int) bool {
	for i := range len(text) {
		if c := text[i]; c < ' ' || c > '~' {
			return false
		}
	}
	return len(text) <= limit && !strings.Contains(text, "  ") && strings.TrimSpace(text) == text
}

// isRightToLeft reports whether a character is written from right to left, or reorders numbers beside it. The first
// are Hebrew.
func isRightToLeft(r rune) bool {
	if r < '\u0590' {
		return false
	}
	p, _ := bidi.LookupRune(r)
	return p.Class() == bidi.R || p.Class() == bidi.AL || p.Class() == bidi.AN
}

// maxMarks is how many combining marks one character may have: enough for all written languages, and too few to cover
// other lines.
const maxMarks = 4

// plain returns the visible characters of a text, on one line.
func plain(text string, limit int) []rune {
	text = within(text, limit)
	out, marks := make([]rune, 0, min(len(text), limit+2)), 0
	for _, r := range text {
		switch {
		case r > ' ' && r < '\u007f': // most characters
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

// within returns the part of a text that is looked at for limit visible characters. It is long, as most characters may
// be invisible.
func within(text string, limit int) string { return text[:min(len(text), limit*16*utf8.UTFMax)] }

// stands reports whether a character is visible by itself. Joiners and marks are not.
func stands(r rune) bool {
	return r != ' ' && !isMark(r) && !unicode.Is(unicode.Cf, r)
}

// isMark reports whether a character is a combining mark.
func isMark(r rune) bool { return r > unicode.MaxLatin1 && unicode.In(r, unicode.Mn, unicode.Me) }

// isInvisible reports whether a character is a filler or a format character, such as a zero-width space or a change of
// direction. Joiners are not, as emoji and several scripts need them.
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

// isMarkup reports whether the character at byte i must be escaped. As few as possible are, so that names can be found
// by Discord's search.
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

// isWord reports whether an underscore beside a character is plain: only ASCII letters and digits count to Discord.
func isWord(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}

// User shows a user as a mention and as an ID that can be copied and searched. The message must not allow mentions, or
// it pings the user. The ID must be a snowflake.
func User(id string) string { return Mention(id) + " `" + id + "`" }

// Mention shows a user as a mention alone, as User does, if nobody needs the ID.
func Mention(id string) string { return "<@" + id + ">" }
