// Package locale holds every text that a person reads, in every language.
//
// The texts are in texts/, a file for each language named for its Discord locale
// (texts/de.yaml). README.md beside this file has their format and rules, which the
// tests hold the files to. A text may hold named placeholders, {{.Name}}; a text with a
// count has a form for each plural category that whole numbers have in the language.
//
// [Load] reads the texts with which commands are registered. A language's other texts
// are read when somebody first needs one of them, as few bots ever speak all languages.
// After Load nothing here fails: a key that a language lacks reads as in the language
// that stands in for it, a key that no language has reads as the key itself, and a
// placeholder without an argument reads as "?". Arguments are put in as they are, so
// the caller escapes what came from outside.
package locale

import (
	"cmp"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/bwmarrin/discordgo"
	"golang.org/x/text/language"
)

// Default is the locale of the texts that stand in where a language has none,
// and the one in which commands are registered.
const Default = "en-US"

//go:embed texts/*.yaml
var embedded embed.FS

// Bundle is every text in every language. It may be used from many goroutines at once.
type Bundle struct {
	languages map[string]*Texts // by the locale for which the text file is named
	// localized are the texts with which commands are registered, by key.
	localized map[string]map[discordgo.Locale]string
}

// Load reads the embedded texts. An error is a defect in one of the files.
func Load() (*Bundle, error) { return load(embedded) }

func load(files fs.FS) (*Bundle, error) {
	names, _ := fs.Glob(files, "texts/*.yaml") // an error would be one of the pattern
	b := &Bundle{languages: map[string]*Texts{}, localized: map[string]map[discordgo.Locale]string{}}
	for _, name := range names {
		if err := b.add(files, name); err != nil {
			return nil, fmt.Errorf("text file %s: %w", name, err)
		}
	}
	if b.languages[Default] == nil {
		return nil, fmt.Errorf("text file %s.yaml: missing", Default)
	}
	for locale, t := range b.languages {
		if locale != Default {
			t.instead = b.For(standIn(locale))
		}
	}
	b.completeLocalizations()
	return b, nil
}

// add adds the language of a file, and reads the texts with which commands are
// registered.
func (b *Bundle) add(files fs.FS, name string) error {
	locale := strings.TrimSuffix(path.Base(name), path.Ext(name))
	if !slices.Contains(DiscordLocales(), locale) {
		return errors.New("not named for a Discord locale")
	}
	b.languages[locale] = &Texts{language: language.Make(locale), own: sync.OnceValue(func() map[string]string {
		own := map[string]string{}
		// A line that cannot be read is found by the tests, which read every file.
		_ = read(files, name, func(key, form, text string) bool {
			own[formKey(key, form)] = text
			return true
		})
		return own
	})}
	return read(files, name, func(key, _, text string) bool {
		if !isRegistered(key) {
			return false
		}
		if b.localized[key] == nil {
			b.localized[key] = map[discordgo.Locale]string{}
		}
		b.localized[key][discordgo.Locale(locale)] = text
		return true
	})
}

// completeLocalizations gives each language the texts that it has from another one, and
// leaves Default out, in which commands are registered.
func (b *Bundle) completeLocalizations() {
	for _, localized := range b.localized {
		for locale := range b.languages {
			if localized[discordgo.Locale(locale)] == "" {
				localized[discordgo.Locale(locale)] = cmp.Or(localized[discordgo.Locale(standIn(locale))], localized[Default])
			}
		}
		delete(localized, Default)
	}
}

// isRegistered tells whether commands are registered with a text. Those texts come
// first in each file.
func isRegistered(key string) bool {
	section, _, _ := strings.Cut(key, ".")
	return slices.Contains([]string{"command", "option", "menu", "button"}, section)
}

// For returns the texts for a locale as Discord names it or, where it has no file,
// those that stand in for it. It never returns nil, whatever discordLocale holds.
func (b *Bundle) For(discordLocale string) *Texts {
	for _, locale := range []string{discordLocale, standIn(discordLocale)} {
		if t := b.languages[locale]; t != nil {
			return t
		}
	}
	return b.languages[Default]
}

// standIn returns the locale whose texts are read where a locale has none of its own. A
// language that only looks related is none: Chinese has two scripts.
func standIn(locale string) string {
	if locale == "es-419" {
		return "es-ES"
	}
	return Default
}

// Localizations returns the text of key in each locale that has a file, without Default:
// what Discord calls name_localizations and description_localizations. Nobody may change
// the map.
func (b *Bundle) Localizations(key string) map[discordgo.Locale]string { return b.localized[key] }

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
