package locale_test

import (
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf16"

	"golang.org/x/text/width"
)

// limit is how long the texts of some keys may be. Without their placeholders, which are
// cut to the room that is left for them where they may be long.
type limit struct {
	keys string // a pattern
	most int    // UTF-16 code units, of which Discord counts no more
	// columns is how wide the text may be where it stands beside others on a phone: a
	// Chinese character has two. 0: as wide as it is.
	columns  int
	markdown bool // is shown as such
	why      string
}

// limits are the limits of Discord's documentation of commands, embeds and components,
// and closer ones of our own. The first that matches a key holds.
func limits() []limit {
	return []limit{
		{`(command|option)\..*\.name`, 32, 0, false, "name of a command"},
		{`menu\..*`, 32, 0, false, "name of a command"},
		{`(command|option)\..*\.description`, 100, 0, false, "description of a command"},
		{`button\.restart_crashed`, 80, 32, false, "button that stands below others on a phone"},
		{`button\..*`, 80, 24, false, "button: two stand side by side on a phone"},
		{`modal\.delete\.title`, 30, 0, false, "title of a form of 45, with room for a bot's name"},
		{`modal\..*(hint|usual)`, 100, 0, false, "description in a form"},
		{`modal\..*`, 45, 0, false, "label or title of a form"},
		{`status\..*`, 32, 0, false, "status of a bot"},
		{`list\.(open|restart)|which\.choose|pick\.placeholder|alerts\.choose|follow\.choose|several\.choose|panel\.(choose|choose_bots|choose_first|open)`, 100, 36, false, "placeholder of a menu: a line on a phone"},
		{`list\.page|create\.size`, 40, 0, false, "option of a menu"},
		{`card\.(limits|since\..*|fell\..*|last_started|crashes.*|startup_changed|stuck.*|suspended)`, 700, 0, true, "line of a card"},
		{`card\..*`, 60, 24, false, "name of a field"},
		{`(plan\.(name|ram|bots)|age\.field|log\.field\..*|log\.group\.references)`, 60, 0, false, "name of a field"},
		{`staff\.status\.(version|up|served|shards|service|redis|log)|staff\.reference\.(call|attempts|answer|shard|interaction)`, 60, 0, false, "name of a field"},
		{`help\.footer|staff\.acts_for|log\.test\.footer|log\.support\.footer`, 150, 0, false, "footer"},
		{`log\.(action\.title\.|outcome\.|failure\.title|action\.by_staff|audit\.).*`, 60, 0, false, "part of a title of 256"},
		{`log\.group\..*`, 120, 0, true, "line of a log entry"},
		{`log\.lifecycle\..*|log\.(refused|channel)\.(title|failing|healed)`, 200, 0, false, "title of 256"},
		{`which\.(show|start|restart|stop|reinstall)|.*\.title`, 150, 0, false, "title of 256"},
		{`log\.where\.dm|unit\..*|time\..*`, 60, 0, false, "part of a line"},
		{`.*`, 700, 0, true, "a card and an error share 4,096 characters with what is put into the placeholders"},
	}
}

// isName matches the keys of the names of commands and options, which Discord wants to
// match name, and in lower case where the script has case. The documented pattern once
// had U+0027, which Discord refuses (discord-api-docs#7371).
var (
	isName = regexp.MustCompile(`^(command|option)\..*\.name$`)
	name   = regexp.MustCompile(`^[-_\p{L}\p{N}\p{Devanagari}\p{Thai}]{1,32}$`)
)

func TestTextsFitDiscord(t *testing.T) {
	markdown := regexp.MustCompile("[*_~`|]|^[#>]")
	patterns := map[string]*regexp.Regexp{}
	for _, l := range limits() {
		patterns[l.keys] = regexp.MustCompile(`^(?:` + l.keys + `)$`)
	}
	for _, f := range textFiles(t) {
		f.each(func(key, text string) {
			var l limit
			for _, l = range limits() {
				if patterns[l.keys].MatchString(key) {
					break
				}
			}
			own := fixed(text)
			if n := len(utf16.Encode([]rune(own))); n > l.most {
				f.fail(key, "length", "%d characters, at most %d (%s): %q", n, l.most, l.why, text)
			}
			if n := columns(own); l.columns > 0 && n > l.columns {
				f.fail(key, "width", "%d columns, at most %d (%s): %q", n, l.columns, l.why, text)
			}
			if found := markdown.FindString(own); found != "" && !l.markdown && !isName.MatchString(key) {
				f.fail(key, "markdown", "%q in %q: Discord shows it as it is (%s)", found, text, l.why)
			}
			if isName.MatchString(key) && (!name.MatchString(text) || text != strings.ToLower(text)) {
				f.fail(key, "name", "%q is not in lower case, or does not match %s", text, name)
			}
		})
	}
}

// columns is how wide a text is, as terminals count: marks above and below a letter take
// no room, and a Chinese character takes that of two letters.
func columns(text string) int {
	n := 0
	for _, r := range text {
		switch kind := width.LookupRune(r).Kind(); {
		case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		case kind == width.EastAsianWide || kind == width.EastAsianFullwidth:
			n += 2
		default:
			n++
		}
	}
	return n
}

// TestNamesAreUnique wants the names of commands of one group, and those of options, to
// differ.
func TestNamesAreUnique(t *testing.T) {
	files := textFiles(t)
	for _, f := range files {
		taken := map[string]string{}
		for key := range files["en-US"].texts {
			if !isName.MatchString(key) {
				continue
			}
			own := strings.TrimSuffix(key, ".name")
			sibling := own[:strings.LastIndex(own, ".")] + " " + f.text(key)
			if other := taken[sibling]; other != "" {
				f.fail(key, "unique names", "%q is the name of %s, too", f.text(key), other)
			}
			taken[sibling] = key
		}
	}
}
