package commands

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
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

// errGone says that the bot of a component is not among the caller's any more.
var errGone = &refusal{reason: "the component's bot is not among the caller's", final: true, explain: func(v view) string {
	return v.say(v.errorKey("gone"), nil)
}}

// choose returns the bot that a request is about, which is one of the caller's own. Where none is
// found, it may be one that the list does not tell of.
func choose(r *interaction.Request, l hostapi.List) (hostapi.Server, error) {
	s, err := chooseFrom(r, l.Servers)
	if refused, ok := errors.AsType[*refusal](err); ok && l.Missing() > 0 {
		other := *refused
		other.passes, other.final = true, false
		other.explain = func(v view) string { return refused.explain(v) + "\n" + v.missing(l) }
		err = &other
	}
	return s, err
}

func chooseFrom(r *interaction.Request, servers []hostapi.Server) (hostapi.Server, error) {
	if r.Kind == interaction.Command {
		return find(servers, strings.TrimSpace(r.Options[optionBot]), mayGuess(r.Name))
	}
	key, ok := r.Params["bot"]
	if !ok { // of a select menu
		key = r.Value()
	}
	i := indexOf(servers, key)
	if i < 0 {
		return hostapi.Server{}, errGone
	}
	return servers[i], nil
}

// mayGuess reports whether a command changes nothing, so that it may take a text that is not quite
// a bot's name.
func mayGuess(command string) bool { return command == "bot show" || command == "bot history" }

// indexOf returns where the bot is for which a key stands, or -1.
func indexOf(servers []hostapi.Server, key string) int {
	return slices.IndexFunc(servers, func(s hostapi.Server) bool { return hasKey(s, key) })
}

