package hostapi

import (
	"bytes"
	"cmp"
	"encoding/json"
	"html"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

const (
	// maxReason bounds how much of a body that reports a failure is read, in bytes.
	maxReason = 64 << 10
	// Words are looked for in JSON maxNesting levels deep, in the first maxMembers of an object or a list. maxSayings
	// words of each rank are kept.
	maxNesting = 6
	maxMembers = 40
	maxSayings = 10
)

// reason is what the body of a refusal says.
type reason struct {
	words string // for a customer: never JSON, never a page; "" where there are none
	all   string // for staff: the words and the code, a page's text, or JSON as a last resort
	code  string // for programs
	token string // the text under "error", if it is a code that is known
	json  bool   // the body is JSON, so it is the service's own
	page  bool   // the body is a page, so it is not the service's
}

// reasonIn reads the body of a refusal. It may be JSON of any shape, a page, plain text or empty.
func reasonIn(body []byte) reason {
	body = bytes.TrimSpace(body[:min(len(body), maxReason)])
	if isHTML(body) {
		return reason{page: true, all: textOf(body)}
	}
	var value any
	if json.Unmarshal(body, &value) != nil {
		text, said := string(body), sayings{}
		if !strings.Contains(text, "\n") && strings.TrimLeft(text, `{["`) == text { // and no dump, nor JSON that was cut
			said.add(general, text, "", 0)
		}
		return reason{words: said.words(), all: text}
	}
	said, token := saidIn(value, "", 0), ""
	if object, ok := value.(map[string]any); ok && said.code == "" {
		if text, _ := object["error"].(string); codeNamed(text) != "" {
			token = text
		}
	}
	words := said.words()
	all := cmp.Or(words, strings.Join(said.found[hollow], " · "))
	if said.code != "" && !strings.Contains(all, said.code) {
		all = strings.TrimPrefix(all+": "+said.code, ": ")
	}
	if all == "" && strings.Trim(string(body), "{}[] \n") != "" && value != nil {
		all = string(body)
	}
	return reason{words: words, all: all, code: said.code, token: token, json: true}
}

// rank orders what a body says. The lower the rank, the more exactly the words say what is wrong. Only the words of the
// lowest rank that has any are shown.
type rank int

const (
	exact    rank = iota // on one field, or one mistake of several
	specific             // "detail"
	general              // "message"
	title                // of a kind of problem
	stray                // in members that may as well be something else
	token                // a word for programs, such as name_taken
	hollow               // says no more than the status does, such as Bad Request
	ranks
)

// sayings are the words in a body, and the first code.
type sayings struct {
	found [ranks][]string
	code  string
}

// words returns what a customer is to read, in one text.
func (s *sayings) words() string { return strings.Join(s.best(), " · ") }

// best returns the words of the first rank that has any.
func (s *sayings) best() []string {
	for _, list := range s.found[:hollow] {
		if len(list) > 0 {
			return list
		}
	}
	return nil
}

// put adds words at a rank, each once.
func (s *sayings) put(at rank, words ...string) {
	for _, text := range words {
		if len(s.found[at]) < maxSayings && !slices.Contains(s.found[at], text) {
			s.found[at] = append(s.found[at], text)
		}
	}
}

// merge adds other sayings at their own ranks, but at none lower than best.
func (s *sayings) merge(other sayings, best rank) {
	for at, list := range other.found {
		s.put(max(rank(at), best), list...)
	}
	s.code = cmp.Or(s.code, other.code)
}

// add adds a text about a field, if it is one for people.
func (s *sayings) add(at rank, text, field string, depth int) {
	text, _, _ = strings.Cut(strings.TrimSpace(html.UnescapeString(text)), "\n    at ") // a stack
	field = field[strings.LastIndexAny(field, "/.")+1:]                                 // of a path
	if inner, found := jsonIn(text); found {
		s.merge(saidIn(inner, field, depth+1), exact)
		return
	}
	like := func(start string) bool { return strings.Contains(text, start) }
	switch {
	case text == "", strings.HasPrefix(text, "<"), like(`{"`), like("{'"), like("[{"), strings.HasPrefix(text, "{"): // a page, or much like JSON
		return
	case isHollow(text):
		at = hollow
	case names(field) && !strings.Contains(folded(text), folded(field)):
		text = field + ": " + text
	case isToken(text):
		at = max(at, token)
	}
	s.put(at, text)
}

// jsonIn returns the JSON that a text is, or that it ends with if there are objects in it.
func jsonIn(text string) (value any, found bool) {
	for i, tries := 0, 0; tries < maxNesting; tries++ {
		next := strings.IndexAny(text[i:], "{[")
		if next < 0 || i+next > 0 && !strings.Contains(text[i+next:], "{") {
			return nil, false
		}
		i += next
		if json.Unmarshal([]byte(text[i:]), &value) == nil {
			return value, true
		}
		i++
	}
	return nil, false
}

// saidIn returns what a JSON value says. field is the field that the value is about, or "".
//
// The service's document does not show what a refusal looks like. So the forms in common use are read, not one by one but
// by the names of their members: those of Laravel, Rails, Django, FastAPI, Spring,
// NestJS, JSON:API, GraphQL, OAuth (RFC 6749) and problem details (RFC 9457) among them.
func saidIn(value any, field string, depth int) (s sayings) {
	if depth > maxNesting {
		return s
	}
	switch v := value.(type) {
	case string:
		s.add(general, v, field, depth)
	case []any:
		for _, element := range v[:min(len(v), maxMembers)] {
			s.merge(saidIn(element, field, depth+1), exact)
		}
	case map[string]any:
		field = cmp.Or(fieldOf(v), field)
		if v["status"] == "fail" { // JSend, which has mistakes by field under "data"
			s.readMistakes("data", v["data"], field, depth)
		}
		for _, name := range membersOf(v) {
			s.readMember(name, v[name], field, depth)
		}
		if code, ok := v["code"].(string); ok {
			s.code = cmp.Or(s.code, code)
		}
	}
	return s
}

// readMember reads a member of an object.
func (s *sayings) readMember(name string, value any, field string, depth int) {
	at, isWords := rankOf(name)
	text, isText := value.(string)
	list, isList := value.([]any)
	object, isObject := value.(map[string]any)
	switch {
	case isSkipped(name):
	case isWords && at == exact, isWords && isList && hasObjects(list):
		s.readMistakes(name, value, field, depth)
	case isWords && isText:
		s.add(at, text, field, depth)
	case isWords && isList:
		s.merge(saidIn(value, field, depth+1), at)
	case isWords && isObject:
		inner := saidIn(value, field, depth+1)
		s.merge(inner, exact)
		if inner.best() == nil {
			s.readMistakes("details", value, field, depth)
		}
	case isObject:
		if !isEntered(name) {
			name = field
		}
		inner := saidIn(object, name, depth+1)
		s.put(exact, inner.found[exact]...)
		inner.found[exact] = nil
		s.merge(inner, stray) // it may be what was sent, or what there is
	case isList && hasObjects(list):
		s.merge(saidIn(value, name, depth+1), stray)
	case isList:
		for _, element := range list[:min(len(list), maxMembers)] {
			if text, ok := element.(string); ok && strings.Contains(text, " ") {
				s.add(stray, text, name, depth)
			}
		}
	}
}

// readMistakes reads a member with several mistakes: a list, or an object whose members are named for the fields that they
// are about.
func (s *sayings) readMistakes(member string, value any, field string, depth int) {
	one := func(value any, field string) {
		inner := saidIn(value, field, depth+1)
		s.put(exact, inner.best()...)
		s.put(hollow, inner.found[hollow]...)
		s.code = cmp.Or(s.code, inner.code)
	}
	object, isObject := value.(map[string]any)
	if whole := saidIn(object, field, depth+1); !isObject || whole.best() != nil && whole.found[stray] == nil { // one mistake
		list, isList := value.([]any)
		if !isList {
			list = []any{value}
		}
		for _, element := range list[:min(len(list), maxMembers)] {
			one(element, field)
		}
		return
	}
	for _, name := range membersOf(object) {
		about := name
		if folded(member) == "constraints" { // whose members are called as rules
			about = field
		}
		text, isText := object[name].(string)
		figure := isText && folded(member) == "details" && !strings.Contains(text, " ")
		if !isSkipped(name) && !figure {
			one(object[name], about)
		}
	}
}

// rankOf returns the rank of the words in a member of this name, and whether such members hold words.
func rankOf(member string) (at rank, isWords bool) {
	for at, members := range []string{
		exact: "errors nonfielderrors fielderrors formerrors validationerrors invalidparams violations fieldviolations issues constraints details " +
			"messages errormessages failures",
		specific: "detail reason errordescription defaultmessage usermessage",
		general:  "message msg error errormessage errmsg description",
		title:    "title",
	} {
		if isOneOf(members, member) {
			return rank(at), true
		}
	}
	return 0, false
}

// isEntered reports whether a member has the name of a field that customers enter.
func isEntered(member string) bool {
	return isOneOf("name language entryfile startupcommand rammb diskmb cpupercent", member)
}

// isSkipped reports whether a member of this name holds no words: it repeats what was sent, or says where in the program
// the failure was, or is a code.
func isSkipped(member string) bool {
	return isOneOf("input value rejectedvalue target arguments ctx request trace stack stacktrace debug exception code codes loc path source links type", member)
}

// isOneOf reports whether a text is one of the words. Case and punctuation do not count.
func isOneOf(words, text string) bool { return slices.Contains(strings.Fields(words), folded(text)) }

// fieldOf returns the field that an object says it is about, or "".
func fieldOf(object map[string]any) string {
	for _, name := range []string{"field", "property", "propertyPath", "propertyName", "param", "attribute", "loc", "path", "pointer", "name"} {
		_, locations := object["locations"] // of GraphQL, where the path is that of a function
		_, reason := object["reason"]
		if name == "path" && locations || name == "name" && !reason {
			continue
		}
		value := object[name]
		if list, ok := value.([]any); ok && len(list) > 0 {
			value = list[len(list)-1]
		}
		if field, ok := value.(string); ok && field != "" {
			return field
		}
	}
	if source, ok := object["source"].(map[string]any); ok {
		return fieldOf(source)
	}
	return ""
}

// names reports whether a text can be the name of a field. A path or a number cannot, nor can the names under which some
// frameworks put general mistakes.
func names(field string) bool {
	return folded(field) != "" && !isOneOf("body data base all root errors error general message nonfielderrors fields", field) &&
		len(field) <= 40 && !strings.ContainsAny(field, "/\\{}[]<>\n")
}

// isToken reports whether a text is a word for programs.
func isToken(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r == ' ' || r > unicode.MaxASCII })
}

