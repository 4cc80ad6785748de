package locale

import (
	"embed"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// Default is the locale of the texts that stand in where a language has none,
// and the one in which commands are registered.
const Default = "en-US"

//go:embed texts/*.yaml
var embedded embed.FS

// Bundle is every text in every language. It does not change after Load and
// may be used from many goroutines at once.
type Bundle struct {
	catalogs map[string]*catalog // by the locale of the text file
	texts    map[string]*Texts   // by Discord locale
}

// Load reads the embedded texts. An error is a defect in one of the files.
func Load() (*Bundle, error) {
	files, err := fs.Sub(embedded, "texts")
	if err != nil {
		return nil, fmt.Errorf("open embedded texts: %w", err)
	}
	return load(files)
}

// load reads the text files at the top of files.
func load(files fs.FS) (*Bundle, error) {
	names, err := fs.Glob(files, "*.yaml")
	if err != nil {
		return nil, fmt.Errorf("list text files: %w", err)
	}
	b := &Bundle{catalogs: map[string]*catalog{}, texts: map[string]*Texts{}}
	for _, name := range names {
		locale := strings.TrimSuffix(name, path.Ext(name))
		if !slices.Contains(DiscordLocales(), locale) {
			return nil, fmt.Errorf("text file %s: not named for a Discord locale", name)
		}
		if b.catalogs[locale], err = loadCatalog(files, name); err != nil {
			return nil, fmt.Errorf("text file %s: %w", name, err)
		}
	}
	fallback := b.catalogs[Default]
	if fallback == nil {
		return nil, fmt.Errorf("text file %s.yaml: missing", Default)
	}
	for _, locale := range DiscordLocales() {
		b.texts[locale] = &Texts{locale: locale, catalog: b.catalogs[b.closest(locale)], fallback: fallback}
	}
	return b, nil
}

// For returns the texts for a locale as Discord names it: those of the locale
// itself, else those of another locale of its language (en-US for en-GB), else
// those of Default. It never returns nil, whatever discordLocale holds.
func (b *Bundle) For(discordLocale string) *Texts {
	if t := b.texts[discordLocale]; t != nil {
		return t
	}
	return b.texts[b.closest(discordLocale)]
}

// closest returns the locale of the text file that serves locale best.
//
// go-i18n's own matcher is not used here: it takes related languages for each
// other, Russian for Ukrainian among them.
func (b *Bundle) closest(locale string) string {
	if b.catalogs[locale] != nil {
		return locale
	}
	for _, own := range b.Locales() {
		if baseLanguage(own) == baseLanguage(locale) {
			return own
		}
	}
	return Default
}

func baseLanguage(locale string) string {
	base, _, _ := strings.Cut(locale, "-")
	return base
}

// Locales returns the locales that have a text file, Default first and the
// others in alphabetical order.
func (b *Bundle) Locales() []string {
	locales := []string{Default}
	for locale := range b.catalogs {
		if locale != Default {
			locales = append(locales, locale)
		}
	}
	slices.Sort(locales[1:])
	return locales
}

// Has reports whether Default has a text for key, and so whether every call
// with it gives a text rather than the key.
func (b *Bundle) Has(key string) bool {
	return b.catalogs[Default].texts[key] != nil
}

// Localizations returns the text of key in each locale that has one of its own,
// without Default, by locale: what Discord calls name_localizations and
// description_localizations. It is nil where there is none, and on a nil Bundle.
func (b *Bundle) Localizations(key string) map[string]string {
	if b == nil {
		return nil
	}
	var localized map[string]string
	for locale, catalog := range b.catalogs {
		if locale == Default || catalog.texts[key] == nil {
			continue
		}
		if localized == nil {
			localized = make(map[string]string, len(b.catalogs))
		}
		localized[locale] = b.texts[locale].Text(key)
	}
	return localized
}
