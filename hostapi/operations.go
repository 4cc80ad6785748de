package hostapi

import (
	"cmp"
	"net/http"
	"net/url"
	"path"
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

// idSegment stands for the server's ID in a path.
const idSegment = ":id"

// operation is how an operation is called, and how its answer is read.
type operation struct {
	name   Operation
	reads  bool // it changes nothing, and may be repeated
	method string
	path   string // relative to the base URL
	userIn Place
	decode decoder
}

// standardOperations is the table of all operations. A new operation needs a name above, a row here and a method of
// Client. The service's document shows only list, reinstall and restart in full. Of the others it gives the name and the
// HTTP method.
func standardOperations() []operation {
	const servers, server = "/api/bot/servers", "/api/bot/servers/" + idSegment
	const reads, acts = true, false
	return []operation{
		{OpList, reads, http.MethodGet, servers, InQuery, decodeList},
		{OpGet, reads, http.MethodGet, server, InQuery, decodeServer},
		{OpCreate, acts, http.MethodPost, servers, InBody, decodeChangedServer},
		{OpDelete, acts, http.MethodDelete, server, InQuery, decodeStatus},
		{OpStart, acts, http.MethodPost, server + "/start", InBody, decodeStatus},
		{OpStop, acts, http.MethodPost, server + "/stop", InBody, decodeStatus},
		{OpRestart, acts, http.MethodPost, server + "/restart", InBody, decodeStatus},
		{OpReinstall, acts, http.MethodPost, server + "/reinstall", InBody, decodeStatus},
		{OpUpdateStartup, acts, http.MethodPatch, server + "/startup", InBody, decodeChangedServer},
	}
}

// Operations returns the names of all operations.
func Operations() []Operation {
	var names []Operation
	for _, o := range standardOperations() {
		names = append(names, o.name)
	}
	return names
}

// Override changes how an operation is called. An empty field changes nothing.
type Override struct {
	Enabled  *bool  `yaml:"enabled"` // nil means true
	Method   string `yaml:"method"`  // GET or POST for one that reads; POST, PUT, PATCH or DELETE for an action
	Path     string `yaml:"path"`    // relative to the base URL, with :id in the server's place
	UserIDIn Place  `yaml:"chat_user_id"`
}

// operationsWith returns the operations with overrides applied, without those
// that are turned off, and every mistake in the overrides.
func operationsWith(overrides map[Operation]Override) (map[Operation]operation, []*ConfigError) {
	operations := make(map[Operation]operation)
	var mistakes []*ConfigError
	for _, o := range standardOperations() {
		change := overrides[o.name]
		o, wrong := o.with(change)
		for _, mistake := range wrong {
			mistake.Field = strings.TrimSuffix("operations."+string(o.name)+"."+mistake.Field, ".")
			mistakes = append(mistakes, mistake)
		}
		if change.Enabled == nil || *change.Enabled {
			operations[o.name] = o
		}
	}
	for name := range overrides {
		if !slices.Contains(Operations(), name) {
			mistakes = append(mistakes, &ConfigError{"operations", "an operation is not known"})
		}
	}
	return operations, mistakes
}

// with returns the operation with an override applied, and the mistakes in the override. If a mistake is in the
// combination of several fields, its Field is empty.
func (o operation) with(change Override) (operation, []*ConfigError) {
	var mistakes []*ConfigError
	check := func(field string, ok bool, problem string) {
		if !ok {
			mistakes = append(mistakes, &ConfigError{field, problem})
		}
	}
	takesServer := o.takesServer()
	o.method = cmp.Or(change.Method, o.method)
	check("method", slices.Contains(o.methods(), o.method), "is none of "+strings.Join(o.methods(), ", "))
	o.path = cmp.Or(change.Path, o.path)
	problem := pathProblem(o.path, takesServer)
	check("path", problem == "", problem)
	o.userIn = cmp.Or(change.UserIDIn, o.userIn)
	check("chat_user_id", o.userIn == InQuery || o.userIn == InBody, "is neither query nor body")
	check("", o.method != http.MethodGet || o.userIn != InBody, "is a GET, which has no body to carry chat_user_id")
	return o, mistakes
}

func (o operation) takesServer() bool { return strings.Contains(o.path, idSegment) }

// methods returns the HTTP methods that an override may give the operation. An action must not be a GET: proxies and
// net/http itself may send a GET again.
func (o operation) methods() []string {
	if o.reads {
		return []string{http.MethodGet, http.MethodPost}
	}
	return []string{http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete}
}

// pathProblem returns what is wrong with a path from the configuration, or "".
func pathProblem(p string, takesServer bool) string {
	u, err := url.Parse(p)
	ids := strings.Count(p+"/", "/"+idSegment+"/")
	switch {
	case err != nil, u.EscapedPath() != p, !strings.HasPrefix(p, "/"), path.Clean(p) != strings.TrimSuffix(p, "/"):
		return "is not a path as it stands in an address, from its first slash on"
	case strings.Count(p, ":") != ids:
		return "has a colon, and only a segment " + idSegment + " stands for something"
	case takesServer && ids != 1:
		return "must have one segment " + idSegment
	case !takesServer && ids != 0:
		return "has a segment " + idSegment + ", and the operation is not about one server"
	}
	return ""
}
