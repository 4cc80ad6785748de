package interaction

import (
	"context"
	"errors"
	"fmt"
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
// of a component or modal is matched by segments between slashes: "list/{page}"
// matches "list/2". A last segment "{name...}" matches all that is left, which
// may hold slashes and anything else.
type Router struct {
	exact    map[routeKey]Handler
	patterns map[Kind][]pattern
	problems []error
}

type routeKey struct {
	kind Kind
	name string
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

// Err reports what is wrong with the routes that were added: duplicates,
// patterns that can match the same custom ID, malformed patterns.
func (r *Router) Err() error { return errors.Join(r.problems...) }

func (r *Router) addExact(kind Kind, name string, h Handler) {
	key := routeKey{kind, name}
	if _, taken := r.exact[key]; taken {
		r.problems = append(r.problems, fmt.Errorf("interaction: %s %q is routed twice", kind, name))
	}
	r.exact[key] = h
}

func (r *Router) addPattern(kind Kind, text string, h Handler) {
	p, err := parsePattern(text, h)
	if err != nil {
		r.problems = append(r.problems, err)
		return
	}
	for _, other := range r.patterns[kind] {
		if p.overlaps(other) {
			r.problems = append(r.problems, fmt.Errorf("interaction: %s patterns %q and %q overlap", kind, text, other.text))
		}
	}
	r.patterns[kind] = append(r.patterns[kind], p)
}

// Route finds the handler for a request and notes in the request what matched.
// Where nothing does, the handler it returns reports ErrNoRoute.
func (r *Router) Route(req *Request) Handler {
	switch req.Kind {
	case Command, Autocomplete:
		name := req.Name
		if req.Kind == Autocomplete {
			name += " " + req.Focused
		}
		if h, ok := r.exact[routeKey{req.Kind, name}]; ok {
			req.Route = name
			return h
		}
	case Component, Modal:
		for _, p := range r.patterns[req.Kind] {
			if params, ok := p.match(req.Name); ok {
				req.Route, req.Params = p.text, params
				return p.handler
			}
		}
	}
	req.Route = "none"
	return func(context.Context, *Request) (Response, error) { return Response{}, ErrNoRoute }
}

// pattern is a compiled route of custom IDs.
type pattern struct {
	text     string
	segments []segment
	handler  Handler
}

type segment struct {
	text     string // literal text, or the wildcard's name
	wildcard bool
	rest     bool // matches all that is left
}

func parsePattern(text string, h Handler) (pattern, error) {
	p := pattern{text: text, handler: h}
	parts := strings.Split(text, "/")
	for i, part := range parts {
		name, isWildcard := strings.CutPrefix(part, "{")
		if !isWildcard {
			p.segments = append(p.segments, segment{text: part})
			continue
		}
		name, closed := strings.CutSuffix(name, "}")
		name, rest := strings.CutSuffix(name, "...")
		if !closed || name == "" || rest && i != len(parts)-1 {
			return p, fmt.Errorf("interaction: malformed pattern %q", text)
		}
		p.segments = append(p.segments, segment{text: name, wildcard: true, rest: rest})
	}
	return p, nil
}

func (p pattern) match(customID string) (map[string]string, bool) {
	var params map[string]string
	left := customID
	for i, s := range p.segments {
		part, after, more := strings.Cut(left, "/")
		if s.rest {
			part, more = left, false
		}
		last := i == len(p.segments)-1
		if more == last || !s.wildcard && s.text != part {
			return nil, false
		}
		if s.wildcard {
			if params == nil {
				params = make(map[string]string, 2)
			}
			params[s.text] = part
		}
		left = after
	}
	return params, true
}

// overlaps tells whether some custom ID fits both patterns.
func (p pattern) overlaps(q pattern) bool {
	for i := 0; ; i++ {
		switch {
		case i == len(p.segments) || i == len(q.segments):
			return len(p.segments) == len(q.segments)
		case p.segments[i].rest || q.segments[i].rest:
			return true
		case !p.segments[i].wildcard && !q.segments[i].wildcard && p.segments[i].text != q.segments[i].text:
			return false
		}
	}
}
