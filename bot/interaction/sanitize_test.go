package interaction_test

import (
	"strings"
	"testing"

	"hostbot/bot/sanitize"
)

func TestPlain(t *testing.T) {
	tests := map[string]struct {
		text  string
		limit int
		want  string
	}{
		"as it is":              {"Shop *2*", 20, "Shop *2*"},
		"exactly the limit":     {"12345", 5, "12345"},
		"one more":              {"123456", 5, "1234…"},
		"counts characters":     {"äöüßé", 5, "äöüßé"},
		"one line":              {" a\r\n\tb\x00c ", 20, "a b c"},
		"direction marks":       {"a\u202egnp.exe\u2066", 20, "agnp.exe"},
		"right to left":         {"חנות 24", 20, "\u2068חנות 24\u2069"},
		"right to left, cut":    {"a חנות", 5, "a …"},
		"right to left, marked": {"\u2067متجر\u2069\u2069", 6, "\u2068متجر\u2069"},
		"zero width":            {"a\u200bb\ufeffc\u00add", 20, "abcd"},
		"fillers only":          {"\u3164\u2800\u200b", 20, ""},
		"joiners alone":         {"\u200d\ufe0f \u200c", 20, ""},
		"emoji stay whole":      {"👩\u200d💻 bot", 20, "👩\u200d💻 bot"},
		"not text":              {"a\xff\xfeb", 20, "ab"},
		"marks that pile up":    {"z" + strings.Repeat("\u0301", 50) + "y", 20, "z" + strings.Repeat("\u0301", 4) + "y"},
		"space before the cut":  {"123 ", 3, "123"},
		"nothing fits":          {"abc", 1, "…"},
		"huge":                  {strings.Repeat("x", 1<<20), 10, "xxxxxxxxx…"},
		"cut inside a sequence": {strings.Repeat("€", 1000), 3, "€€…"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := sanitize.Plain(test.text, test.limit); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestMarkdown(t *testing.T) {
	tests := map[string]struct {
		text  string
		limit int
		want  string
	}{
		"names stay searchable": {"my-shop_bot 2.0 (new): a/b #1 x>y", 60, "my-shop_bot 2.0 (new): a/b #1 x>y"},
		"emphasis":              {"*a* _b_ __c__ ~~d~~ ||e|| `f`", 60, `\*a\* \_b\_ \_\_c\_\_ \~\~d\~\~ \|\|e\|\| ` + "\\`f\\`"},
		"underline in a word":   {"a__b__c", 60, `a\_\_b\_\_c`},
		"underline and umlaut":  {"a_b_ö", 60, `a_b\_ö`},
		"cut after underline":   {"*A_000", 5, `\*A…`},
		"mentions":              {"<@1> @everyone <#2>", 60, `\<\@1> \@everyone \<#2>`},
		"links":                 {"[x](http://y) https://z", 60, `\[x\](http\://y) https\://z`},
		"escapes":               {`a\*b`, 60, `a\\\*b`},
		"heading":               {"# big", 60, `\# big`},
		"quote":                 {">>> big", 60, `\>>> big`},
		"list":                  {"- a", 60, `\- a`},
		"numbered list":         {"12. a", 60, `12\. a`},
		"new line":              {"a\n# b", 60, "a # b"},
		"never half an escape":  {"****", 4, `\*…`},
		"escape that just fits": {"**", 4, `\*\*`},
		"right to left":         {"# חנות*", 20, "\u2068\\# חנות\\*\u2069"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got := sanitize.Markdown(test.text, test.limit)
			if got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestCode(t *testing.T) {
	for text, want := range map[string]string{
		"a`b``c":       "`aˋbˋˋc`",
		"\u200b":       "",
		"0123456789ab": "`0123456…`",
	} {
		if got := sanitize.Code(text, 10); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

// TestLines escapes each line as Markdown does, as what begins a line is markup there.
func TestLines(t *testing.T) {
	for name, test := range map[string]struct {
		text  string
		limit int
		want  string
	}{
		"as they are":   {"a b\n\nc", 20, "a b\n\nc"},
		"at the ends":   {"\r\n \na\r\n\u200b\n", 20, "a"},
		"nothing":       {" \n\u200b\n", 20, ""},
		"each begins":   {"# a\n> b\n- c\n1. d", 40, "\\# a\n\\> b\n\\- c\n1\\. d"},
		"a fence":       {"```\n<@1>\n```", 40, "\\`\\`\\`\n\\<\\@1>\n\\`\\`\\`"},
		"right to left": {"a\nחנות 24", 20, "a\n\u2068חנות 24\u2069"},
		"too many":      {"12\n45\n78", 5, "12\n45"},
		"the longest":   {"*\n*\nא\n*", 5, "\\*\n\\*\n\u2068א\u2069"},
	} {
		if got := sanitize.Lines(test.text, test.limit); got != test.want {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
}
