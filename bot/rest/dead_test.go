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
)

// connectionNumber is the key of a connection's number in a request's context.
type connectionNumber struct{}

// Connections that are cut off in silence cost one request, however many there
// are, also where Discord speaks HTTP/2.
func TestDeadConnectionsAreLeft(t *testing.T) {
	var opened, dead atomic.Int64
	const together = 5
	var all sync.WaitGroup
	all.Add(together)
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if number, _ := r.Context().Value(connectionNumber{}).(int64); number <= dead.Load() {
			<-r.Context().Done()
			panic(http.ErrAbortHandler) // says nothing, also where the client still listens while it closes
		}
		if r.Method == http.MethodPut { // so that each has a connection
			all.Done()
			all.Wait()
		}
		w.WriteHeader(http.StatusNoContent)
	}))
	server.Config.ConnContext = func(ctx context.Context, _ net.Conn) context.Context {
		return context.WithValue(ctx, connectionNumber{}, opened.Add(1))
	}
	server.EnableHTTP2 = true
	server.StartTLS()
	defer server.Close()
	client, err := New("token", server.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	client.transport.TLSClientConfig = server.Client().Transport.(*http.Transport).TLSClientConfig

	var warming sync.WaitGroup
	for range together {
		warming.Go(func() {
			if err := client.do(t.Context(), http.MethodPut, "x", nil, nil); err != nil {
				t.Error(err)
			}
		})
	}
	warming.Wait()
	dead.Store(opened.Load())
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := client.do(ctx, http.MethodGet, "x", nil, nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v over a dead connection", err)
	}
	if err := client.do(t.Context(), http.MethodGet, "x", nil, nil); err != nil {
		t.Errorf("the next request: %v", err)
	}
}
