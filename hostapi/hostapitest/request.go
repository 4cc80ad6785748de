package hostapitest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// Operation names an operation of the document.
type Operation string

// The operations. List Bots is at /api/bot/servers; the others are below it.
const (
	OpList          Operation = "list"
	OpGet           Operation = "get"
	OpCreate        Operation = "create"
	OpDelete        Operation = "delete"
	OpStart         Operation = "start"
	OpStop          Operation = "stop"
	OpRestart       Operation = "restart"
	OpReinstall     Operation = "reinstall"
	OpUpdateStartup Operation = "startup"
)

const (
	serversPath = "/api/bot/servers"
	bodyLimit   = 1 << 20
)

// route is where an operation is found, and what its body holds.
type route struct {
	operation Operation
	method    string
	onServer  bool     // the path holds an id
	verb      string   // the path's part after the id
	body      []string // names of all fields; nil: no body, chatUserId in the query
}

func routes() []route {
	return []route{
		{OpList, http.MethodGet, false, "", nil},
		{OpCreate, http.MethodPost, false, "", []string{"chatUserId", "name", "language", "entryFile", "startupCommand", "ramMb", "diskMb", "cpuPercent"}},
		{OpGet, http.MethodGet, true, "", nil},
		{OpDelete, http.MethodDelete, true, "", nil},
		{OpStart, http.MethodPost, true, "start", []string{"chatUserId"}},
		{OpStop, http.MethodPost, true, "stop", []string{"chatUserId"}},
		{OpRestart, http.MethodPost, true, "restart", []string{"chatUserId"}},
		{OpReinstall, http.MethodPost, true, "reinstall", []string{"chatUserId"}},
		{OpUpdateStartup, http.MethodPatch, true, "startup", []string{"chatUserId", "startupCommand", "entryFile"}},
	}
}

// call is a request that keeps to the document.
type call struct {
	operation Operation
	userID    string
	serverID  string
	fields    fields
}

// fields are the values of a request's body.
type fields struct {
	ChatUserID     string `json:"chatUserId"`
	Name           string `json:"name"`
	Language       string `json:"language"`
	EntryFile      string `json:"entryFile"`
	StartupCommand string `json:"startupCommand"`
	RAMMB          int    `json:"ramMb"`
	DiskMB         int    `json:"diskMb"`
	CPUPercent     int    `json:"cpuPercent"`
}

// refusal is an answer other than success.
type refusal struct {
	status  int
	code    string
	message string
}

func (r *refusal) Error() string { return r.message }

func broken(status int, code, format string, args ...any) *refusal {
	return &refusal{status, code, fmt.Sprintf(format, args...)}
}

// parse reads a request by the document. What could be read of a request that
// breaks it is in the call beside the refusal.
func parse(r *http.Request, body []byte) (call, *refusal) {
	id, verb, onServer, refused := splitPath(r.URL.EscapedPath())
	if refused != nil {
		return call{}, refused
	}
	var found *route
	known := false
	for _, candidate := range routes() {
		if candidate.onServer != onServer || candidate.verb != verb {
			continue
		}
		known = true
		if candidate.method == r.Method {
			found = &candidate
		}
	}
	switch {
	case !known:
		return call{}, broken(http.StatusNotFound, CodeNoSuchPath, "there is nothing at this path")
	case found == nil:
		return call{}, broken(http.StatusMethodNotAllowed, CodeMethod, "there is no %s at this path", r.Method)
	}
	c := call{operation: found.operation, serverID: id}
	if found.body == nil {
		refused = c.readQuery(r, body)
	} else {
		refused = c.readBody(r, body, found.body)
	}
	return c, refused
}

// splitPath takes /api/bot/servers[/:id[/:verb]] apart. The id is decoded as
// the one segment that it is; what it decodes to is of no matter.
func splitPath(path string) (id, verb string, onServer bool, refused *refusal) {
	rest, ok := strings.CutPrefix(path, serversPath)
	if !ok || rest != "" && rest[0] != '/' {
		return "", "", false, broken(http.StatusNotFound, CodeNoSuchPath, "there is nothing at this path")
	}
	if rest == "" {
		return "", "", false, nil
	}
	segment, verb, hasVerb := strings.Cut(rest[1:], "/")
	id, err := url.PathUnescape(segment)
	if err != nil || id == "" || segment == "." || segment == ".." || hasVerb && verb == "" {
		return "", "", false, broken(http.StatusNotFound, CodeNoSuchPath, "the path holds no id in its place")
	}
	return id, verb, true, nil
}

func (c *call) readQuery(r *http.Request, body []byte) *refusal {
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return broken(http.StatusBadRequest, CodeBadRequest, "the query cannot be read")
	}
	if len(query["chatUserId"]) != 1 || query.Get("chatUserId") == "" {
		return broken(http.StatusBadRequest, CodeBadRequest, "chatUserId is missing in the query")
	}
	c.userID = query.Get("chatUserId")
	if len(query) != 1 {
		return broken(http.StatusBadRequest, CodeBadRequest, "the query holds more than chatUserId")
	}
	if len(body) > 0 {
		return broken(http.StatusBadRequest, CodeBadRequest, "a %s has no body", r.Method)
	}
	return nil
}

func (c *call) readBody(r *http.Request, body []byte, names []string) *refusal {
	if media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || media != "application/json" {
		return broken(http.StatusBadRequest, CodeBadRequest, "the Content-Type is not application/json")
	}
	if r.URL.RawQuery != "" {
		return broken(http.StatusBadRequest, CodeBadRequest, "a %s has no query", r.Method)
	}
	// A map first: the names count exactly as they are written, and a field that
	// is not there differs from an empty one. A struct keeps neither.
	var values map[string]json.RawMessage
	if err := json.Unmarshal(body, &values); err != nil || values == nil {
		return broken(http.StatusBadRequest, CodeBadRequest, "the body is not a JSON object")
	}
	for _, name := range names {
		if value, ok := values[name]; !ok || string(value) == "null" {
			return broken(http.StatusBadRequest, CodeBadRequest, "%s is missing in the body", name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if !slices.Contains(names, name) {
			return broken(http.StatusBadRequest, CodeBadRequest, "the body holds an unknown field %q", name)
		}
	}
	if err := json.Unmarshal(body, &c.fields); err != nil {
		return broken(http.StatusBadRequest, CodeBadRequest, "a field of the body has the wrong type: %v", err)
	}
	if c.userID = c.fields.ChatUserID; c.userID == "" {
		return broken(http.StatusBadRequest, CodeBadRequest, "chatUserId is empty")
	}
	return nil
}

// readAll reads a request's body. The error is a *refusal where the body is too
// large, else the request never came in full.
func readAll(r *http.Request) ([]byte, error) {
	body, err := io.ReadAll(io.LimitReader(r.Body, bodyLimit))
	if err != nil {
		return nil, err
	}
	// What is over the limit is read too, or the caller would still be sending
	// when the connection is closed, and not see the answer.
	over, err := io.Copy(io.Discard, r.Body)
	if err == nil && over > 0 {
		err = broken(http.StatusRequestEntityTooLarge, CodeBadRequest, "the body is larger than %d bytes", bodyLimit)
	}
	return bytes.TrimSpace(body), err
}
