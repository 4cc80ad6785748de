package rest

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"hostbot/bot/interaction"
)

// connectionNumber is the key of a connection's number in a request's context.
type connectionNumber struct{}

// perishable is a server whose connections can be cut off in silence.
type perishable struct {
	opened, dead atomic.Int64
	serve        http.HandlerFunc
}

// kill cuts off all connections that are there.
func (p *perishable) kill() { p.dead.Store(p.opened.Load()) }

// start starts the server, and returns a client of it.
func (p *perishable) start(t *testing.T) *Client {
	t.Helper()
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if number, _ := r.Context().Value(connectionNumber{}).(int64); number <= p.dead.Load() {
			<-r.Context().Done()
			panic(http.ErrAbortHandler) // says nothing, also where the client still listens while it closes
		}
		p.serve(w, r)
	}))
	server.Config.ConnContext = func(ctx context.Context, _ net.Conn) context.Context {
		return context.WithValue(ctx, connectionNumber{}, p.opened.Add(1))
	}
	server.EnableHTTP2 = true
	server.StartTLS()
	t.Cleanup(server.Close)
	client, err := New("token", server.URL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	client.transport.TLSClientConfig = server.Client().Transport.(*http.Transport).TLSClientConfig
	return client
}

// TestDeadConnectionsAreLeft: connections that are cut off in silence cost one
// request, however many there are, also where Discord speaks HTTP/2.
func TestDeadConnectionsAreLeft(t *testing.T) {
	const together = 5
	var all, warming sync.WaitGroup
	all.Add(together)
	server := &perishable{serve: func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPut { // so that each has a connection
			all.Done()
			all.Wait()
		}
		w.WriteHeader(http.StatusNoContent)
	}}
	client := server.start(t)
	for range together {
		warming.Go(func() {
			if err := client.do(t.Context(), http.MethodPut, "x", nil, nil); err != nil {
				t.Error(err)
			}
		})
	}
	warming.Wait()
	server.kill()
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := client.do(ctx, http.MethodGet, "x", nil, nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v over a dead connection", err)
	}
	if err := client.do(t.Context(), http.MethodGet, "x", nil, nil); err != nil {
		t.Errorf("the next request: %v", err)
	}
}

// TestANewConnection: a first response that is to have a new connection has one.
func TestANewConnection(t *testing.T) {
	server := &perishable{serve: func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }}
	client := server.start(t)
	to := Callback{InteractionID: "1", ApplicationID: "2", Token: "token-of-it"}
	if err := client.Defer(t.Context(), to, interaction.FormReply); err != nil {
		t.Fatal(err)
	}
	to.NewConnection = true
	for range 3 {
		server.kill()
		if err := client.Defer(t.Context(), to, interaction.FormReply); err != nil {
			t.Fatal(err)
		}
	}
}
