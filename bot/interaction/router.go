package interaction

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// Handler serves one route. An error it returns is told to the caller and to
// staff by the one who called it.
//
// ctx ends when the interaction is over, whichever way, its Then included.
type Handler func(ctx context.Context, r *Request) (Response, error)

// Router finds the handler of an interaction. Routes are added before it is
// used and never after.
//
// A command and its autocomplete are named in full: "bot list". The custom ID
// of a component or modal is matched by a pattern: "list/{page}" matches "list/2".
// "{name}" matches all up to the next slash, and "{name...}" all that is left,
// which may hold slashes and anything else.
type Router struct {
	exact    map[routeKey]Handler
	patterns map[Kind][]pattern
	problems []error
}

type routeKey struct {
	kind Kind
	name string
}

// pattern is a route of custom IDs.
type pattern struct {
	text    string
	matches *regexp.Regexp
	handler Handler
}

// NewRouter returns a router without routes.
func NewRouter() *Router {
	return &Router{exact: make(map[routeKey]Handler), patterns: make(map[Kind][]pattern)}
}

// Command adds the handler of a command, named with its subcommands.
func (r *Router) Command(name string, h Handler) { r.addExact(Command, name, h) }

// Autocomplete adds the handler that suggests values for an option of a command.
func (r *Router) Autocomplete(name, option string, h Handler) {
	r.addExact(Autocomplete, name+" "+option, h)
}

// Component adds the handler of the components whose custom ID fits the pattern.
func (r *Router) Component(pattern string, h Handler) { r.addPattern(Component, pattern, h) }

// Modal adds the handler of the modals whose custom ID fits the pattern.
func (r *Router) Modal(pattern string, h Handler) { r.addPattern(Modal, pattern, h) }

// Err reports what is wrong with the routes that were added: duplicates, patterns
// of which one matches the other, malformed patterns.
func (r *Router) Err() error { return errors.Join(r.problems...) }

func (r *Router) addExact(kind Kind, name string, h Handler) {
	key := routeKey{kind, name}
	if _, taken := r.exact[key]; taken {
		r.problems = append(r.problems, fmt.Errorf("interaction: %s %q is routed twice", kind, name))
	}
	r.exact[key] = h
}

func (r *Router) addPattern(kind Kind, text string, h Handler) {
	groups := strings.NewReplacer(`\{`, `(?P<`, `\.\.\.\}`, `>.*)`, `\}`, `>[^/]*)`)
	matches, err := regexp.Compile("(?s)^" + groups.Replace(regexp.QuoteMeta(text)) + "$")
	if err != nil {
		r.problems = append(r.problems, fmt.Errorf("interaction: malformed pattern %q: %w", text, err))
		return
	}
	for _, other := range r.patterns[kind] {
		if matches.MatchString(other.text) || other.matches.MatchString(text) {
			r.problems = append(r.problems, fmt.Errorf("interaction: %s patterns %q and %q overlap", kind, text, other.text))
		}
	}
	r.patterns[kind] = append(r.patterns[kind], pattern{text, matches, h})
}

// Route finds the handler for a request and notes in the request what matched.
// Where nothing does, the handler it returns reports why.
func (r *Router) Route(req *Request) Handler {
	name := req.Name
	if req.Kind == Autocomplete {
		name += " " + req.Focused
	}
	if h, ok := r.exact[routeKey{req.Kind, name}]; ok {
		req.Route = name
		return h
	}
	for _, p := range r.patterns[req.Kind] {
		if values := p.matches.FindStringSubmatch(name); values != nil {
			req.Route, req.Params = p.text, p.params(values)
			return p.handler
		}
	}
	req.Route = "none"
	err := ErrNoRoute
	switch {
	case req.Kind == "":
		err = ErrUnsupported
	case req.Name == "":
		err = ErrIncomplete
	}
	return func(context.Context, *Request) (Response, error) { return Response{}, err }
}

// params returns what a pattern's wildcards matched, by their names.
func (p pattern) params(values []string) map[string]string {
	params := make(map[string]string)
	for i, name := range p.matches.SubexpNames() {
		if name != "" {
			params[name] = values[i]
		}
	}
	return params
}
