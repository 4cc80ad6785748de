package main

import (
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strconv"
	"sync"
	"time"

	"hostbot/bot"
	"hostbot/bot/testing/discordtest"
	"hostbot/cmd/playground/timeline"
)

//go:embed page
var pageFiles embed.FS

// answerLimit bounds how long a request waits for the bot's first response.
const answerLimit = 10 * time.Second

// playground is what the page talks to.
type playground struct {
	*parts
	people   []person
	changes  *changes
	breaking *breaking

	mu   sync.Mutex
	used []used // oldest first
}

func newPlayground(parts *parts, people []person, waits func() bot.Waits, changes *changes) *playground {
	return &playground{parts: parts, people: people, changes: changes, breaking: newBreaking(parts, people, waits, changes.tell)}
}

func (p *playground) routes() http.Handler {
	page, err := fs.Sub(pageFiles, "page")
	if err != nil { // the folder is embedded, so this is a mistake of the build
		return http.NotFoundHandler()
	}
	mux := http.NewServeMux()
	mux.Handle("GET /", fromHereOnly(http.FileServerFS(page)))
	mux.Handle("GET /attachments/", httputil.NewSingleHostReverseProxy(p.discordHost()))
	mux.HandleFunc("GET /api/events", p.changes.serve)
	mux.Handle("GET /api/world", handle(p.world))
	mux.Handle("GET /api/commands", p.asUser(p.commands))
	mux.Handle("GET /api/messages", p.asUser(p.messages))
	mux.Handle("POST /api/locale", p.asUser(p.setLocale))
	mux.Handle("POST /api/command", p.asUser(p.command))
	mux.Handle("POST /api/menu", p.asUser(p.menu))
	mux.Handle("POST /api/complete", p.asUser(p.complete))
	mux.Handle("POST /api/press", p.asUser(p.press))
	mux.Handle("POST /api/modal", p.asUser(p.modal))
	mux.Handle("POST /api/dismiss", p.asUser(p.dismiss))
	mux.Handle("GET /api/activity", handle(p.listActivity))
	mux.Handle("GET /api/step", handle(p.stepBodies))
	mux.Handle("GET /api/breaking", handle(p.state))
	mux.Handle("POST /api/break", handle(p.breakPart))
	mux.Handle("POST /api/repair", handle(p.repairAll))
	mux.Handle("POST /api/become", handle(p.become))
	return mux
}

// discordHost is where files are that the bot has sent.
func (p *playground) discordHost() *url.URL {
	at, err := url.Parse(p.discord.URL())
	if err != nil { // the address is the fake's own, so this is its mistake
		return &url.URL{}
	}
	return &url.URL{Scheme: at.Scheme, Host: at.Host}
}

// fromHereOnly lets the page load nothing from anywhere else.
func fromHereOnly(files http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", "default-src 'self'; img-src 'self' data:")
		files.ServeHTTP(w, r)
	})
}

// request is what the page sends, in the query or as JSON.
type request struct {
	User, Channel, Locale    string
	Name, Option, Target     string
	Message, CustomID, Modal string
	Step                     string
	Part, Mode, Bot          string
	Values                   []string
	Options                  map[string]string
	Fields                   map[string]any // texts, lists of them, and what is ticked
}

// handle turns a function into a handler: its result is answered as JSON, its
// error as a sentence for the person.
func handle(f func(context.Context, request) (any, error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var in request
		if r.Method == http.MethodGet {
			query := r.URL.Query()
			in.User, in.Channel, in.Step = query.Get("user"), query.Get("channel"), query.Get("step")
		} else if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<20)).Decode(&in); err != nil {
			answer(w, http.StatusBadRequest, map[string]string{"error": err.Error()})
			return
		}
		ctx, cancel := context.WithTimeout(r.Context(), answerLimit)
		defer cancel()
		out, err := f(ctx, in)
		if err != nil {
			answer(w, http.StatusUnprocessableEntity, map[string]string{"error": err.Error()})
			return
		}
		answer(w, http.StatusOK, out)
	})
}

func answer(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}

// errUnknown is what a page of an earlier start is told.
var errUnknown = errors.New("there is no such user or channel; reload the page")

// at returns the user, looking at the channel; in #general where none is named.
func (p *playground) at(userID, channelID string) (*discordtest.User, error) {
	someone, err := p.person(userID)
	if err != nil || channelID == "" {
		return someone.User, err
	}
	if channelID == directMessages {
		return someone.InDM(), nil
	}
	for _, ch := range p.channelsOf(someone) {
		if ch.ID == channelID {
			return someone.In(ch), nil
		}
	}
	return nil, errUnknown
}

func (p *playground) person(id string) (person, error) {
	for _, someone := range p.people {
		if someone.ID == id {
			return someone, nil
		}
	}
	return person{}, errUnknown
}

// changes tells pages that something they show may have changed. What they are
// told carries nothing, so that one who is behind misses nothing.
type changes struct {
	mu   sync.Mutex
	next chan struct{} // closed at the next change
}

func newChanges() *changes {
	return &changes{next: make(chan struct{})}
}

func (c *changes) tell() {
	c.mu.Lock()
	defer c.mu.Unlock()
	close(c.next)
	c.next = make(chan struct{})
}

// serve sends a server-sent event for each change.
func (c *changes) serve(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	stream := http.NewResponseController(w)
	for {
		c.mu.Lock()
		next := c.next
		c.mu.Unlock()
		if _, err := fmt.Fprint(w, "data: change\n\n"); err != nil || stream.Flush() != nil {
			return
		}
		select {
		case <-next:
		case <-r.Context().Done():
			return
		}
	}
}

// listActivity tells what happened underneath.
func (p *playground) listActivity(context.Context, request) (any, error) {
	return p.activity.List(), nil
}

// stepBodies shows what was sent and answered in a step.
func (p *playground) stepBodies(_ context.Context, in request) (any, error) {
	id, err := strconv.Atoi(in.Step)
	bodies, ok := timeline.Bodies{}, false
	if err == nil {
		bodies, ok = p.activity.Bodies(id)
	}
	if !ok {
		return nil, errors.New("this step is too old and not kept any more")
	}
	return bodies, nil
}
