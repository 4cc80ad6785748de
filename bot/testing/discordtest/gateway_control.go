package discordtest

import (
	"context"
	"encoding/json"
	"errors"
)

// errClosed is returned by waits that the server's end cut short.
var errClosed = errors.New("discordtest: server closed")

// Drop cuts all gateway connections at the TCP level. The sessions can be resumed.
func (s *Server) Drop() {
	s.gateway.mu.Lock()
	defer s.gateway.mu.Unlock()
	for l := range s.gateway.links {
		l.cut()
	}
}

// CloseWith closes all gateway connections with a code and without a reason: 1005
// for a close frame without a code, 1006 for none. The sessions can be resumed
// unless the code says otherwise; Discord itself closes with 1000, after which they
// can.
func (s *Server) CloseWith(code int) {
	for _, l := range s.gateway.current() {
		l.fail(code)
	}
}

func (g *gateway) current() []*link {
	g.mu.Lock()
	defer g.mu.Unlock()
	list := make([]*link, 0, len(g.links))
	for l := range g.links {
		list = append(list, l)
	}
	return list
}

// Silence makes the gateway say nothing more, heartbeat answers included, over
// connections that stay open, and no HELLO over new ones. When it ends, the
// events that came meanwhile are sent.
func (s *Server) Silence(on bool) {
	g := s.gateway
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.silent == on {
		return
	}
	g.silent = on
	if on {
		g.awake = make(chan struct{})
		return
	}
	close(g.awake)
	for _, session := range g.sessions {
		session.flush()
	}
}

// becomes changes how the gateway is.
func (g *gateway) becomes(change func()) {
	g.mu.Lock()
	defer g.mu.Unlock()
	change()
}

// RefuseConnections makes the gateway cut new connections at once.
func (s *Server) RefuseConnections(on bool) {
	s.gateway.becomes(func() { s.gateway.refusing = on })
}

// AskReconnect sends op 7 over all connections.
func (s *Server) AskReconnect() { s.gateway.broadcast(frame{Op: opReconnect}) }

// AskHeartbeat sends op 1 over all connections: a heartbeat is wanted at once.
func (s *Server) AskHeartbeat() { s.gateway.broadcast(frame{Op: opHeartbeat}) }

// InvalidateSession sends op 9 over all connections. Unless resumable, the
// sessions are gone.
func (s *Server) InvalidateSession(resumable bool) {
	s.gateway.mu.Lock()
	defer s.gateway.mu.Unlock()
	for l := range s.gateway.links {
		if l.session != nil && !resumable {
			s.gateway.endSession(l.session)
		}
		l.detach() // what comes next is IDENTIFY or RESUME
		if !s.gateway.silent {
			l.send(frame{Op: opInvalidSession, Data: encode(resumable)})
		}
	}
}

func (g *gateway) broadcast(f frame) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.silent {
		return
	}
	for l := range g.links {
		l.send(f)
	}
}

// SendRaw sends text, whatever it is, over all connections.
func (s *Server) SendRaw(text string) {
	s.gateway.mu.Lock()
	defer s.gateway.mu.Unlock()
	for l := range s.gateway.links {
		l.write([]byte(text))
	}
}

// SendEvent sends an event with any data, in sequence, to the sessions that
// serve the guild; that of an interaction to an endpoint, if there is one.
func (s *Server) SendEvent(name string, data json.RawMessage) {
	if name == "INTERACTION_CREATE" {
		s.deliver(s.guildID, nil, data)
		return
	}
	s.gateway.dispatch(s.guildID, name, data)
}

// Redeliver sends the event of a reply's interaction once more: events may come
// several times (docs:reference#consistency).
func (s *Server) Redeliver(r *Reply) {
	s.deliver(r.in.channel.guildID, r.in, r.in.event)
}

// Gateway returns what happened at the gateway so far.
func (s *Server) Gateway() GatewayStats {
	s.gateway.mu.Lock()
	defer s.gateway.mu.Unlock()
	stats := s.gateway.stats
	stats.Open = len(s.gateway.links)
	return stats
}

// WaitConnected waits until READY or RESUMED was sent n times since the start.
func (s *Server) WaitConnected(ctx context.Context, n int) error {
	return s.await(ctx, &s.gateway.mu, &s.gateway.changed, func() bool {
		s.gateway.mu.Lock()
		defer s.gateway.mu.Unlock()
		return s.gateway.readies >= n
	})
}

// WaitGateway waits until enough is content with what happened at the gateway.
func (s *Server) WaitGateway(ctx context.Context, enough func(GatewayStats) bool) error {
	return s.await(ctx, &s.gateway.mu, &s.gateway.changed, func() bool { return enough(s.Gateway()) })
}

// WaitCommands waits until the bot has registered commands.
func (s *Server) WaitCommands(ctx context.Context) error {
	return s.await(ctx, &s.commands.mu, &s.commands.changed, func() bool { return len(s.Commands()) > 0 })
}
