package configs

import (
	"cmp"
	"reflect"
	"regexp"
	"slices"
	"strings"
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
	for _, pair := range slices.Sorted(slices.Values(environ)) {
		name, value, _ := strings.Cut(pair, "=")
		if value == "" || slices.Contains(known, name) {
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

// meantBy returns the variable that a name is a misspelling of, or "". What others use is none.
func meantBy(name string, known []string) string {
	if name == "LANGUAGE" || isServiceLink(name) { // gettext's
		return ""
	}
	const short = 12 // names of which are like many others
	closest := func(meant string) int { return distance(strings.ToUpper(name), meant) }
	best := slices.MinFunc(known, func(a, b string) int { return cmp.Compare(closest(a), closest(b)) })
	if off := closest(best); off <= 1 || off == 2 && len(best) >= short {
		return best
	}
	return ""
}

// looksLikeOurs reports whether a name begins as the program's do. Other programs have variables that begin
// with DISCORD_, LOG_, HTTP_, CACHE_, WATCH_ or ADMIN_.
func looksLikeOurs(name string) bool {
	begins := func(prefix string) bool { return strings.HasPrefix(name, prefix) }
	return !isServiceLink(name) && slices.ContainsFunc([]string{"HOSTAPI_", "INTERACTIONS_", "LOG_CHANNEL_"}, begins)
}

// isServiceLink reports whether Kubernetes sets a variable of this name for a service
// (https://kubernetes.io/docs/concepts/services-networking/service/#environment-variables).
func isServiceLink(name string) bool {
	return regexp.MustCompile(`_(SERVICE_(HOST|PORT)(_\w+)?|PORT(_\d+_\w+)?)$`).MatchString(name)
}

// distance returns how many letters must be added, removed, replaced or exchanged with the next one to make
// one text of another, where no letter is touched twice.
func distance(a, b string) int {
	var former, row, next []int
	for j := range len(b) + 1 {
		row = append(row, j)
	}
	for i := 1; i <= len(a); i++ {
		next = []int{i}
		for j := 1; j <= len(b); j++ {
			replaced := row[j-1]
			if a[i-1] != b[j-1] {
				replaced++
			}
			least := min(replaced, row[j]+1, next[j-1]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				least = min(least, former[j-2]+1)
			}
			next = append(next, least)
		}
		former, row = row, next
	}
	return row[len(b)]
}
