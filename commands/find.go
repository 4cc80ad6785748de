package commands

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/agnivade/levenshtein"

	"hostbot/bot/interaction"
	"hostbot/bot/safetext"
	"hostbot/hostapi"
)

// notFoundError says that the caller has no bot of that name.
type notFoundError struct {
	wanted  string
	closest []hostapi.Server // whose names are much like it
}

func (e *notFoundError) Error() string { return fmt.Sprintf("no bot %q", e.wanted) }

// ambiguousError says that the caller has several bots of that name.
type ambiguousError struct {
	wanted string
	found  []hostapi.Server
}

func (e *ambiguousError) Error() string {
	return fmt.Sprintf("%d bots are called %q", len(e.found), e.wanted)
}

// goneError says that the bot of a component is not among the caller's.
type goneError struct{}

func (goneError) Error() string { return "the component's bot is not among the caller's" }

// choose returns the bot that a request is about. What the request says only
// ever selects among the caller's own bots.
func choose(r *interaction.Request, servers []hostapi.Server) (hostapi.Server, error) {
	if r.Kind == interaction.Command {
		return find(servers, r.Options[optionBot])
	}
	h, ok := r.Params["bot"]
	if !ok { // of a select menu
		h = r.Value()
	}
	server, there := byHandle(servers, h)
	if !there {
		return hostapi.Server{}, goneError{}
	}
	return server, nil
}

// find understands what autocomplete offers, an ID, or a name that only one
// bot has: an exact name before one that differs in case, and that before one
// that merely shows the same.
func find(servers []hostapi.Server, wanted string) (hostapi.Server, error) {
	wanted = strings.TrimSpace(wanted)
	if wanted == "" {
		return hostapi.Server{}, &notFoundError{}
	}
	if server, ok := byHandle(servers, wanted); ok {
		return server, nil
	}
	if i := slices.IndexFunc(servers, func(s hostapi.Server) bool { return s.ID == wanted }); i >= 0 {
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
			return hostapi.Server{}, &ambiguousError{wanted, found}
		}
	}
	return hostapi.Server{}, &notFoundError{wanted, closest(servers, wanted)}
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
	typed := strings.ToLower(safetext.Plain(wanted, maxTyped))
	type candidate struct {
		server   hostapi.Server
		distance int
	}
	var near []candidate
	for _, s := range servers {
		distance := levenshtein.ComputeDistance(typed, strings.ToLower(safetext.Plain(s.Name, maxTyped)))
		if 5*distance <= 2*utf8.RuneCountInString(typed) {
			near = append(near, candidate{s, distance})
		}
	}
	slices.SortStableFunc(near, func(a, b candidate) int { return cmp.Compare(a.distance, b.distance) })
	var found []hostapi.Server
	for _, n := range near[:min(len(near), maxClosest)] {
		found = append(found, n.server)
	}
	return found
}
