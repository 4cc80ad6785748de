package commands

import (
	"cmp"
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

// notFound says that the caller has no bot of that name, and which names are much
// like it.
func notFound(wanted string, closest []hostapi.Server) error {
	return &refusal{fmt.Sprintf("no bot %q", wanted), func(v view) string {
		text := v.t.Format(v.errorKey("not_found_bot"), args{"Name": orDash(sanitize.Markdown(wanted, nameLimit))})
		if len(closest) > 0 {
			text += " " + v.t.Format("error.closest", args{"Choices": names(closest)})
		}
		return text
	}}
}

// ambiguous says that the caller has several bots of that name.
func ambiguous(wanted string, found []hostapi.Server) error {
	return &refusal{fmt.Sprintf("%d bots are called %q", len(found), wanted), func(v view) string {
		return v.t.Format(v.errorKey("ambiguous"), args{"Name": orDash(sanitize.Markdown(wanted, nameLimit)), "Choices": ids(found)})
	}}
}

// names lists bots by their names.
func names(servers []hostapi.Server) string {
	var list []string
	for _, s := range servers {
		list = append(list, "**"+name(s)+"**")
	}
	return strings.Join(list, ", ")
}

// ids lists the IDs by which bots of one name can be told apart.
func ids(servers []hostapi.Server) string {
	const most = 5
	var list []string
	for _, s := range servers[:min(len(servers), most)] {
		list = append(list, orDash(sanitize.Code(s.ID, nameLimit)))
	}
	if len(servers) > most {
		list = append(list, "…")
	}
	return strings.Join(list, ", ")
}

// choose returns the bot that a request is about. A request only ever selects among
// the caller's own bots.
func choose(r *interaction.Request, servers []hostapi.Server) (hostapi.Server, error) {
	if r.Kind == interaction.Command {
		return find(servers, r.Options[optionBot])
	}
	key, ok := r.Params["bot"]
	if !ok { // of a select menu
		key = r.Value()
	}
	server, found := byKey(servers, key)
	if !found {
		return hostapi.Server{}, errGone
	}
	return server, nil
}

// find understands what autocomplete offers, an ID, or a name that only one
// bot has: an exact name before one that differs in case, and that before one
// that merely shows the same.
func find(servers []hostapi.Server, wanted string) (hostapi.Server, error) {
	wanted = strings.TrimSpace(wanted)
	if wanted == "" {
		return hostapi.Server{}, notFound("", nil)
	}
	if i := slices.IndexFunc(servers, func(s hostapi.Server) bool { return s.ID == wanted || botKey(s.ID) == wanted }); i >= 0 {
		return servers[i], nil
	}
	for _, isCalled := range []func(hostapi.Server) bool{
		func(s hostapi.Server) bool { return strings.TrimSpace(s.Name) == wanted },
		func(s hostapi.Server) bool { return strings.EqualFold(strings.TrimSpace(s.Name), wanted) },
		func(s hostapi.Server) bool { return strings.EqualFold(plainName(s, nameLimit), wanted) },
	} {
		var found []hostapi.Server
		for _, s := range servers {
			if isCalled(s) {
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

const (
	maxClosest = 3
	// maxTyped is how much of what was typed is compared with names: comparing
	// takes time with the product of the lengths.
	maxTyped = nameLimit
)

// closest returns the bots whose names differ from what was typed in two fifths of
// its characters at the most, the likest first.
func closest(servers []hostapi.Server, wanted string) []hostapi.Server {
	typed := strings.ToLower(sanitize.Plain(wanted, maxTyped))
	distance := func(s hostapi.Server) int {
		return levenshtein.ComputeDistance(typed, strings.ToLower(sanitize.Plain(s.Name, maxTyped)))
	}
	near := slices.DeleteFunc(slices.Clone(servers), func(s hostapi.Server) bool { return 5*distance(s) > 2*utf8.RuneCountInString(typed) })
	slices.SortStableFunc(near, func(a, b hostapi.Server) int { return cmp.Compare(distance(a), distance(b)) })
	return near[:min(len(near), maxClosest)]
}
