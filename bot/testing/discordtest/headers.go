package discordtest

import (
	"mime"
	"net/http"
)

// judgeHeaders notes what is odd about the headers of a request, which Discord may take
// today and refuse tomorrow, as it did with the Content-Type of a DELETE. The measure is
// what four libraries send: discord.js (packages/rest/src/lib/REST.ts, resolveRequest),
// discord.py (discord/http.py, HTTPClient.request), disgo (rest/rest_client.go) and twilight
// (twilight-http src/request/base.rs, src/client/mod.rs). All of them send:
//
//   - a body with POST, PUT and PATCH alone,
//   - a Content-Type for JSON or a form where there is a body of it, and none otherwise.
//     aiohttp names application/octet-stream where a POST or PUT has none,
//   - the length of each body, rather than chunks.
//
// Accept, X-Audit-Log-Reason and the like do no harm anywhere. What Authorization and
// User-Agent are to be, authorize and blocked say.
func (s *Server) judgeHeaders(c *call) {
	kind, parameters, err := mime.ParseMediaType(c.r.Header.Get("Content-Type"))
	typed := kind == "application/json" || kind == "multipart/form-data"
	switch {
	case len(c.r.Header.Values("Content-Type")) > 1 || err != nil && c.r.Header.Get("Content-Type") != "":
		s.fail(c.name(), "the Content-Type is none: %q", c.r.Header.Values("Content-Type"))
	case len(c.r.TransferEncoding) > 0:
		s.fail(c.name(), "the length of the body is not said: no library sends it in chunks")
	case len(c.body) == 0 && typed:
		s.fail(c.name(), "there is a Content-Type, %s, and no body: no library sends that", kind)
	case len(c.body) > 0 && (c.r.Method == http.MethodGet || c.r.Method == http.MethodDelete):
		s.fail(c.name(), "there is a body: no library sends one with %s", c.r.Method)
	case kind == "multipart/form-data" && parameters["boundary"] == "":
		s.fail(c.name(), "the form has no boundary")
	}
}

// bodiless refuses a DELETE without the JSON that its Content-Type announces. Discord
// does so on each route since about 2025-05-30 (DasWolke/SnowTransfer#49), and did on a
// few before: bans (botlabs-gg/discordgo#11, cee-studio/orca#766) and leaving a guild
// (#3110, where the header did no harm on GET). Where a body belongs, decode refuses that
// there is none (#1267).
func (c *call) bodiless() *refusal {
	kind, _, _ := mime.ParseMediaType(c.r.Header.Get("Content-Type"))
	if c.r.Method == http.MethodDelete && kind == "application/json" && len(c.body) == 0 {
		return invalidJSON()
	}
	return nil
}
