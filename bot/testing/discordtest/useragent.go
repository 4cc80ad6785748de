package discordtest

import (
	"net/http"
	"regexp"
)

// userAgent matches what a client of Discord's calls itself: DiscordBot, and in
// brackets an address and a version (docs:reference#user-agent). discord.py
// leaves the comma between the two out (discord/http.py), and what follows the
// brackets is free.
var userAgent = regexp.MustCompile(`^DiscordBot \(\S+[^()]*\)`)

// blocked reports whether Cloudflare turns a request away for its User-Agent, and
// answers it then. Discord documents that such a request "may be blocked"
// (docs:reference#user-agent) with code 40333
// (docs:topics/opcodes-and-status-codes#json). In fact it lets some foreign
// agents pass (discord-api-docs#4908), and not those of browsers (#6473) or of
// runtimes such as Java (#1504). The server lets none pass but where an
// interaction is answered: discord.py sends its HTTP library's there
// (discord/webhook/async_.py).
func (s *Server) blocked(w http.ResponseWriter, c *call) bool {
	if userAgent.MatchString(c.r.UserAgent()) || isInteractionRoute(c.route) && !s.cfg.StrictUserAgent {
		return false
	}
	s.fail(c.name(), "Discord may refuse the User-Agent %q", c.r.UserAgent())
	c.writeByCloudflare(w, http.StatusForbidden, refuse(http.StatusForbidden, CodeBlocked, "internal network error").body())
	return true
}
