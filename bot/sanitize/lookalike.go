package sanitize

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// This file has the only table of characters that look alike. Phones and word processors replace some ("smart
// punctuation"), and a keyboard may lack one of two.

// Straighten replaces typographic quotes, dashes, ellipses and spaces by their ASCII equivalents. All other
// characters stay.
func Straighten(text string) string {
	if isASCII(text) {
		return text
	}
	text = strings.NewReplacer(
		// Chinese keyboards type these in pairs, and French ones with a space that does not break.
		"——", "—", "……", "…", "«\u00a0", "«", "«\u202f", "«", "\u00a0»", "»", "\u202f»", "»",
	).Replace(text)
	var out strings.Builder
	out.Grow(len(text))
	for _, r := range text {
		if plain, found := straight(r); found {
			out.WriteString(plain)
		} else {
			out.WriteRune(r)
		}
	}
	return out.String()
}

// Smart returns the characters of a text that Straighten replaces, each once.
func Smart(text string) (found []rune) {
	seen := make(map[rune]bool)
	for _, r := range text {
		if _, smart := straight(r); smart && !seen[r] {
			found, seen[r] = append(found, r), true
		}
	}
	return found
}

// straight returns the ASCII equivalent of a character, if it is in the table.
func straight(r rune) (plain string, found bool) {
	if r < utf8.RuneSelf {
		return "", false
	}
	switch r {
	case '‘', '’', '‚', '‛', '‹', '›', '′', '‵', '´', 'ʹ', 'ʻ', 'ʼ', 'ʽ', 'ˈ', 'ˊ', '՚', '׳', 'ꞌ', '❛', '❜', '＇':
		return "'", true
	case 'ˋ': // stands for ` in inline code
		return "`", true
	case '“', '”', '„', '‟', '«', '»', '″', '‶', 'ʺ', 'ˮ', '״', '❝', '❞', '〝', '〞', '〟', '🙶', '🙷', '🙸', '＂':
		return `"`, true
	case '〜', '∼', '˜', '～': // Windows types the last where others type the first
		return "~", true
	case '⸻':
		return "---", true
	case '—', '―', '﹘', '⸺': // iOS has — for two hyphens, and three dots become …
		return "--", true
	case '⁃', '−', '˗':
		return "-", true
	case '…', '⋯':
		return "...", true
	case '\u00ad', '\u200b', '\u2060', '\ufeff': // a soft hyphen, and spaces without a width
		return "", true
	}
	switch {
	case unicode.Is(unicode.Pd, r): // a hyphen or a dash
		return "-", true
	case unicode.IsSpace(r):
		return " ", true
	}
	return "", false
}

// Skeleton returns a text for comparing names: names with equal skeletons look alike. It is "" if nothing of the text
// is visible. Letters keep their case and accents.
//
// The term is Unicode's (https://www.unicode.org/reports/tr39/#def-skeleton). Unicode's table is not used, as it
// equates letters of different scripts.
func Skeleton(text string, limit int) string {
	text = norm.NFKC.String(cleaned(Straighten(within(text, limit)), limit))
	text = Straighten(text) // ‴ has become three primes, and ⁻ a minus sign
	text = strings.Map(func(r rune) rune {
		switch {
		case r == '`': // ´ is in the table
			return '\''
		case r == '⁄', r == '∕': // ½ has the first
			return '/'
		case r >= utf8.RuneSelf && unicode.In(r, unicode.Cf, unicode.Variation_Selector), isSkinTone(r):
			return -1
		}
		return r
	}, text)
	for strings.Contains(text, "--") { // — is straightened to two, but looks like one
		text = strings.ReplaceAll(text, "--", "-")
	}
	return strings.Join(strings.Fields(text), " ")
}

// isSkinTone reports whether a character is the skin tone of an emoji. A phone adds the one that was last chosen.
func isSkinTone(r rune) bool { return '\U0001F3FB' <= r && r <= '\U0001F3FF' }

func isASCII(text string) bool {
	return strings.IndexFunc(text, func(r rune) bool { return r >= utf8.RuneSelf }) < 0
}
