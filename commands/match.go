package commands

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/agnivade/levenshtein"
	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"hostbot/bot/interaction"
	"hostbot/bot/sanitize"
	"hostbot/hostapi"
)

// match is how well a typed text fits a bot. The best comes first.
type match int

const (
	sameID     match = iota // or what autocomplete offers
	sameName                // to the letter
	sameFolded              // but for case, accents, markdown characters and what cannot be seen
	beginsName
	partOfName
	partOfID
	noMatch
)

// ranked returns the bots by how well a typed text fits them, each in one group.
func ranked(servers []hostapi.Server, typed string) [noMatch][]hostapi.Server {
	var groups [noMatch][]hostapi.Server
	typed = strings.TrimSpace(typed)
	folded := fold(typed, interaction.MaxInput)
	for _, s := range servers {
		if m := matchOf(s, typed, folded); m < noMatch {
			groups[m] = append(groups[m], s)
		}
	}
	return groups
}

// matchOf tells how well a typed text, which is given as it is and folded, fits a bot.
func matchOf(s hostapi.Server, typed, folded string) match {
	called := fold(s.Name, interaction.MaxInput)
	at := strings.Index(called, folded)
	switch {
	case typed == "": // may become any name
		return beginsName
	case hasKey(s, typed):
		return sameID
	case strings.TrimSpace(s.Name) == typed:
		return sameName
	case folded == "": // nothing in it can be compared
		return noMatch
	case called == folded:
		return sameFolded
	case at == 0:
		return beginsName
	case at > 0:
		return partOfName
	case strings.Contains(strings.ToLower(s.ID), strings.ToLower(typed)):
		return partOfID
	}
	return noMatch
}

// fold returns a text as names are compared: without accents, markdown characters
// and what cannot be seen, and with its letters in one case. A few letters are not
// plain ones with an accent to Unicode, and are missing on most keyboards all the same.
func fold(text string, limit int) string {
	seen := strings.Map(func(r rune) rune {
		if unicode.In(r, unicode.Mn, unicode.Cf) {
			return -1
		}
		return r
	}, norm.NFKD.String(sanitize.Plain(text, limit)))
	plain := strings.NewReplacer("ı", "i", "ø", "o", "ł", "l", "đ", "d",
		"*", "", "_", "", "~", "", "`", "", "|", "", `\`, "", "<", "", ">", "", "[", "", "]", "", "#", "", "…", "")
	return strings.Join(strings.Fields(plain.Replace(cases.Fold().String(seen))), " ")
}

// closest returns the bots whose names differ from what was typed in two fifths of
// its characters at the most, three of them, the likest first. Of long names a part
// is compared: that takes time with the product of the lengths.
func closest(servers []hostapi.Server, wanted string) []hostapi.Server {
	typed := fold(wanted, nameLimit)
	distance := func(s hostapi.Server) int { return levenshtein.ComputeDistance(typed, fold(s.Name, nameLimit)) }
	near := slices.DeleteFunc(slices.Clone(servers), func(s hostapi.Server) bool { return 5*distance(s) > 2*utf8.RuneCountInString(typed) })
	slices.SortStableFunc(near, func(a, b hostapi.Server) int { return cmp.Compare(distance(a), distance(b)) })
	return near[:min(len(near), 3)]
}
