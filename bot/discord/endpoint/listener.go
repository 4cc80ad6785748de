package endpoint

import (
	"net"
	"net/netip"
	"slices"
	"sync"
	"time"
)

const (
	// maxUnproven bounds what unproven connections hold together, in bytes. It is connCost of
	// 800 that are idle, or 32 of the largest bodies.
	maxUnproven = 16 << 20
	// maxPeer is one peer's share of that: the connections of a peer that holds more are closed
	// before those of any other. Behind a proxy every request has the same peer, so who holds more than
	// a share is refused nothing while there is room for all, and what is closed then has been there
	// for longest, which Discord's requests have not: they arrive at once.
	maxPeer = maxUnproven / 4
	// connCost is what a connection takes beside the bytes that arrived over it, in bytes: stacks,
	// and two buffers of 4 KB. Of 11,000 idle ones that had sent a request each was measured
	// to take 15 to 23 KB, with what had not been collected yet.
	connCost = 20 << 10
	// grace is how long a connection may be unproven at least: a request that has arrived has been
	// read by then, also where the program waits for a processor. Together with maxUnproven
	// it bounds how many new connections there are in a second.
	grace = 100 * time.Millisecond
)

// listener bounds the memory for what anybody may send. A connection is unproven from its opening, or
// from the first byte of a further request, until a signature of Discord's was found in the request.
// While unproven connections hold more than maxUnproven, the one that has been unproven for
// longest is closed. Nobody but Discord proves a connection, so the others that are idle, such as
// a proxy's, need no bound.
type listener struct {
	net.Listener

	mu       sync.Mutex
	unproven []*conn // those unproven for longest first
	held     int     // bytes
	byPeer   map[netip.Addr]int
}

func newListener(l net.Listener) *listener {
	return &listener{Listener: l, byPeer: make(map[netip.Addr]int)}
}

// Accept waits until there is room for a further connection.
func (l *listener) Accept() (net.Conn, error) {
	for {
		accepted, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		c := &conn{Conn: accepted, listener: l, peer: peerOf(accepted.RemoteAddr())}
		if l.hold(c, 0) {
			return c, nil
		}
	}
}

// peerOf returns who is at an address: with IPv6 a network, as one customer of a provider has a
// whole one (RFC 6177).
func peerOf(addr net.Addr) netip.Addr {
	from, _ := netip.ParseAddrPort(addr.String()) // of another network than IP: all are one
	ip := from.Addr().Unmap()
	if ip.Is6() {
		network, _ := ip.Prefix(64)
		return network.Addr()
	}
	return ip
}

// hold counts n more bytes of a connection, and connCost where it was not unproven. It waits until
// there is room, and returns false where the connection was closed.
func (l *listener) hold(c *conn, n int) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for !c.closed {
		more := n
		if c.since.IsZero() {
			more += connCost
		}
		if l.held+more > maxUnproven {
			l.makeRoom()
			continue
		}
		if c.since.IsZero() {
			c.since = time.Now()
			l.unproven = append(l.unproven, c)
		}
		c.held += more
		l.held += more
		l.byPeer[c.peer] += more
		return true
	}
	return false
}

// makeRoom closes the connection whose turn it is, or waits until that has had its grace. The
// caller holds mu, which others have while it waits.
func (l *listener) makeRoom() {
	first := slices.IndexFunc(l.unproven, func(c *conn) bool { return l.byPeer[c.peer] > maxPeer })
	c := l.unproven[max(first, 0)]
	if wait := grace - time.Since(c.since); wait > 0 {
		l.mu.Unlock()
		defer l.mu.Lock()
		time.Sleep(wait)
		return
	}
	l.release(c)
	c.closed = true
	_ = c.Conn.Close()
}

// release has a connection count no longer. The caller holds mu.
func (l *listener) release(c *conn) {
	if c.since.IsZero() {
		return
	}
	i := slices.Index(l.unproven, c)
	l.unproven = slices.Delete(l.unproven, i, i+1)
	l.held -= c.held
	if l.byPeer[c.peer] -= c.held; l.byPeer[c.peer] == 0 {
		delete(l.byPeer, c.peer)
	}
	c.held, c.since = 0, time.Time{}
}

// conn is a connection that a listener has accepted.
type conn struct {
	net.Conn
	listener *listener
	peer     netip.Addr

	// The listener's mu guards these.
	since  time.Time // when it became unproven; zero: it is proven or closed
	held   int       // bytes
	closed bool
}

// proven is called when a request's signature has been found to be Discord's.
func (c *conn) proven() {
	c.listener.mu.Lock()
	defer c.listener.mu.Unlock()
	c.listener.release(c)
}

func (c *conn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if n > 0 && !c.listener.hold(c, n) {
		return 0, net.ErrClosed
	}
	return n, err
}

func (c *conn) Close() error {
	c.listener.mu.Lock()
	c.listener.release(c)
	c.closed = true
	c.listener.mu.Unlock()
	return c.Conn.Close()
}

// CloseWrite lets net/http end a connection so that the client reads a refusal of what it still sends.
func (c *conn) CloseWrite() error {
	if tcp, ok := c.Conn.(*net.TCPConn); ok {
		return tcp.CloseWrite()
	}
	return nil
}
