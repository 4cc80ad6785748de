package discordtest

import (
	"fmt"
	"net/http"
	"strings"
)

// Error codes of Discord that the server answers with.
const (
	CodeUnknownChannel      = 10003
	CodeUnknownMessage      = 10008
	CodeUnknownWebhook      = 10015
	CodeUnknownUser         = 10013
	CodeUnknownCommand      = 10063
	CodeUnknownInteraction  = 10062 // too late, or never was
	CodeDailyCreates        = 30034
	CodeOldMessageEdits     = 30046
	CodeTooLarge            = 40005
	CodeAlreadyAcknowledged = 40060
	CodeTooManyFollowUps    = 40094
	CodeMissingAccess       = 50001
	CodeNotTheAuthor        = 50005
	CodeEmptyMessage        = 50006
	CodeMissingPermissions  = 50013
	CodeInvalidToken        = 50027
	CodeInvalidForm         = 50035
	CodeThreadArchived      = 50083
	CodeInvalidJSON         = 50109
)

// refusal is an answer that says no.
type refusal struct {
	status  int
	code    int
	message string
	errors  map[string]any // the tree of an invalid form
	extra   map[string]any // further members of the body
	header  http.Header
	// innocent marks a refusal that is not the bot's mistake, such as a
	// channel's state that a test has set.
	innocent bool
}

func refuse(status, code int, message string) *refusal {
	return &refusal{status: status, code: code, message: message}
}

func (r *refusal) body() map[string]any {
	body := map[string]any{"message": r.message, "code": r.code}
	if r.errors != nil {
		body["errors"] = r.errors
	}
	for name, value := range r.extra {
		body[name] = value
	}
	return body
}

// problems collects what is wrong with a form. A path names the members and
// indices that lead to the mistake, with dots between.
type problems struct {
	list []problem
}

type problem struct {
	path, code, message string
}

func (p *problems) add(path, code, format string, args ...any) {
	p.list = append(p.list, problem{path, code, fmt.Sprintf(format, args...)})
}

func (p *problems) required(path string) {
	p.add(path, "BASE_TYPE_REQUIRED", "This field is required")
}

// refusal returns the answer to the form, or nil where nothing is wrong.
func (p *problems) refusal() *refusal {
	if len(p.list) == 0 {
		return nil
	}
	tree := map[string]any{}
	for _, found := range p.list {
		node := tree
		for _, step := range strings.Split(found.path, ".") {
			if step == "" {
				continue
			}
			next, ok := node[step].(map[string]any)
			if !ok {
				next = map[string]any{}
				node[step] = next
			}
			node = next
		}
		entries, _ := node["_errors"].([]map[string]string)
		node["_errors"] = append(entries, map[string]string{"code": found.code, "message": found.message})
	}
	return &refusal{status: http.StatusBadRequest, code: CodeInvalidForm, message: "Invalid Form Body", errors: tree}
}

// at joins the steps of a path.
func at(steps ...any) string {
	parts := make([]string, 0, len(steps))
	for _, step := range steps {
		if text := fmt.Sprint(step); text != "" {
			parts = append(parts, text)
		}
	}
	return strings.Join(parts, ".")
}
