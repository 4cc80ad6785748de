package main

import (
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"sync"
	"time"

	"hostbot/bot/discordtest"
)

//go:embed page
var pageFiles embed.FS

// answerLimit bounds how long a request waits for the bot's first response.
const answerLimit = 10 * time.Second

// playground is what the page talks to.
type playground struct {
	discord *discordtest.Server
	people  []person
	changes *changes
	stop    func()

	mu   sync.Mutex
	used []used // oldest first
}

// used is a command that somebody used, and what came of it.
type used struct {
	userID, channelID string
	command           string
	at                time.Time
	reply             *discordtest.Reply
}

func newPlayground(discord *discordtest.Server, people []person) *playground {
	p := &playground{discord: discord, people: people, changes: newChanges()}
	p.stop = discord.Observe(func(discordtest.Event) { p.changes.tell() })
	return p
}

func (p *playground) close() {
	p.stop()
	p.changes.close()
}

func (p *playground) routes() http.Handler {
	page, err := fs.Sub(pageFiles, "page")
	if err != nil { // the folder is embedded, so this is a mistake of the build
		return http.NotFoundHandler()
	}
	mux := http.NewServeMux()
	mux.Handle("GET /", http.FileServerFS(page))
	mux.HandleFunc("GET /api/events", p.changes.serve)
	mux.Handle("GET /api/world", handle(p.world))
	mux.Handle("GET /api/commands", handle(p.commands))
	mux.Handle("GET /api/messages", handle(p.messages))
	mux.Handle("POST /api/locale", handle(p.setLocale))
	mux.Handle("POST /api/command", handle(p.command))
	mux.Handle("POST /api/complete", handle(p.complete))
	mux.Handle("POST /api/press", handle(p.press))
	mux.Handle("POST /api/modal", handle(p.modal))
	mux.Handle("POST /api/dismiss", handle(p.dismiss))
	return mux
}

// request is what the page sends, in the query or as JSON.
type request struct {
	User, Channel, Locale    string
	Name, Option             string
	Message, CustomID, Modal string
	Values                   []string
	Options                  map[string]string
	Fields                   map[string]string
}

// handle turns a function into a handler: its result is answered as JSON, its
// error as a sentence for the person.
func handle(f func(context.Context, request) (any, error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var in request
		if r.Method == http.MethodGet {
			in.User, in.Channel = r.URL.Query().Get("user"), r.URL.Query().Get("channel")
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

// at returns the user, looking at the channel.
func (p *playground) at(userID, channelID string) (*discordtest.User, error) {
	for _, someone := range p.people {
		if someone.ID != userID {
			continue
		}
		if channelID == "" {
			return someone.User, nil
		}
		for _, ch := range p.discord.Channels() {
			if ch.ID == channelID {
				return someone.In(ch), nil
			}
		}
	}
	return nil, fmt.Errorf("there is no such user or channel; reload the page")
}
