package interaction

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Handler serves one route. The responder explains its error to the caller and logs it for staff.
//
// A handler does not change anything itself, as another process may have the same event: its response's Then does
// (see Defer).
//
// ctx ends when the interaction is over, Then included.
type Handler func(ctx context.Context, r *Request) (Response, error)

// Middleware wraps a handler. It passes a request on or answers it itself.
type Middleware func(Handler) Handler

// Everybody is the middleware of a group whose routes are for everybody.
func Everybody(h Handler) Handler { return h }

// Router finds the handler of an interaction. All routes are added, by groups, before it is used.
//
// A route is a pattern of parts between slashes: "list/{page}" matches "list/2". The part "{name}" matches any
// one part, and "{name...}" the whole rest, slashes included.
type Router struct {
	routes   map[Kind][]route
	problems []error
}

type route struct {
	pattern string
	parts   []part
	handler Handler
}

// part is a part of a pattern.
type part struct {
	text     string // the wildcard's name, or the text to match
	wildcard bool
	rest     bool // a wildcard that matches the whole rest
}

// NewRouter returns a router without routes.
func NewRouter() *Router { return &Router{routes: make(map[Kind][]route)} }

// Group is routes that the same people may use.
type Group struct {
	router *Router
	admit  Middleware
}

// Group returns a group without routes. admit wraps each of its handlers and refuses users who may not use them.
// If admit is nil, the routes are closed: nobody can use them, and Err reports them.
func (r *Router) Group(admit Middleware) Group { return Group{r, admit} }

// Command adds the handler of a command, named with its subcommands: "bot list".
func (g Group) Command(name string, h Handler) { g.add(Command, name, h) }

// Autocomplete adds the handler that suggests values for an option of a command.
func (g Group) Autocomplete(name, option string, h Handler) {
	g.add(Autocomplete, name+" "+option, h)
}

// Component adds the handler of the components whose custom ID matches a pattern.
func (g Group) Component(pattern string, h Handler) { g.add(Component, pattern, h) }

// Modal adds the handler of the modals whose custom ID matches a pattern.
func (g Group) Modal(pattern string, h Handler) { g.add(Modal, pattern, h) }

func (g Group) add(kind Kind, pattern string, h Handler) {
	if g.admit == nil {
		g.router.problems = append(g.router.problems, fmt.Errorf("%w: %s %q", ErrClosed, kind, pattern))
		g.router.add(kind, pattern, failing(ErrClosed))
		return
	}
	g.router.add(kind, pattern, g.admit(h))
}

// failing returns a handler that always fails.
func failing(err error) Handler {
	return func(context.Context, *Request) (Response, error) { return Response{}, err }
}

// Err reports all mistakes in the added routes: closed routes, malformed patterns, and patterns that overlap.
func (r *Router) Err() error { return errors.Join(r.problems...) }

// Patterns returns the patterns of the routes that were added for a kind of interactions.
func (r *Router) Patterns(kind Kind) []string {
	var patterns []string
	for _, route := range r.routes[kind] {
		patterns = append(patterns, route.pattern)
	}
	return patterns
}

func (r *Router) add(kind Kind, pattern string, h Handler) {
	added := route{pattern: pattern, handler: h}
	for text := range strings.SplitSeq(pattern, "/") {
		p := partOf(text)
		twice := slices.ContainsFunc(added.parts, func(other part) bool { return p.wildcard && other.wildcard && other.text == p.text })
		if twice || p.text == "" && p.wildcard || strings.ContainsAny(p.text, "{}") || len(added.parts) > 0 && added.parts[len(added.parts)-1].rest {
			r.problems = append(r.problems, fmt.Errorf("interaction: malformed pattern %q", pattern))
			return
		}
		added.parts = append(added.parts, p)
	}
	for _, other := range r.routes[kind] {
		if added.overlaps(other) {
			r.problems = append(r.problems, fmt.Errorf("interaction: %s patterns %q and %q overlap", kind, pattern, other.pattern))
		}
	}
	r.routes[kind] = append(r.routes[kind], added)
}

func partOf(text string) part {
	if !strings.HasPrefix(text, "{") || !strings.HasSuffix(text, "}") {
		return part{text: text}
	}
	name, rest := strings.CutSuffix(text[1:len(text)-1], "...")
	return part{name, true, rest}
}

// Route returns the handler for a request, and sets its Route and Params. If no pattern matches, the handler
// returns why.
func (r *Router) Route(req *Request) Handler {
	name := req.Name
	if req.Kind == Autocomplete {
		name += " " + req.Focused
	}
	for _, route := range r.routes[req.Kind] {
		if params, ok := route.match(name); ok {
			req.Route, req.Params = route.pattern, params
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
	return failing(err)
}

// overlaps reports whether any name matches both patterns.
func (r route) overlaps(other route) bool {
	for i, p := range r.parts {
		switch {
		case i >= len(other.parts):
			return false
		case p.rest || other.parts[i].rest:
			return true
		case !p.wildcard && !other.parts[i].wildcard && p.text != other.parts[i].text:
			return false
		}
	}
	return len(r.parts) == len(other.parts)
}

// match reports whether a name matches the pattern, and returns the values of the wildcards.
func (r route) match(name string) (params map[string]string, ok bool) {
	for i, p := range r.parts {
		found, left, more := strings.Cut(name, "/")
		switch {
		case p.rest:
			found, more = name, false
		case more != (i+1 < len(r.parts)), !p.wildcard && found != p.text:
			return nil, false
		}
		if p.wildcard {
			if params == nil {
				params = make(map[string]string)
			}
			params[p.text] = found
		}
		name = left
	}
	return params, true
}
