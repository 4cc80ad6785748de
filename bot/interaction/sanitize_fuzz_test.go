package interaction_test

import (
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"hostbot/bot/sanitize"
)

// FuzzSafe holds what comes of any text to what Discord documents of its
// markdown, and to what Unicode says of its characters.
func FuzzSafe(f *testing.F) {
	for _, text := range []string{
		"Shop *2*", "a\u202eb", "****", "<@1> @everyone <#2> <t:1:R> </x:1>", "[x](https://y) http://z", "a\n# b\n> c\n-# d", "```\ncode\n```", "`a``b`",
		`\\*a\\\\*`, "_a_ __b__ ~~c~~ ||d||", "1. a", "z" + strings.Repeat("\u0301", 50), "\u200d\ufe0f", "👩\u200d💻", "\xff\xfe", "a\u2028b\u0085c", "אבג", "#א 1", "\u0661*\u2069",
	} {
		for _, limit := range []int{3, 10, 4000} {
			f.Add(text, limit)
		}
	}
	f.Fuzz(func(t *testing.T, text string, limit int) {
		if limit < 3 || limit > 4000 {
			return
		}
		plain, markdown, code := sanitize.Plain(text, limit), sanitize.Markdown(text, limit), sanitize.Code(text, limit)
		for what, got := range map[string]string{"plain": plain, "markdown": markdown, "code": code} {
			if n := utf8.RuneCountInString(got); n > limit {
				t.Errorf("%s of %q has %d characters, limit %d", what, text, n, limit)
			}
			if !utf8.ValidString(got) || strings.ContainsFunc(isolate.ReplaceAllString(got, "$1$2$3"), harmful) || got != strings.TrimSpace(got) {
				t.Errorf("%s of %q is %q", what, text, got)
			}
		}
		if found := unescaped(markdown); found != "" {
			t.Errorf("markdown of %q is %q, in which Discord sees %q", text, markdown, found)
		}
		if code != "" && (len(code) < 3 || code[0] != '`' || strings.Index(code[1:], "`") != len(code)-2) {
			t.Errorf("code of %q is %q", text, code)
		}
		if sanitize.Plain(plain, limit) != plain {
			t.Errorf("plain of %q is %q, and of that %q", text, plain, sanitize.Plain(plain, limit))
		}
	})
}

// harmful tells of characters that break a line, steer a terminal or turn the
// writing direction around.
func harmful(r rune) bool {
	return unicode.IsControl(r) || unicode.In(r, unicode.Zl, unicode.Zp, unicode.Bidi_Control)
}

var (
	// isolate is all of a text, or of what is in inline code.
	isolate = regexp.MustCompile("^(`?)\u2068([^\u2068\u2069]*)\u2069(`?)$")
	escape  = regexp.MustCompile(`\\[[:punct:]]`)
	markup  = regexp.MustCompile(`[*~|<\[\]@\\\x60]|://|^[#>+-]|^[0-9]+\.|^_|_$|[^0-9A-Za-z]_|_[^0-9A-Za-z]`)
)

// unescaped returns what in a text is markup for Discord, or "".
func unescaped(markdown string) string {
	return markup.FindString(escape.ReplaceAllString(markdown, "x"))
}
