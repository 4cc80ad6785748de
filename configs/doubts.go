package configs

import (
	"cmp"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
)

// Doubt is what can be used as it is, and is a mistake most likely.
type Doubt struct {
	Found string // in one line, with no value
	Cure  string
}

// Doubts returns those of settings and of the environment that they were read from, as os.Environ returns it.
func Doubts(s *Settings, environ []string) (doubts []Doubt) {
	if s.Admin.GuildID == "" && len(s.Admin.UserIDs)+len(s.Admin.RoleIDs) > 0 {
		doubts = append(doubts, Doubt{"staff are named, and have no commands, as ADMIN_GUILD_ID is empty", "set ADMIN_GUILD_ID"})
	}
	known := variables(reflect.TypeFor[Settings]())
	// What Kubernetes sets for a service
	// (https://kubernetes.io/docs/concepts/services-networking/service/#environment-variables).
	serviceLink := regexp.MustCompile(`_(SERVICE_(HOST|PORT)(_\w+)?|PORT(_\d+_\w+)?)$`)
	for _, pair := range slices.Sorted(slices.Values(environ)) {
		name, value, _ := strings.Cut(pair, "=")
		if value == "" || slices.Contains(known, name) || name == "LANGUAGE" || serviceLink.MatchString(name) { // gettext's, and Kubernetes'
			continue
		}
		if meant := meantBy(name, known); meant != "" {
			doubts = append(doubts, Doubt{name + " is set, which is not a setting", "name it " + meant + ", if that is meant"})
		} else if looksLikeOurs(name) {
			doubts = append(doubts, Doubt{name + " is set, which is not a setting", "take it away, or see configs/README.md for what it is called"})
		}
	}
	return doubts
}

// variables returns the names of all that are read, in a struct of settings.
func variables(settings reflect.Type) (names []string) {
	for field := range settings.Fields() {
		switch name := field.Tag.Get("env"); {
		case name != "":
			names = append(names, name)
		case field.Type.Kind() == reflect.Struct:
			names = append(names, variables(field.Type)...)
		}
	}
	return names
}

// meantBy returns the variable that a name is a misspelling of, or "".
func meantBy(name string, known []string) string {
	const short = 12 // names of which are like many others
	name = strings.ToUpper(name)
	best := slices.MinFunc(known, func(a, b string) int {
		return cmp.Compare(levenshtein.ComputeDistance(name, a), levenshtein.ComputeDistance(name, b))
	})
	switch off := levenshtein.ComputeDistance(name, best); {
	case off <= 1, off == 2 && (len(best) >= short || sameLetters(name, best)): // two of which have changed places
		return best
	}
	return ""
}

func sameLetters(a, b string) bool {
	return slices.Equal(slices.Sorted(slices.Values([]byte(a))), slices.Sorted(slices.Values([]byte(b))))
}

// looksLikeOurs reports whether a name begins as the program's do. Other programs have variables that begin
// with DISCORD_, LOG_, HTTP_, CACHE_, WATCH_ or ADMIN_.
func looksLikeOurs(name string) bool {
	begins := func(prefix string) bool { return strings.HasPrefix(name, prefix) }
	return slices.ContainsFunc([]string{"HOSTAPI_", "INTERACTIONS_", "LOG_CHANNEL_"}, begins)
}
