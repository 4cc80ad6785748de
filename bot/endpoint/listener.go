package endpoint

import (
	"io"
	"log"
	"net"
	"sync"
)

// limitedListener accepts a connection only where fewer than so many are open.
type limitedListener struct {
	net.Listener
	places chan struct{}
	closed chan struct{}
	close  sync.Once
}

func limited(l net.Listener, most int) *limitedListener {
	return &limitedListener{Listener: l, places: make(chan struct{}, most), closed: make(chan struct{})}
}

// Accept waits for a place, and then for a connection.
func (l *limitedListener) Accept() (net.Conn, error) {
	select {
	case l.places <- struct{}{}:
	case <-l.closed:
		return nil, net.ErrClosed
	}
	c, err := l.Listener.Accept()
	if err != nil {
		<-l.places
		return nil, err
	}
	return &limitedConn{Conn: c, leave: sync.OnceFunc(func() { <-l.places })}, nil
}

// Close also ends the wait for a place.
func (l *limitedListener) Close() error {
	l.close.Do(func() { close(l.closed) })
	return l.Listener.Close()
}

// limitedConn gives its place back when it is closed.
type limitedConn struct {
	net.Conn
	leave func()
}

func (c *limitedConn) Close() error {
	defer c.leave()
	return c.Conn.Close()
}

// newQuietLog drops what the server would log of its clients' mistakes.
func newQuietLog() *log.Logger { return log.New(io.Discard, "", 0) }
