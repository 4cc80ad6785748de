package configs

import (
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

// Doubts returns those of settings and of the environment that they were read from, as os.Environ returns it. A name that
// is nearly a setting's counts where it begins as no other program's does.
func Doubts(s *Settings, environ []string) (doubts []Doubt) {
	if s.Admin.GuildID == "" && len(s.Admin.UserIDs)+len(s.Admin.RoleIDs) > 0 {
		doubts = append(doubts, Doubt{"staff are named, and have no commands, as ADMIN_GUILD_ID is empty", "set ADMIN_GUILD_ID"})
	}
	ours := regexp.MustCompile(`^(HOSTAPI|INTERACTIONS|LOG_CHANNEL)_`)
	// What Kubernetes sets for a service
	// (https://kubernetes.io/docs/concepts/services-networking/service/#environment-variables).
	serviceLink := regexp.MustCompile(`_(SERVICE_(HOST|PORT)(_\w+)?|PORT(_\d+_\w+)?)$`)
	settings := settingsIn("", reflect.ValueOf(s).Elem())
	for _, pair := range slices.Sorted(slices.Values(environ)) {
		name, value, _ := strings.Cut(pair, "=")
		known := slices.ContainsFunc(settings, func(s setting) bool { return s.variable == name })
		if value != "" && !known && ours.MatchString(name) && !serviceLink.MatchString(name) {
			doubts = append(doubts, Doubt{name + " is set, which is not a setting", "take it away, or see configs/README.md for what it is called"})
		}
	}
	return doubts
}
