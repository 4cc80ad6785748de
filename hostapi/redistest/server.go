package redistest

import (
	"testing"

	"hostbot/hostapi/loopback"
)

// Server is a Redis of one test's own. It ends with the test.
type Server struct {
	t     testing.TB
	addr  string
	start starter
	stop  func() // nil while stopped
}

// starter starts one kind of Redis on addr, which may name port 0 for any port that
// is free, and returns where it is served and how to end it.
type starter func(t testing.TB, addr string) (bound string, stop func())

func newServer(t testing.TB, start starter) *Server {
	t.Helper()
	s := &Server{t: t, start: start}
	s.addr, s.stop = start(t, loopback.AnyPort())
	t.Cleanup(s.Stop)
	return s
}

// Addr returns the host and port, which stay the same after a Restart.
func (s *Server) Addr() string { return s.addr }

// URL returns the address for a REDIS_URL, which stays the same after a Restart.
func (s *Server) URL() string { return "redis://" + s.addr }

// Stop ends the server and cuts its connections. Its port refuses connections, and no
// other server gets it.
func (s *Server) Stop() {
	if s.stop != nil {
		s.stop()
		s.stop = nil
	}
}

// Restart brings the server back on the same port: empty, unless it is durable.
func (s *Server) Restart() {
	s.t.Helper()
	s.Stop()
	_, s.stop = s.start(s.t, s.addr)
}