// hasKey reports whether a text stands for a bot: its ID, or the digest of that.
func hasKey(s hostapi.Server, key string) bool {
	return s.ID == key || strings.HasPrefix(key, digestMark) && digest(s.ID) == key
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

// find understands what autocomplete offers and shows, an ID, a name, or what fits only one name
// better than all others. Two letters that changed places and a part of an ID fit only if guess says
// so. Of another text it lets the caller choose what may be meant: all that fits, else what is
// called much like it, else any bot.
func find(servers []hostapi.Server, wanted string, guess bool) (hostapi.Server, error) {
	groups := ranked(servers, wanted)
	for _, both := range [...][2]match{{sameID, sameName}, {sameID, lookalike}, {lookalikeID, lookalike}, {lookalikeID, sameLetters}} {
		if id, named := both[0], both[1]; len(groups[id]) > 0 && len(groups[named]) > 0 { // it is the ID of one and the name of another
			groups[id], groups[named] = append(groups[id], groups[named]...), nil
		}
	}
	best := slices.IndexFunc(groups[:], func(g []hostapi.Server) bool { return len(g) > 0 })
	slip := match(best) >= transposed && !guess // best is below sameID where nothing fits
	if wanted != "" && best >= 0 && len(groups[best]) == 1 && !slip {
		return groups[best][0], nil
	}
	near := closest(servers, wanted)
	if slip {
		near = slices.Concat(groups[best:]...)
		near = near[:min(len(near), nearest)]
	}
	var choices []hostapi.Server
	key, hint := "not_found_bot", func(view) string { return "" }
	switch {
	case wanted != "" && best >= 0 && !slip:
		key, choices = "ambiguous", slices.Concat(groups[best:]...)
	case len(near) > 0:
		choices = near
		var names []string
		for _, s := range choices {
			names = append(names, "**"+name(s)+"**")
		}
		hint = func(v view) string {
			return "\n" + v.t.Format("pick.closest", args{"Choices": strings.Join(names, " · ")})
		}
	case len(servers) > 0:
		choices, hint = servers, func(v view) string { return "\n" + v.t.Text("pick.any") }
	}
	return hostapi.Server{}, &refusal{
		reason: "no bot is certainly meant by what was typed", choices: choices,
		explain: func(v view) string {
			return v.t.Format(v.errorKey(key), args{"Name": orDash(sanitize.Markdown(wanted, nameLimit))}) + hint(v)
		},
	}
}

// complete suggests the caller's bots while the name of one is typed.
func (c *Commands) complete(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
	snapshot, err := c.accounts.Account(ctx, r.CustomerID, r.AnswerBy)
	if err != nil {
		return interaction.Response{}, err
	}
	var choices []interaction.Choice
	groups := ranked(snapshot.List.Servers, r.Options[r.Focused])
	found := slices.Concat(groups[:]...)
	found = found[:min(len(found), maxOptions)]
	valueOf := valuesAmong(snapshot.List.Servers)
	for i, label := range labels(listOf(found)) {
		s, _ := c.atThisMoment(r.CustomerID, found[i], snapshot)
		choices = append(choices, interaction.Choice{Name: conditionOf(s).emoji + " " + label, Value: valueOf(s)})
	}
	return interaction.Suggest(choices), nil
}

// valuesAmong returns what gives a bot of an account its value in suggestions: its key, or the digest
// of its ID where the ID is what another bot is called.
func valuesAmong(servers []hostapi.Server) func(hostapi.Server) string {
	called := make(map[string]int, len(servers)) // how many are
	for _, s := range servers {
		called[nameKey(s.Name, compared)]++
	}
	return func(s hostapi.Server) string {
		id := nameKey(s.ID, compared)
		if others := called[id]; others > 1 || others == 1 && nameKey(s.Name, compared) != id {
			return digest(s.ID)
		}
		return botKey(s.ID)
	}
}

// labels are what bots are called in lists. Those of one name show their IDs.
func labels(bots []listed) []string {
	names := make([]string, len(bots))
	for i, b := range bots {
		names[i] = plainName(*b.Server, nameLimit)
	}
	labels := slices.Clone(names)
	for i, b := range bots {
		if slices.Contains(names[:i], names[i]) || slices.Contains(names[i+1:], names[i]) {
			labels[i] = nameWithID(*b.Server)
		}
	}
	return labels
}

// nameWithID is the label of a bot whose name is another's as well.
func nameWithID(s hostapi.Server) string {
	return plainName(s, nameLimit/2) + " · " + sanitize.Plain(s.ID, nameLimit/2)
}

// match is how well a typed text fits a bot. The best comes first.
type match int

const (
	sameID      match = iota // or what autocomplete offers
	sameName                 // to the letter, or what autocomplete shows
	lookalikeID              // as sameLetters
	lookalike                // but for case and for characters that look alike
	sameLetters              // but for accents, quotes, markdown characters and what separates words as well
	beginsName
	partOfName
	transposed // two neighbouring letters of the whole name have changed places
	partOfID
	noMatch
)

// ranked returns the bots by how well a typed text fits them, each in one group.
func ranked(servers []hostapi.Server, typed string) [noMatch][]hostapi.Server {
	var groups [noMatch][]hostapi.Server
	q := queryOf(typed)
	for _, s := range servers {
		if m := q.matchOf(s); m < noMatch {
			groups[m] = append(groups[m], s)
		}
	}
	return groups
}

// query is what was typed to name a bot.
type query struct {
	typed string
	// label is what follows the sign of a state; "" where the text begins with none. Now and then Discord
	// sends the name of a suggestion in the place of its value (discord-api-docs#4595, #7206).
	label string
	// keys of both. letters are those of typed, without the dots of what was cut off.
	keys    [2]string
	letters string
}

func queryOf(typed string) query {
	q := query{typed: strings.TrimSpace(typed)}
	for _, sign := range signs {
		if label, found := strings.CutPrefix(q.typed, string(sign)); found {
			q.label = strings.TrimLeft(label, variation+" ")
		}
	}
	q.keys = [...]string{nameKey(q.typed, compared), nameKey(q.label, compared)}
	q.letters = strings.TrimSuffix(letters(q.keys[0]), "...")
	return q
}

// matchOf tells how well a query fits a bot.
func (q query) matchOf(s hostapi.Server) match {
	switch {
	case q.typed == "": // may become any name
		return beginsName
	case hasKey(s, q.typed):
		return sameID
	case strings.TrimSpace(s.Name) == q.typed, q.label != "" && (q.label == plainName(s, nameLimit) || q.label == nameWithID(s)):
		return sameName
	case q.letters != "" && q.letters == letters(nameKey(s.ID, compared)):
		return lookalikeID
	}
	key := nameKey(s.Name, compared)
	if key != "" && slices.Contains(q.keys[:], key) {
		return lookalike
	}
	if q.letters == "" { // nothing in it can be compared
		return noMatch
	}
	called := letters(key)
	at := strings.Index(called, q.letters)
	switch {
	case called == q.letters:
		return sameLetters
	case at == 0:
		return beginsName
	case at > 0:
		return partOfName
	case isTransposed(called, q.letters):
		return transposed
	case strings.Contains(strings.ToLower(s.ID), strings.ToLower(q.typed)):
		return partOfID
	}
	return noMatch
}

// compared is how many characters of a name are: a thousand names of any length take 0.5 s.
const compared = 400

// nameKey is the same of names that differ in case and in characters that look alike. It is "" where
// nothing of the name can be seen.
func nameKey(name string, limit int) string {
	return norm.NFKC.String(cases.Fold().String(sanitize.Skeleton(name, limit)))
}

// letters returns a key without accents, quotes, markdown characters, signs of states and what
// separates words. A few letters are not plain ones with an accent to Unicode, and are missing on
// most keyboards all the same.
func letters(key string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.Is(unicode.Mn, r), strings.ContainsRune(" -_*~|\\<>[]#@'\""+signs, r):
			return -1
		case r == 'ı':
			return 'i'
		case r == 'ø':
			return 'o'
		case r == 'ł':
			return 'l'
		case r == 'đ':
			return 'd'
		}
		return r
	}, norm.NFKD.String(key))
}

// isTransposed reports whether two texts differ in two neighbouring letters that have
// changed places.
func isTransposed(a, b string) bool {
	as, bs := []rune(a), []rune(b)
	if len(as) != len(bs) {
		return false
	}
	for i := range len(as) - 1 {
		if as[i] != bs[i] {
			bs[i], bs[i+1] = bs[i+1], bs[i]
			return slices.Equal(as, bs)
		}
	}
	return false
}

// nearest is how many bots are named that may have been meant.
const nearest = 3

// closest returns the bots whose names differ from what was typed in two fifths of
// its characters at the most, nearest of them, the likest first. Of long names a part
// is compared: that takes time with the product of the lengths.
func closest(servers []hostapi.Server, wanted string) []hostapi.Server {
	typed := letters(nameKey(wanted, nameLimit))
	distance := func(s hostapi.Server) int {
		return levenshtein.ComputeDistance(typed, letters(nameKey(s.Name, nameLimit)))
	}
	near := those(servers, func(s hostapi.Server) bool { return 5*distance(s) <= 2*utf8.RuneCountInString(typed) })
	slices.SortStableFunc(near, func(a, b hostapi.Server) int { return cmp.Compare(distance(a), distance(b)) })
	return near[:min(len(near), nearest)]
}
