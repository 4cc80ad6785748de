package rest

import (
	"context"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"hostbot/bot/interaction"
)

// atFirst is how many requests are sent at once at first.
const atFirst = 5

// perishable is a server whose connections can be cut off in silence.
//
// It answers no request before there are as many connections as there are requests at
// first. Otherwise a request may be sent over the connection of another one that was
// answered quickly. The connection that was dialled for it would then be there unseen.
type perishable struct {
	mu         sync.Mutex
	seen, dead map[string]bool // connections, by the client's address
	all        chan struct{}   // closed once the first ones are there
}

func (p *perishable) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	if !p.seen[r.RemoteAddr] {
		p.seen[r.RemoteAddr] = true
		if len(p.seen) == atFirst {
			close(p.all)
		}
	}
	dead := p.dead[r.RemoteAddr]
	p.mu.Unlock()
	<-p.all
	if dead {
		_, _ = io.Copy(io.Discard, r.Body) // after which the server notices that the client has gone
		<-r.Context().Done()
		panic(http.ErrAbortHandler) // says nothing, also where the client still listens while it closes
	}
	w.WriteHeader(http.StatusNoContent)
}

// kill cuts off all connections that are there.
func (p *perishable) kill() {
	p.mu.Lock()
	defer p.mu.Unlock()
	maps.Copy(p.dead, p.seen)
}

// TestDeadConnectionsAreLeft: connections that are cut off in silence cost one
// request, and no first response that is to have a new connection, also where
// Discord speaks HTTP/2.
func TestDeadConnectionsAreLeft(t *testing.T) {
	perishable := &perishable{seen: map[string]bool{}, dead: map[string]bool{}, all: make(chan struct{})}
	server := httptest.NewUnstartedServer(perishable)
	server.EnableHTTP2 = true
	server.StartTLS()
	defer server.Close()
	client := New("token", server.URL)
	defer client.Close()
	client.transport.TLSClientConfig = server.Client().Transport.(*http.Transport).TLSClientConfig
	to := Callback{InteractionID: "1", ApplicationID: "2", Token: "token-of-it"}
	respond := func(limit time.Duration, together int) error {
		ctx, cancel := context.WithTimeout(t.Context(), limit)
		defer cancel()
		var all sync.WaitGroup
		errs := make([]error, together)
		for i := range together {
			all.Go(func() { errs[i] = client.Defer(ctx, to, interaction.FormReply) })
		}
		all.Wait()
		return errors.Join(errs...)
	}

	if err := respond(time.Minute, atFirst); err != nil {
		t.Fatal(err)
	}
	perishable.kill()
	if err := respond(50*time.Millisecond, 1); err == nil {
		t.Error("an answer over a dead connection")
	}
	if err := respond(time.Minute, 1); err != nil {
		t.Errorf("the next request: %v", err)
	}
	to.NewConnection = true
	perishable.kill()
	if err := respond(time.Minute, 1); err != nil {
		t.Errorf("over a new connection: %v", err)
	}
}
