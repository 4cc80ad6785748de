package rest

import (
	"net/http"
	"strings"
	"time"
)

// slow is from when on a request is one to look into, with its wait for room.
const slow = time.Second

// trace shows a request that failed or was slow to who looks for a mistake. The error is as it
// is told, without secrets; nil for none.
func (c *Client) trace(req *http.Request, began time.Time, failure *Error) {
	line := c.Log.Debug()
	if !line.Enabled() {
		return
	}
	took := time.Since(began)
	if failure == nil && took < slow {
		return
	}
	if failure != nil {
		line = line.AnErr("error", failure)
	}
	line.Str("method", req.Method).Str("route", template(strings.TrimPrefix(req.URL.Path, c.path))).
		Dur("took_ms", took).Msg("a request to discord failed or was slow")
}

// template returns a path below the API's base with names in the place of what differs from
// request to request: IDs, and the tokens of interactions, which are secrets.
func template(path string) string {
	segments := strings.Split(path, "/")
	for i, segment := range segments {
		switch {
		case i == 2 && answersInteraction(path):
			segments[i] = ":token"
		case segment != "" && strings.Trim(segment, "0123456789") == "":
			segments[i] = ":id"
		}
	}
	return strings.Join(segments, "/")
}
