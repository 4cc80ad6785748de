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
// A route is a pattern: "list/{page}" matches "list/2". "{name}" matches all up to
// the next slash, and "{name...}" all that is left, which may hold slashes and
// anything else.
type Router struct {
	routes   map[Kind][]route
	problems []error
}

type route struct {
	pattern string
	matches *regexp.Regexp
	handler Handler
}

// NewRouter returns a router without routes.
func NewRouter() *Router { return &Router{routes: make(map[Kind][]route)} }

// Command adds the handler of a command, named with its subcommands: "bot list".
func (r *Router) Command(name string, h Handler) { r.add(Command, name, h) }

// Autocomplete adds the handler that suggests values for an option of a command.
func (r *Router) Autocomplete(name, option string, h Handler) {
	r.add(Autocomplete, name+" "+option, h)
}

// Component adds the handler of the components whose custom ID fits the pattern.
func (r *Router) Component(pattern string, h Handler) { r.add(Component, pattern, h) }

// Modal adds the handler of the modals whose custom ID fits the pattern.
func (r *Router) Modal(pattern string, h Handler) { r.add(Modal, pattern, h) }

// Err reports what is wrong with the routes that were added: patterns of which one
// matches the other, malformed patterns.
func (r *Router) Err() error { return errors.Join(r.problems...) }

func (r *Router) add(kind Kind, pattern string, h Handler) {
	wildcards := strings.NewReplacer(`\{`, `(?P<`, `\.\.\.\}`, `>.*)`, `\}`, `>[^/]*)`)
	matches, err := regexp.Compile("(?s)^" + wildcards.Replace(regexp.QuoteMeta(pattern)) + "$")
	if err != nil {
		r.problems = append(r.problems, fmt.Errorf("interaction: malformed pattern %q: %w", pattern, err))
		return
	}
	for _, other := range r.routes[kind] {
		if matches.MatchString(other.pattern) || other.matches.MatchString(pattern) {
			r.problems = append(r.problems, fmt.Errorf("interaction: %s patterns %q and %q overlap", kind, pattern, other.pattern))
		}
	}
	r.routes[kind] = append(r.routes[kind], route{pattern, matches, h})
}

// Route finds the handler for a request and notes in the request what matched.
// Where nothing does, the handler it returns reports why.
func (r *Router) Route(req *Request) Handler {
	name := req.Name
	if req.Kind == Autocomplete {
		name += " " + req.Focused
	}
	for _, route := range r.routes[req.Kind] {
		if values := route.matches.FindStringSubmatch(name); values != nil {
			req.Route, req.Params = route.pattern, route.params(values)
			return route.handler
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
func (r route) params(values []string) map[string]string {
	params := make(map[string]string)
	for i, name := range r.matches.SubexpNames() {
		if name != "" {
			params[name] = values[i]
		}
	}
	return params
}