var statusNumber = regexp.MustCompile(`^(?i)(?:http |error |status )*[1-5][0-9][0-9]\b[ :,-]*`)

// isHollow reports whether a text says no more than the answer's status does, or than that something is wrong.
func isHollow(text string) bool {
	const words = "validation validationfailed validationerrors oneormorevalidationerrorsoccurred thegivendatawasinvalid thegivendatawereinvalid " +
		"invalid invalidrequest invalidinput invaliddata invalidformbody yourrequestparametersdidntvalidate unprocessablecontent " +
		"failed fail failure requestfailed ok an anerroroccurred somethingwentwrong true false client"
	const statuses = "badrequest unauthorized paymentrequired forbidden notfound methodnotallowed notacceptable proxyauthenticationrequired requesttimeout " +
		"conflict gone lengthrequired preconditionfailed requestentitytoolarge requesturitoolong unsupportedmediatype requestedrangenotsatisfiable " +
		"expectationfailed imateapot misdirectedrequest unprocessableentity locked faileddependency tooearly upgraderequired preconditionrequired " +
		"toomanyrequests requestheaderfieldstoolarge unavailableforlegalreasons internalserver notimplemented badgateway serviceunavailable " +
		"gatewaytimeout httpversionnotsupported variantalsonegotiates insufficientstorage loopdetected notextended networkauthenticationrequired"
	said := strings.TrimSuffix(strings.TrimSuffix(folded(statusNumber.ReplaceAllString(text, "")), "exception"), "error")
	return said == "" || isOneOf(words, said) || isOneOf(statuses, said)
}

// folded is a text's letters alone, in lower case.
func folded(text string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsLetter(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, text)
}

// membersOf returns the names of an object's members, always in the same order.
func membersOf(object map[string]any) []string {
	names := slices.Sorted(maps.Keys(object))
	return names[:min(len(names), maxMembers)]
}

func hasObjects(list []any) bool {
	return slices.ContainsFunc(list, func(element any) bool { _, ok := element.(map[string]any); return ok })
}
