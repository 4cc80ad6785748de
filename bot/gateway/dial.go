package gateway

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"net/url"

	"github.com/gorilla/websocket"
)

// dialer returns the dialer for discordgo's websocket. Connections are cut
// when ctx is done.
func (g *Gateway) dialer(ctx context.Context) *websocket.Dialer {
	tcp := &net.Dialer{Timeout: connectLimit}
	secure := &tls.Dialer{NetDialer: tcp}
	watched := func(dial func(context.Context, string, string) (net.Conn, error)) func(context.Context, string, string) (net.Conn, error) {
		return func(dialing context.Context, network, address string) (net.Conn, error) {
			dialing, cancel := context.WithCancel(dialing)
			defer cancel()
			defer context.AfterFunc(ctx, cancel)()
			raw, err := dial(dialing, network, address)
			if err != nil {
				return nil, err
			}
			c := newConn(raw, g.noted)
			g.conn.Store(c)
			if ctx.Err() != nil { // before the store, nobody could cut it
				c.end(ctx.Err())
			}
			return c, nil
		}
	}
	return &websocket.Dialer{
		HandshakeTimeout:  connectLimit,
		NetDialContext:    watched(tcp.DialContext),
		NetDialTLSContext: watched(secure.DialContext),
		Proxy:             g.redirectToResumeHost,
	}
}

// redirectToResumeHost sends a connection to where Discord wants the session
// resumed. The dialer asks for a proxy before it looks at the request's
// address, which makes this the one place where the address, which discordgo
// never changes, can still be changed.
func (g *Gateway) redirectToResumeHost(req *http.Request) (*url.URL, error) {
	// The address counts for one attempt: if that fails, the next one goes to
	// the general address again, where any session can be resumed.
	if host := g.resumeHost.Load(); host != nil && g.useResume.Swap(false) {
		req.Host, req.URL.Host = *host, *host
	}
	return nil, nil
}

func (g *Gateway) setResumeHost(address string) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return
	}
	g.resumeHost.Store(&u.Host)
}
