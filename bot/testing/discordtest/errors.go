package discordtest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// Error codes of Discord that the server answers with
// (docs:topics/opcodes-and-status-codes#json).
const (
	CodeUnknownChannel      = 10003
	CodeUnknownMessage      = 10008
	CodeUnknownMember       = 10007
	CodeUnknownUser         = 10013
	CodeUnknownWebhook      = 10015
	CodeUnknownInteraction  = 10062 // too late, or never was
	CodeDailyCreates        = 30034
	CodeOldMessageEdits     = 30046
	CodeTooLarge            = 40005
	CodeNeedsThread         = 40058
	CodeAlreadyAcknowledged = 40060
	CodeBlocked             = 40333 // Cloudflare's
	CodeMissingAccess       = 50001
	CodeNotTheAuthor        = 50005
	CodeEmptyMessage        = 50006
	CodeCannotMessageUser   = 50007
	CodeMissingPermissions  = 50013
	CodeWrongChannelType    = 50024
	CodeInvalidToken        = 50027
	CodeInvalidForm         = 50035
	CodeThreadArchived      = 50083
	CodeInvalidJSON         = 50109
	CodeNoWayToUser         = 50278
	CodeThreadThere         = 160004
	CodeThreadLocked        = 160005
	CodeBlockedMessage      = 200000 // by AutoMod

	CodeUploadsLimited = 400001

	CodeQuarantined = 20026
	CodeDMsTooFast  = 40003
)

// refusal is an answer that says no.
type refusal struct {
	status  int
	code    int
	message string
	errors  map[string]any // the tree of an invalid form
	limit   *waiting       // of a 429
	header  http.Header
	// innocent marks a refusal that is not the bot's mistake, such as a
	// channel's state that a test has set.
	innocent bool
}

// waiting is what the body of a 429 says of the limit.
type waiting struct {
	RetryAfter float64 `json:"retry_after"` // seconds
	Global     bool    `json:"global"`
}

func refuse(status, code int, message string) *refusal {
	return &refusal{status: status, code: code, message: message}
}

// body is the refusal as JSON. The members' order is that of the reports in
// Kord-Extensions/kord-extensions#215 and #8290, and spaces stand where Python
// writes them (kord-extensions#215).
func (r *refusal) body() []byte {
	body := struct {
		Message string `json:"message"`
		*waiting
		Code   *int           `json:"code,omitempty"`
		Errors map[string]any `json:"errors,omitempty"`
	}{r.message, r.limit, &r.code, r.errors}
	if r.limit != nil && r.code == 0 {
		body.Code = nil // only some limits have one (docs:topics/rate-limits#exceeding-a-rate-limit)
	}
	compact, err := json.Marshal(body)
	if err != nil {
		return nil // unreachable: a form's tree holds strings alone
	}
	return spaced(compact)
}

// spaced adds the spaces with which Python's json.dumps writes JSON.
func spaced(compact []byte) []byte {
	var out []byte
	quoted, escaped := false, false
	for _, b := range compact {
		out = append(out, b)
		switch {
		case escaped:
			escaped = false
		case quoted && b == '\\':
			escaped = true
		case b == '"':
			quoted = !quoted
		case !quoted && (b == ':' || b == ','):
			out = append(out, ' ')
		}
	}
	return out
}

// problems collects what is wrong with a form. A path names the members and
// indices that lead to the mistake, with dots between (docs:reference#error-messages).
// Few of the codes in the tree are documented; no bot should rely on one.
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
