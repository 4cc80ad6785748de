package discordtest

import (
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"
	"time"
)

// Routes of the REST API, below the version, as faults and calls name them.
const (
	RouteGateway       = "/gateway"
	RouteGatewayBot    = "/gateway/bot"
	RouteCommands      = "/applications/{application}/commands"
	RouteGuildCommands = "/applications/{application}/guilds/{guild}/commands"
	RouteDMs           = "/users/@me/channels"
	RouteCallback      = "/interactions/{id}/{token}/callback"
	RouteFollowUps     = "/webhooks/{application}/{token}"
	RouteFollowUp      = "/webhooks/{application}/{token}/messages/{message}"
	RouteOriginal      = "/webhooks/{application}/{token}/messages/@original"
	RouteChannel       = "/channels/{channel}"
	RouteGuild         = "/guilds/{guild}"
	RouteMember        = "/guilds/{guild}/members/{user}"
	RouteMessages      = "/channels/{channel}/messages"
	RouteMessage       = "/channels/{channel}/messages/{message}"
	RouteThreads       = "/channels/{channel}/messages/{message}/threads"

	// RouteEndpoint stands for the Interactions Endpoint URL in faults and failures.
	RouteEndpoint = "the interactions endpoint"
)

// maxBody bounds a request's body, in bytes
// (docs:resources/message#create-message-limitations).
const maxBody = 25 << 20

// call is a request that is being handled.
type call struct {
	r      *http.Request
	route  string
	body   []byte
	status int    // what was answered; 0 where nothing was
	answer []byte // its body

	creates bool // a success is answered with 201 rather than 200

	files map[int]*file // that came with the body
}

func (c *call) name() string { return c.r.Method + " " + c.route }

// endpoint handles a call. It returns what is answered as JSON with 200, or,
// where that is nil, with 204.
type endpoint func(*call) (any, *refusal)

// routes builds the handler of REST and gateway.
func (s *Server) routes() http.Handler {
	rest := http.NewServeMux()
	handle := func(method, route string, h endpoint) {
		rest.HandleFunc(method+" "+route, func(w http.ResponseWriter, r *http.Request) { s.serve(w, r, route, h) })
	}
	handle("GET", RouteGateway, func(*call) (any, *refusal) { return map[string]any{"url": s.GatewayURL()}, nil })
	handle("GET", RouteGatewayBot, s.getGatewayBot)
	handle("GET", "/users/@me", func(*call) (any, *refusal) { return s.app.user, nil })
	handle("GET", RouteApplication, s.getApplication)
	handle("GET", "/oauth2/applications/@me", s.getApplication)
	for _, route := range []string{RouteCommands, RouteGuildCommands} {
		handle("GET", route, s.getCommands)
		handle("PUT", route, s.putCommands)
	}
	handle("POST", RouteDMs, s.postDM)
	handle("POST", RouteCallback, s.postCallback)
	handle("POST", RouteFollowUps, s.postFollowUp)
	for _, route := range []string{RouteOriginal, RouteFollowUp} {
		handle("GET", route, s.getReply)
		handle("PATCH", route, s.patchReply)
		handle("DELETE", route, s.deleteReply)
	}
	handle("POST", RouteMessages, s.postMessage)
	handle("GET", RouteChannel, s.getChannel)
	handle("GET", RouteGuild, s.getGuild)
	handle("GET", RouteMember, s.getMember)
	handle("GET", RouteMessages, s.getMessages)
	handle("GET", RouteMessage, s.getMessage)
	handle("PATCH", RouteMessage, s.patchMessage)
	handle("DELETE", RouteMessage, s.deleteMessage)
	handle("POST", RouteThreads, s.postThread)
	rest.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { s.serve(w, r, "", notFound) })

	all := http.NewServeMux()
	all.HandleFunc("GET "+RouteAttachment, s.getAttachment)
	all.Handle("/api/v9/", http.StripPrefix("/api/v9", rest))
	all.Handle("/api/v10/", http.StripPrefix("/api/v10", rest))
	all.HandleFunc("GET /{$}", s.gateway.serve)
	return all
}

func notFound(*call) (any, *refusal) {
	return nil, refuse(http.StatusNotFound, 0, "404: Not Found")
}

// serve takes a call through all that may stop it, to its answer.
func (s *Server) serve(w http.ResponseWriter, r *http.Request, route string, h endpoint) {
	s.handlers.Add(1)
	defer s.handlers.Done()
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	c := &call{r: r, route: route, body: body}
	entry := &Call{Method: r.Method, Route: route, Path: r.URL.Path, Request: body, Started: s.clock.Now()}
	begun := time.Now()
	s.recorder.begin(entry)
	defer func() {
		s.invalid.count(c.status, w.Header())
		s.recorder.finish(entry, c.status, c.answer, time.Since(begun))
	}()

	if s.banned(w, c) || s.blocked(w, c) {
		return
	}
	fault := s.faults.take(r.Method, route)
	if fault != nil && route == RouteCallback {
		s.hinder(r.PathValue("token"))
	}
	if s.strike(fault, false, w, c) {
		return
	}
	var value any
	refused := s.admit(w, c, err)
	if refused == nil {
		value, refused = h(c)
	}
	if refused != nil && !refused.innocent {
		late := refused.code == CodeUnknownInteraction || refused.code == CodeUnknownWebhook
		s.failed(late && s.hindered(c), c.name(), "%d, code %d: %s%s", refused.status, refused.code, refused.message, describe(refused.errors))
	}
	if s.strike(fault, true, w, c) {
		return
	}
	reply(w, c, value, refused)
}

