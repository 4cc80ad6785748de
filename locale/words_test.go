package locale_test

import (
	"regexp"
	"strings"
	"testing"
)

// TestOneWordForOneThing keeps words out of a language that stand for what it calls otherwise
// elsewhere, or that no native speaker would write there.
func TestOneWordForOneThing(t *testing.T) {
	words := map[string]map[string]string{ // by language: the word, and what is written in its place
		"en-US": {
			`\banew\b|once more`: "again", `c[oa]me to rest`: "finish", `\bfares?\b`: "is doing", `(?:nobody|anyone) new\b`: "new people",
			`\bhad me\b`: "asked me to", `in their own way`: "nothing", `from \{\{\.\w+\}\} on\b`: "since",
		},
		"bg":    {`(?i)личн\p{L}+ съобщ`: "директни съобщения", `(?i)нишк`: "тема", `(?i)неуспех(?:[^о]|$)`: "грешка"},
		"cs":    {`(?i)soukrom\p{L} zpráv`: "přímá zpráva", `Odesílat`: "Posílat zprávy"},
		"el":    {`(?i)φύλα|φυλά`: "αποθηκεύω"},
		"fr":    {`tombés? depuis`: "s’est arrêté: what happens at a moment has no depuis behind it"},
		"hi":    {`(?:^|[^ि])खाता`: "अकाउंट"},
		"hu":    {`(?i)(?:^|\P{L})(?:meg)?őr[iz]`: "tárol", `(?i)tárhelysz`: "szolgáltató"},
		"id":    {`(?i)\bsaya\b`: "aku", `(?i)kanal`: "channel"},
		"ko":    {`서버의 주소`: "address of the machine"},
		"lt":    {`(?i)tiesiogin`: "asmeninė žinutė", `„Discord“`: "Discord"},
		"pl":    {`[\p{Ll},] (?:Tobie|Twój|Ci|Ciebie)(?:[^\p{L}]|$)`: "in lower case"},
		"tr":    {`hosting`: "barındırma"},
		"uk":    {`(?i)особист`: "приватні повідомлення"},
		"vi":    {`(?:^|[^g] |[^ ])[Tt]ôi(?:[^\p{L}]|$)`: "mình"},
		"zh-CN": {`账户`: "账号"},
		"zh-TW": {`請求(?:[^協]|$)`: "要求", `歷史記錄`: "歷史紀錄"},
	}
	files := textFiles(t)
	for name, inPlace := range words {
		for word, other := range inPlace {
			pattern := regexp.MustCompile(word)
			files[name].each(func(key, text string) {
				// What a Vietnamese customer says on a button speaks of themselves.
				if found := pattern.FindString(text); found != "" && (name != "vi" || key != "button.tell_me") {
					files[name].fail(key, "word", "%q in %q: write %s", found, text, other)
				}
			})
		}
	}
}

// TestDiscordsNamesAreEqual has all texts of a language call Discord's permissions and settings by the same
// names, so that a reader finds them.
func TestDiscordsNamesAreEqual(t *testing.T) {
	bold := regexp.MustCompile(`\*\*([^*{}]+)\*\*`)
	for _, f := range textFiles(t) {
		for from, others := range map[string][]string{
			"panel.no_permission":     {"log.channel.permissions"},
			"follow.closed":           {"alerts.closed"},
			"follow.no_shared_server": {"alerts.no_shared_server"},
		} {
			for _, name := range bold.FindAllStringSubmatch(f.text(from), -1) {
				for _, key := range others {
					if !strings.Contains(f.text(key), name[1]) {
						f.fail(key, "Discord's name", "%q does not say %q as %s does", f.text(key), name[1], from)
					}
				}
			}
		}
	}
}

// TestVariantsAreNotForgotten finds what is said in Spain alone in texts that Latin America does not
// have for itself.
func TestVariantsAreNotForgotten(t *testing.T) {
	spain := regexp.MustCompile(`\b[Hh](?:a|an|e|emos|as) \p{L}+(?:ado|ido|cho|sto)\b|[Pp]ulsa|áis(?:\P{L}|$)`)
	files := textFiles(t)
	variant := files["es-419"]
	files["es-ES"].each(func(key, text string) {
		if found := spain.FindString(text); found != "" && variant.texts[key] == nil {
			variant.fail(key, "variant", "%q in %q is said in Spain", found, text)
		}
	})
	variant.each(func(key, text string) {
		if found := spain.FindString(text); found != "" {
			variant.fail(key, "variant", "%q in %q is said in Spain", found, text)
		}
	})
}

// TestEllipsesOfALanguageAreEqual wants all of them with a space before, or none.
func TestEllipsesOfALanguageAreEqual(t *testing.T) {
	for _, f := range textFiles(t) {
		found := map[bool][]string{}
		f.each(func(key, text string) {
			for before, rest, more := strings.Cut(text, "…"); more; before, rest, more = strings.Cut(rest, "…") {
				if before != "" {
					spaced := strings.HasSuffix(before, " ") || strings.HasSuffix(before, "\u00a0") || strings.HasSuffix(before, "\u202f")
					found[spaced] = append(found[spaced], key)
				}
			}
		})
		if len(found) > 1 {
			f.fail(strings.Join(found[len(found[true]) < len(found[false])], ", "), "ellipsis", "differs from %d others", max(len(found[true]), len(found[false])))
		}
	}
}

// TestDurationsNeedNoCase wants a duration after a colon or in brackets: "after 3 minutes" is "in three
// minutes" where it is translated word by word.
func TestDurationsNeedNoCase(t *testing.T) {
	after := regexp.MustCompile(`after \{\{\.Duration\}\}|через \{\{\.Duration\}\}|\{\{\.Duration\}\} sonra`)
	files := textFiles(t)
	for _, name := range []string{"en-US", "ru", "uk", "tr"} {
		files[name].each(func(key, text string) {
			if strings.HasPrefix(key, "log.lifecycle.") && after.MatchString(text) {
				files[name].fail(key, "duration", "%q: write it after a colon or in brackets", text)
			}
		})
	}
}

// TestStartupSettingsHaveOneName wants the form to be called as the button that opens it.
func TestStartupSettingsHaveOneName(t *testing.T) {
	for _, f := range textFiles(t) {
		if button, title := f.text("button.startup"), f.text("modal.startup.title"); !strings.HasPrefix(strings.ToLower(title), strings.ToLower(button)) {
			f.fail("button.startup", "startup", "%q, and the form is called %q", button, title)
		}
	}
}

// TestButtonsHaveTheCaseOfTheirLanguage wants the words of a button after the first in lower case, except in
// Turkish, where Discord begins each in upper case, and in German, which has nouns.
func TestButtonsHaveTheCaseOfTheirLanguage(t *testing.T) {
	capital, small := regexp.MustCompile(`\S \p{Lu}\p{Ll}`), regexp.MustCompile(`(?:^|[^\p{L}’])\p{Ll}`)
	for _, f := range textFiles(t) {
		f.each(func(key, text string) {
			wrong := capital.FindString(fixed(text))
			if f.locale == "tr" {
				wrong = small.FindString(fixed(text))
			}
			if strings.HasPrefix(key, "button.") && wrong != "" && f.locale != "de" {
				f.fail(key, "case", "%q in %q", wrong, text)
			}
		})
	}
}
