package locale_test

import (
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

// Discord's limits, in characters, from its documentation of commands, embeds
// and components.
const (
	maxName        = 32
	maxDescription = 100
	maxLabel       = 80
	maxFormLabel   = 45 // of a field of a form, or its title
	maxPlaceholder = 150
	maxTitle       = 256
	maxFieldName   = 256
	// maxSentence is ours: a card and an error share 4,096 characters with
	// what is put into the placeholders.
	maxSentence = 1000
)

// limitOf returns the longest that the text of key may be, and whether markdown
// is shown there.
func limitOf(key string) (limit int, markdown bool) {
	switch {
	case strings.HasPrefix(key, "command.") || strings.HasPrefix(key, "option."):
		if strings.HasSuffix(key, ".name") {
			return maxName, false
		}
		return maxDescription, false
	case strings.HasPrefix(key, "button."):
		return maxLabel, false
	case strings.HasPrefix(key, "modal."):
		if strings.Contains(key, "hint") || strings.HasSuffix(key, ".usual") {
			return maxDescription, false
		}
		return maxFormLabel, false
	case key == "list.open", key == "list.restart", key == "which.choose":
		return maxPlaceholder, false
	case key == "list.page": // the label of an option in a select menu, too
		return maxDescription, false
	case strings.HasSuffix(key, ".title"), strings.HasPrefix(key, "log.action.title."), strings.HasPrefix(key, "log.lifecycle."),
		strings.HasPrefix(key, "which.") && key != "which.more":
		return maxTitle, false
	case strings.HasPrefix(key, "card."), strings.HasPrefix(key, "log.field."), strings.HasPrefix(key, "plan."):
		return maxFieldName, false
	case strings.HasPrefix(key, "status."), strings.HasPrefix(key, "unit."), strings.HasPrefix(key, "log.outcome."):
		return maxName, false
	}
	return maxSentence, true
}

func TestTextsFitDiscord(t *testing.T) {
	markdown := regexp.MustCompile("[*_~`|]")
	isName := regexp.MustCompile(`^(command|option)\..*\.name$`)
	name := regexp.MustCompile(`^[-_'\p{L}\p{N}\p{Devanagari}\p{Thai}]{1,32}$`)
	eachText(t, func(t *testing.T, key, text string) {
		limit, formatted := limitOf(key)
		if n := utf8.RuneCountInString(text); n > limit {
			t.Errorf("%s: %d characters, at most %d: %q", key, n, limit, text)
		}
		if !formatted && markdown.MatchString(text) {
			t.Errorf("%s: markdown where Discord shows plain text: %q", key, text)
		}
		if isName.MatchString(key) && (!name.MatchString(text) || text != strings.ToLower(text)) {
			t.Errorf("%s: %q is not in lower case, or does not match %s", key, text, name)
		}
	})
}