// admit refuses a call that may not be handled at all.
func (s *Server) admit(w http.ResponseWriter, c *call, read error) *refusal {
	var tooLarge *http.MaxBytesError
	if errors.As(read, &tooLarge) {
		return refuse(http.StatusRequestEntityTooLarge, CodeTooLarge, "Request entity too large") // #8572
	}
	if read != nil {
		return refuse(http.StatusBadRequest, 0, "400: Bad Request")
	}
	s.judgeHeaders(c)
	if refused := s.authorize(c); refused != nil {
		return refused
	}
	if !s.cfg.NoRateLimits {
		if refused := s.limits.take(c, w.Header()); refused != nil {
			return refused
		}
	}
	return c.bodiless()
}

func invalidJSON() *refusal {
	return refuse(http.StatusBadRequest, CodeInvalidJSON, "The request body contains invalid JSON.")
}

// authorize checks the token. Interactions are answered by their own token, and
// anybody may ask for the gateway (docs:events/gateway#get-gateway). No source says
// whether a wrong token does harm there; here it does not. The answer to a wrong one
// is that of germanoeich/nirn-proxy queue.go.
func (s *Server) authorize(c *call) *refusal {
	scheme, token, _ := strings.Cut(c.r.Header.Get("Authorization"), " ")
	if scheme == "Bot" && s.valid(token) || c.route == RouteGateway || isInteractionRoute(c.route) {
		return nil
	}
	return refuse(http.StatusUnauthorized, 0, "401: Unauthorized")
}

// valid reports whether a token is the bot's and has not been reset.
func (s *Server) valid(token string) bool { return token != "" && token == *s.token.Load() }

func isInteractionRoute(route string) bool {
	return route == RouteCallback || strings.HasPrefix(route, RouteFollowUps)
}

// reply sends an answer.
func reply(w http.ResponseWriter, c *call, value any, refused *refusal) {
	body, err := json.Marshal(value)
	if err != nil {
		refused = refuse(http.StatusInternalServerError, 0, "500: Internal Server Error")
	}
	if refused != nil {
		for name, values := range refused.header {
			w.Header()[name] = values
		}
		w.Header().Set("Content-Type", "application/json")
		c.write(w, refused.status, refused.body())
		return
	}
	if value == nil {
		// Discord names a type although there is no body (#5887).
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		c.write(w, http.StatusNoContent, nil)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	status := http.StatusOK
	if c.creates {
		status = http.StatusCreated
	}
	c.write(w, status, body)
}

// describe prints the tree of an invalid form for a failure's reason.
func describe(tree map[string]any) string {
	if tree == nil {
		return ""
	}
	text, err := json.Marshal(tree)
	if err != nil {
		return ""
	}
	return " " + string(text)
}

// write sends an answer with the headers that Discord adds on all routes (#6407,
// Snazzah/slash-create#334).
func (c *call) write(w http.ResponseWriter, status int, body []byte) {
	h := w.Header()
	h.Set("Via", "1.1 google")
	h.Set("CF-Cache-Status", "DYNAMIC")
	h.Set("Alt-Svc", `h3=":443"; ma=86400`)
	h.Set("X-Envoy-Upstream-Service-Time", "12")
	h.Add("Set-Cookie", "__dcfduid=0123456789abcdef; path=/; HttpOnly; Secure; SameSite=Lax")
	c.writeByCloudflare(w, status, body)
}

// writeByCloudflare sends an answer of Cloudflare's own. It has no Via, by which
// libraries tell it (discord.py discord/http.py, JDA
// SequentialRestRateLimiter.java).
func (c *call) writeByCloudflare(w http.ResponseWriter, status int, body []byte) {
	c.status, c.answer = status, body
	h := w.Header()
	h.Set("Server", "cloudflare")
	h.Set("CF-RAY", "8f1e2d3c4b5a6978-FRA")
	h.Add("Set-Cookie", "__cfruid=0123456789abcdef; path=/; domain=.discord.com; HttpOnly; Secure; SameSite=None")
	w.WriteHeader(status)
	_, _ = w.Write(body)
}

// decode reads the body into out. Of the types that Discord takes
// (docs:reference#content-type), the server takes JSON, alone and with files. Discord
// refuses what is no JSON with 50109 (docs:topics/opcodes-and-status-codes#json); it
// once took it for an empty body (#722).
func (c *call) decode(out any) *refusal {
	kind, parameters, _ := mime.ParseMediaType(c.r.Header.Get("Content-Type"))
	switch {
	case kind == "application/json", c.files != nil: // read before
	case kind == "multipart/form-data":
		if refused := c.readParts(parameters["boundary"]); refused != nil {
			return refused
		}
	default:
		p := &problems{}
		p.add("", "CONTENT_TYPE_INVALID", `Expected "Content-Type" header to be one of {'application/json', 'multipart/form-data'}.`)
		return p.refusal()
	}
	err := json.Unmarshal(c.body, out)
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) {
		p := &problems{}
		p.add(wrong.Field, "BASE_TYPE_CONVERT", "Could not interpret %q as %s.", wrong.Value, wrong.Type.Kind())
		return p.refusal()
	}
	if err != nil {
		return invalidJSON()
	}
	return nil
}

// check refuses a body with problems, and then one that Discord's description
// of component does not allow.
func (s *Server) check(c *call, p *problems, component string) *refusal {
	if refused := p.refusal(); refused != nil {
		return refused
	}
	if err := s.schemas.checkBody(component, c.body); err != nil {
		return refuse(http.StatusBadRequest, CodeInvalidForm, "Invalid Form Body: "+err.Error())
	}
	return nil
}
