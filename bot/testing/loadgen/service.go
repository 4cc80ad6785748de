package loadgen

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Service is a hosting service at which every user has an account with the same
// number of bots.
type Service struct {
	bots     int
	listener net.Listener
	server   *http.Server
	serving  sync.WaitGroup
	calls    atomic.Int64
}

// StartService listens on a free port of this machine.
func StartService(botsEach int) (*Service, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("loadgen: %w", err)
	}
	s := &Service{bots: botsEach, listener: listener}
	s.server = &http.Server{Handler: http.HandlerFunc(s.serve), ReadHeaderTimeout: 10 * time.Second}
	s.serving.Go(func() { _ = s.server.Serve(listener) })
	return s, nil
}

// URL returns the service's address.
func (s *Service) URL() string { return "http://" + s.listener.Addr().String() }

// Calls returns how many requests the service has had.
func (s *Service) Calls() int { return int(s.calls.Load()) }

// Close ends all connections.
func (s *Service) Close() {
	_ = s.server.Close()
	s.serving.Wait()
}

// botID returns the ID of a user's nth bot.
func botID(user string, n int) string { return fmt.Sprintf("%s-%d", user, n) }

// restartTakes is how long a restart takes.
const restartTakes = time.Millisecond

func (s *Service) serve(w http.ResponseWriter, r *http.Request) {
	s.calls.Add(1)
	w.Header().Set("Content-Type", "application/json")
	if strings.HasSuffix(r.URL.Path, "/restart") {
		time.Sleep(restartTakes)
		_ = json.NewEncoder(w).Encode(map[string]any{"ok": true, "status": "RUNNING"})
		return
	}
	s.list(w, r)
}

func (s *Service) list(w http.ResponseWriter, r *http.Request) {
	user := r.URL.Query().Get("chatUserId")
	servers := make([]map[string]any, s.bots)
	for i := range servers {
		servers[i] = map[string]any{
			"id": botID(user, i), "name": fmt.Sprintf("Support_Bot *%d*", i), "language": "NODE", "status": [...]string{"RUNNING", "STOPPED"}[i%2],
			"subdomain": nil, "startupCommand": "node index.js", "entryFile": "index.js",
			"ramMb": 512, "diskMb": 2048, "cpuPercent": 100, "planName": "Pro", "createdAt": "2026-01-15T10:30:00Z",
		}
	}
	_ = json.NewEncoder(w).Encode(map[string]any{
		"servers": servers,
		"account": map[string]any{"planName": "Pro", "planRamMb": 1 << 20, "maxServers": 2 * s.bots, "serverCount": s.bots},
	})
}
