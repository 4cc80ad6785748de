// Package locale holds every text that a person reads, in every language.
//
// The texts are in texts/, a file for each language named for its Discord
// locale (texts/de.yaml), in go-i18n's message format with flat keys. A text
// may hold named placeholders, {{.Name}}, and nothing else of a template; a
// text with a count has a form for each plural category that CLDR defines for
// the language.
//
// [Load] reads and checks all of it once. After that nothing here fails: a key
// that a language lacks reads as in [Default], a key that no language has reads
// as the key itself, and a placeholder without an argument reads as "?".
// Arguments are put in as they are, so the caller escapes what came from
// outside.
package locale

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/bwmarrin/discordgo"
	"github.com/nicksnyder/go-i18n/v2/i18n"
	"go.yaml.in/yaml/v4"
)

// Default is the locale of the texts that stand in where a language has none,
// and the one in which commands are registered.
const Default = "en-US"

//go:embed texts/*.yaml
var embedded embed.FS

// Bundle is every text in every language. It does not change after Load and
// may be used from many goroutines at once.
type Bundle struct {
	languages map[string]*Texts // by the locale for which the text file is named
}

// Load reads the embedded texts. An error is a defect in one of the files.
func Load() (*Bundle, error) { return load(embedded) }

func load(files fs.FS) (*Bundle, error) {
	names, _ := fs.Glob(files, "texts/*.yaml") // an error would be one of the pattern
	b := &Bundle{languages: map[string]*Texts{}}
	for _, name := range names {
		if err := b.add(files, name); err != nil {
			return nil, fmt.Errorf("text file %s: %w", name, err)
		}
	}
	if b.languages[Default] == nil {
		return nil, fmt.Errorf("text file %s.yaml: missing", Default)
	}
	return b, nil
}

// add reads a text file, which is in go-i18n's format. It refuses whatever could
// fail when a text is shown.
func (b *Bundle) add(files fs.FS, name string) error {
	locale := strings.TrimSuffix(path.Base(name), path.Ext(name))
	if !slices.Contains(DiscordLocales(), locale) {
		return errors.New("not named for a Discord locale")
	}
	content, err := fs.ReadFile(files, name)
	if err != nil {
		return err
	}
	file, err := i18n.ParseMessageFileBytes(content, name, map[string]i18n.UnmarshalFunc{"yaml": yaml.Unmarshal})
	if err != nil {
		return err
	}
	t := &Texts{bundle: b, language: file.Tag, messages: make(map[string]*i18n.Message, len(file.Messages))}
	placeholder := regexp.MustCompile(`\{\{\.[A-Z][A-Za-z]*\}\}`)
	for _, m := range file.Messages {
		if m.Other == "" {
			return fmt.Errorf("key %s: no text", m.ID)
		}
		for _, text := range []string{m.Zero, m.One, m.Two, m.Few, m.Many, m.Other} {
			if fixed := placeholder.ReplaceAllString(text, ""); strings.Contains(fixed, "{{") || strings.Contains(fixed, "}}") {
				return fmt.Errorf("key %s: %q holds more of a template than placeholders such as {{.Name}}", m.ID, text)
			}
		}
		t.messages[m.ID] = m
	}
	b.languages[locale] = t
	return nil
}

// For returns the texts for a locale as Discord names it: those of the locale
// itself, else those of another locale of its language (en-US for en-GB), else
// those of Default. It never returns nil, whatever discordLocale holds.
//
// go-i18n's own matcher is not used here: it takes related languages for each
// other, Russian for Ukrainian among them.
func (b *Bundle) For(discordLocale string) *Texts {
	if t := b.languages[discordLocale]; t != nil {
		return t
	}
	base, _, _ := strings.Cut(discordLocale, "-")
	for locale, t := range b.languages {
		if own, _, _ := strings.Cut(locale, "-"); own == base {
			return t
		}
	}
	return b.languages[Default]
}

// Localizations returns the text of key in each locale that has one of its own,
// without Default: what Discord calls name_localizations and
// description_localizations.
func (b *Bundle) Localizations(key string) map[discordgo.Locale]string {
	localized := map[discordgo.Locale]string{}
	for locale, t := range b.languages {
		if locale != Default && t.messages[key] != nil {
			localized[discordgo.Locale(locale)] = t.Text(key)
		}
	}
	return localized
}

// DiscordLocales returns the locales that Discord sends and accepts, from
// https://discord.com/developers/docs/reference#locales.
func DiscordLocales() []string {
	return []string{
		"id", "da", "de", "en-GB", "en-US", "es-ES", "es-419", "fr",
		"hr", "it", "lt", "hu", "nl", "no", "pl", "pt-BR",
		"ro", "fi", "sv-SE", "vi", "tr", "cs", "el", "bg",
		"ru", "uk", "hi", "th", "zh-CN", "ja", "zh-TW", "ko",
	}
}
