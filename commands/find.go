package commands

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/agnivade/levenshtein"

	"hostbot/bot/interaction"
	"hostbot/bot/sanitize"
	"hostbot/hostapi"
)

// errGone says that the bot of a component is not among the caller's any more.
var errGone = &refusal{"the component's bot is not among the caller's", func(v view) string {
	return v.t.Text(v.errorKey("gone"))
}}

// choose returns the bot that a request is about. A request only ever selects among
// the caller's own bots.
func choose(r *interaction.Request, servers []hostapi.Server) (hostapi.Server, error) {
	if r.Kind == interaction.Command {
		return find(servers, strings.TrimSpace(r.Options[optionBot]))
	}
	key, ok := r.Params["bot"]
	if !ok { // of a select menu
		key = r.Value()
	}
	i := slices.IndexFunc(servers, func(s hostapi.Server) bool {
		return botKey(s.ID) == key || strings.HasPrefix(key, digestMark) && digest(s.ID) == key
	})
	if i < 0 {
		return hostapi.Server{}, errGone
	}
	return servers[i], nil
}

// digestMark begins the keys that are digests.
const digestMark = "~"

// botKey returns the text that stands for a bot in custom IDs and values. It is the
// ID itself, or a digest of an ID that is too long or might not come back as it was
// sent: one with characters beyond printable ASCII, or with space around it. A key is
// only ever compared with those of the caller's own bots.
func botKey(serverID string) string {
	const longest = 64 // of 100 characters, with room for a route before it
	mayChange := func(c rune) bool { return c < ' ' || c > '~' }
	if len(serverID) <= longest && !strings.HasPrefix(serverID, digestMark) &&
		strings.TrimSpace(serverID) == serverID && !strings.ContainsFunc(serverID, mayChange) {
		return serverID
	}
	return digest(serverID)
}

// digest is the key of a bot for where the ID has no room.
func digest(serverID string) string {
	sum := sha256.Sum256([]byte(serverID))
	return digestMark + base64.RawURLEncoding.EncodeToString(sum[:16])
}

// find understands what autocomplete offers, an ID, or a name that only one bot has.
// A bot of exactly that name comes before those whose names differ in case.
func find(servers []hostapi.Server, wanted string) (hostapi.Server, error) {
	for _, means := range []func(hostapi.Server) bool{
		func(s hostapi.Server) bool { return s.ID == wanted || botKey(s.ID) == wanted },
		func(s hostapi.Server) bool { return strings.TrimSpace(s.Name) == wanted },
		func(s hostapi.Server) bool { return isCalled(s, wanted) },
	} {
		var found []hostapi.Server
		for _, s := range servers {
			if wanted != "" && means(s) {
				found = append(found, s)
			}
		}
		switch {
		case len(found) == 1:
			return found[0], nil
		case len(found) > 1:
			return hostapi.Server{}, ambiguous(wanted, found)
		}
	}
	return hostapi.Server{}, notFound(wanted, closest(servers, wanted))
}

// isCalled tells whether the typed text is the name of a bot, but for case and what
// cannot be seen. Of a long name the part that is shown will do as well.
func isCalled(s hostapi.Server, typed string) bool {
	typed = sanitize.Plain(typed, inputLimit)
	return typed != "" && (strings.EqualFold(typed, plainName(s, inputLimit)) || strings.EqualFold(typed, plainName(s, nameLimit)))
}

// notFound says that the caller has no bot of that name, and which names are much
// like it.
func notFound(wanted string, closest []hostapi.Server) error {
	return &refusal{fmt.Sprintf("no bot %q", wanted), func(v view) string {
		text := v.t.Format(v.errorKey("not_found_bot"), args{"Name": orDash(sanitize.Markdown(wanted, nameLimit))})
		if len(closest) > 0 {
			text += " " + v.t.Format("error.closest", args{"Choices": listed(closest, func(s hostapi.Server) string { return "**" + name(s) + "**" })})
		}
		return text
	}}
}

// ambiguous says that the caller has several bots of that name, and by which IDs they
// can be told apart.
func ambiguous(wanted string, found []hostapi.Server) error {
	return &refusal{fmt.Sprintf("%d bots are called %q", len(found), wanted), func(v view) string {
		return v.t.Format(v.errorKey("ambiguous"), args{
			"Name":    orDash(sanitize.Markdown(wanted, nameLimit)),
			"Choices": listed(found, func(s hostapi.Server) string { return sanitize.Code(s.ID, nameLimit) }),
		})
	}}
}

// listed lists a few bots.
func listed(servers []hostapi.Server, say func(hostapi.Server) string) string {
	const most = 5
	var list []string
	for _, s := range servers[:min(len(servers), most)] {
		list = append(list, orDash(say(s)))
	}
	if len(servers) > most {
		list = append(list, "…")
	}
	return strings.Join(list, ", ")
}

// closest returns the bots whose names differ from what was typed in two fifths of
// its characters at the most, three of them, the likest first. Of long names a part
// is compared: that takes time with the product of the lengths.
func closest(servers []hostapi.Server, wanted string) []hostapi.Server {
	typed := strings.ToLower(sanitize.Plain(wanted, nameLimit))
	distance := func(s hostapi.Server) int {
		return levenshtein.ComputeDistance(typed, strings.ToLower(sanitize.Plain(s.Name, nameLimit)))
	}
	near := slices.DeleteFunc(slices.Clone(servers), func(s hostapi.Server) bool { return 5*distance(s) > 2*utf8.RuneCountInString(typed) })
	slices.SortStableFunc(near, func(a, b hostapi.Server) int { return cmp.Compare(distance(a), distance(b)) })
	return near[:min(len(near), 3)]
}
