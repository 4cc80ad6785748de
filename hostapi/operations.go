package hostapi

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// Operation names an operation of the service.
type Operation string

// The operations of the service.
const (
	OpList          Operation = "list"
	OpGet           Operation = "get"
	OpCreate        Operation = "create"
	OpDelete        Operation = "delete"
	OpStart         Operation = "start"
	OpStop          Operation = "stop"
	OpRestart       Operation = "restart"
	OpReinstall     Operation = "reinstall"
	OpUpdateStartup Operation = "update_startup"
)

// Place is where a request carries the user's ID, as chatUserId.
type Place string

// The places of the user's ID.
const (
	InQuery Place = "query"
	InBody  Place = "body"
)

// Override changes how an operation is called. What is empty stays as the
// service's document has it.
type Override struct {
	Disabled bool   // the operation is turned off
	Method   string // GET or POST for what reads; POST, PUT, PATCH or DELETE for an action
	Path     string // relative to the base URL, with :id in the server's place
	UserIDIn Place
}

// idSegment stands for the server's ID in a path.
const idSegment = ":id"

// endpoint is how an operation is called.
type endpoint struct {
	method string
	path   string
	userIn Place
	reads  bool // changes nothing, and may be repeated
}

func (e endpoint) takesServer() bool { return strings.Contains(e.path, idSegment) }

// standardEndpoints returns the endpoints as the service's document has them,
// and those that it does not show as the service is known to have them.
func standardEndpoints() map[Operation]endpoint {
	const servers, server = "/api/bot/servers", "/api/bot/servers/" + idSegment
	return map[Operation]endpoint{
		OpList:          {http.MethodGet, servers, InQuery, true},
		OpGet:           {http.MethodGet, server, InQuery, true},
		OpCreate:        {http.MethodPost, servers, InBody, false},
		OpDelete:        {http.MethodDelete, server, InQuery, false},
		OpStart:         {http.MethodPost, server + "/start", InBody, false},
		OpStop:          {http.MethodPost, server + "/stop", InBody, false},
		OpRestart:       {http.MethodPost, server + "/restart", InBody, false},
		OpReinstall:     {http.MethodPost, server + "/reinstall", InBody, false},
		OpUpdateStartup: {http.MethodPatch, server + "/startup", InBody, false},
	}
}

// endpointsWith returns the endpoints with overrides applied, without those
// that are turned off. The error joins every mistake.
func endpointsWith(overrides map[Operation]Override) (map[Operation]endpoint, error) {
	endpoints := standardEndpoints()
	var mistakes []error
	for _, op := range slices.Sorted(maps.Keys(overrides)) {
		standard, known := endpoints[op]
		if !known {
			mistakes = append(mistakes, fmt.Errorf("operations: %q is not an operation", op))
			continue
		}
		changed, err := standard.with(overrides[op])
		for _, mistake := range err {
			mistakes = append(mistakes, fmt.Errorf("operations: %s: %w", op, mistake))
		}
		if endpoints[op] = changed; overrides[op].Disabled {
			delete(endpoints, op)
		}
	}
	return endpoints, errors.Join(mistakes...)
}

// with returns the endpoint with an override applied, and the mistakes in that.
func (e endpoint) with(o Override) (endpoint, []error) {
	var mistakes []error
	changed := e
	if o.Method != "" {
		changed.method = o.Method
		if allowed := e.methods(); !slices.Contains(allowed, o.Method) {
			mistakes = append(mistakes, fmt.Errorf("method: %q is none of %s", o.Method, strings.Join(allowed, ", ")))
		}
	}
	if o.Path != "" {
		changed.path = o.Path
		if err := validatePath(o.Path, e.takesServer()); err != nil {
			mistakes = append(mistakes, fmt.Errorf("path: %w", err))
		}
	}
	if o.UserIDIn != "" {
		changed.userIn = o.UserIDIn
		if o.UserIDIn != InQuery && o.UserIDIn != InBody {
			mistakes = append(mistakes, fmt.Errorf("user ID: place %q is none of %s, %s", o.UserIDIn, InQuery, InBody))
		}
	}
	if changed.method == http.MethodGet && changed.userIn == InBody {
		mistakes = append(mistakes, errors.New("user ID: a GET has no body to carry it"))
	}
	return changed, mistakes
}

// methods returns the methods that the operation may be given. An action must
// not be a GET, which proxies and net/http itself send again as they please.
func (e endpoint) methods() []string {
	if e.reads {
		return []string{http.MethodGet, http.MethodPost}
	}
	return []string{http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete}
}

// validatePath checks a path from the configuration.
func validatePath(path string, takesServer bool) error {
	u, err := url.Parse(path)
	switch {
	case !strings.HasPrefix(path, "/") || strings.HasPrefix(path, "//"):
		return fmt.Errorf("%q does not begin with one slash", path)
	case err != nil || u.EscapedPath() != path:
		return fmt.Errorf("%q is not a path as it stands in an address", path)
	}
	servers := 0
	for segment := range strings.SplitSeq(path, "/") {
		switch {
		case segment == idSegment:
			servers++
		case segment == "." || segment == "..":
			return fmt.Errorf("%q has a segment %q", path, segment)
		case strings.Contains(segment, ":"):
			return fmt.Errorf("%q has a segment %q, and only %s stands for something", path, segment, idSegment)
		}
	}
	switch {
	case takesServer && servers != 1:
		return fmt.Errorf("%q must have one segment %s", path, idSegment)
	case !takesServer && servers != 0:
		return fmt.Errorf("%q has a segment %s, and the operation is not about one server", path, idSegment)
	}
	return nil
}
