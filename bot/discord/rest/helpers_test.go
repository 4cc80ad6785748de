package rest_test

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"regexp"
	"testing"

	"hostbot/bot/discord/rest"

	"github.com/bwmarrin/discordgo"
)

const (
	botToken         = "bot-token-of-the-test"
	interactionToken = "interaction-token-of-the-test"
)

var to = rest.Callback{InteractionID: "11", ApplicationID: "22", Token: interactionToken}

// sent is one request as the server saw it.
type sent struct {
	Method, Path, Authorization, Body string
}

// userAgent is the form in which Discord wants to be told of the library.
// https://discord.com/developers/docs/reference#user-agent
var userAgent = regexp.MustCompile(`^DiscordBot \(https://\S+, v?[0-9.]+\)( |$)`)

// serve starts a server that notes requests and answers with handler.
func serve(t *testing.T, handler http.HandlerFunc) (*rest.Client, <-chan sent) {
	t.Helper()
	requests := make(chan sent, 16)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if agent := r.UserAgent(); !userAgent.MatchString(agent) {
			t.Errorf("User-Agent %q", agent)
		}
		requests <- sent{r.Method, r.URL.RequestURI(), r.Header.Get("Authorization"), string(body)}
		handler(w, r)
	}))
	t.Cleanup(server.Close)
	client := rest.New(botToken, server.URL+"/api/v10/")
	t.Cleanup(client.Close)
	return client, requests
}

// serveInBubble is a client of a server without a network, so that time can be a synctest
// bubble's.
func serveInBubble(t *testing.T, handler http.HandlerFunc) *rest.Client {
	t.Helper()
	accepted := make(pipes)
	server := &http.Server{Handler: handler}
	go func() { _ = server.Serve(accepted) }()
	client := rest.New(botToken, "http://discord.com/api/v10")
	client.SetDial(func(context.Context, string, string) (net.Conn, error) {
		ours, theirs := net.Pipe()
		accepted <- theirs
		return ours, nil
	})
	t.Cleanup(func() {
		client.Close()
		_ = server.Close()
	})
	return client
}

// pipes is a listener.
type pipes chan net.Conn

func (p pipes) Accept() (net.Conn, error) {
	if conn, ok := <-p; ok {
		return conn, nil
	}
	return nil, net.ErrClosed
}

func (p pipes) Close() error {
	close(p)
	return nil
}

func (p pipes) Addr() net.Addr { return &net.TCPAddr{} }

// noContent answers as Discord does, whose 204 has a Content-Type
// (discord-api-docs#5887).
func noContent(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(http.StatusNoContent)
}

// limited answers with a 429.
func limited(header, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Retry-After", header)
		answer(http.StatusTooManyRequests, body)(w, r)
	}
}

func answer(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		if json.Valid([]byte(body)) {
			w.Header().Set("Content-Type", "application/json")
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

// register sends a request with discordgo's session.
func register(s *discordgo.Session) error {
	_, err := s.ApplicationCommandBulkOverwrite("22", "", nil)
	return err
}
