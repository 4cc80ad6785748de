package rest

import (
	"net/http"
	"strings"
	"time"
)

// slow is how long a request takes to be logged as slow, its wait for room included.
const slow = time.Second

// trace logs a request that failed or was slow, at the level debug. failure has no secrets; it is nil after a
// success.
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

// template returns a path below the API's base with placeholders for IDs and the secret tokens of interactions.
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
