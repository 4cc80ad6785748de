// Package locale holds every text that a person reads, in every language.
//
// The texts are in texts/, a file for each language named for its Discord locale
// (texts/de.yaml). README.md beside this file has their format and rules, which the
// tests hold the files to. A text may hold named placeholders, {{.Name}}; a text with a
// count has a form for each plural category that whole numbers have in the language.
//
// A language is read when somebody first needs it, as few bots ever speak all of them.
// Nothing here fails after [Load]: a key that a language lacks reads as in the language
// that stands in for it, a key that no language has reads as the key itself, and a
// placeholder without an argument reads as "?". Arguments are put in as they are, so
// the caller escapes what came from outside.
package locale

import (
	"cmp"
	"embed"
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

//go:embed texts
var embedded embed.FS

// Bundle is every text in every language. It may be used from many goroutines at once.
type Bundle struct {
	files     fs.FS
	languages map[string]*Texts // by the locale for which the text file is named
}

// Load finds the embedded texts.
func Load() (*Bundle, error) { return load(embedded) }

func load(files fs.FS) (*Bundle, error) {
	names, _ := fs.Glob(files, "texts/*.yaml") // an error would be one of the pattern
	b := &Bundle{files: files, languages: map[string]*Texts{}}
	for _, name := range names {
		locale := strings.TrimSuffix(path.Base(name), path.Ext(name))
		if !slices.Contains(DiscordLocales(), locale) {
			return nil, fmt.Errorf("text file %s: not named for a Discord locale", name)
		}
		b.languages[locale] = &Texts{language: language.Make(locale), own: sync.OnceValue(func() map[string]string { return b.read(locale) })}
	}
	if b.languages[Default] == nil {
		return nil, fmt.Errorf("text file %s.yaml: missing", Default)
	}
	for locale, t := range b.languages {
		if locale != Default {
			t.instead = b.For(standIn(locale))
		}
	}
	return b, nil
}

// read reads a language. The tests read every file and find what cannot be read.
func (b *Bundle) read(locale string) map[string]string {
	own := map[string]string{}
	_ = read(b.files, fileOf(locale), func(key, form, text string) bool {
		own[formKey(key, form)] = text
		return true
	})
	return own
}

func fileOf(locale string) string { return "texts/" + locale + ".yaml" }

// Localized are texts by key and locale, for each locale that has a file: what Discord
// calls name_localizations and description_localizations. Default is among them though
// it is the default text as well: without its own, Discord shows people the text of en-GB
// (https://docs.discord.com/developers/interactions/application-commands#locale-fallbacks).
type Localized map[string]map[discordgo.Locale]string

// Localized reads the texts with which commands are registered. They are not kept, as
// that is seldom done.
func (b *Bundle) Localized() Localized {
	all := Localized{}
	for locale := range b.languages {
		_ = read(b.files, fileOf(locale), func(key, _, text string) bool {
			if all[key] == nil {
				all[key] = make(map[discordgo.Locale]string, len(b.languages))
			}
			all[key][discordgo.Locale(locale)] = text
			return isRegistered(key)
		})
	}
	for _, localized := range all {
		for locale := range b.languages {
			if localized[discordgo.Locale(locale)] == "" { // a variant says only what differs
				localized[discordgo.Locale(locale)] = cmp.Or(localized[discordgo.Locale(standIn(locale))], localized[Default])
			}
		}
	}
	return all
}

// isRegistered reports whether commands are registered with a text. Those texts come
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
