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
