package gateway

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"net/url"

	"github.com/gorilla/websocket"
)

// dial connects to the gateway at u, through a proxy where one is to be used.
func (g *Gateway) dial(ctx context.Context, u *url.URL) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, connectLimit)
	defer cancel()
	proxy, err := g.proxyFor(u)
	if err != nil {
		return nil, err
	}
	var raw net.Conn
	if proxy == nil {
		raw, err = new(net.Dialer).DialContext(ctx, "tcp", hostPort(u))
	} else {
		raw, err = dialThrough(ctx, proxy, hostPort(u))
	}
	if err != nil || u.Scheme != "wss" {
		return raw, err
	}
	return secured(ctx, raw, u.Hostname())
}

// secured returns the connection with TLS, for which the other end must prove
// that it is the host.
func secured(ctx context.Context, raw net.Conn, host string) (net.Conn, error) {
	secure := tls.Client(raw, &tls.Config{ServerName: host, MinVersion: tls.VersionTLS12})
	if err := secure.HandshakeContext(ctx); err != nil {
		_ = raw.Close()
		return nil, err
	}
	return secure, nil
}

// proxyFor returns the proxy for the gateway at u, or nil.
func (g *Gateway) proxyFor(u *url.URL) (*url.URL, error) {
	if g.cfg.Proxy == nil {
		return nil, nil
	}
	asked := *u // as it is known to whoever sets proxies
	asked.Scheme = map[string]string{"ws": "http", "wss": "https"}[u.Scheme]
	return g.cfg.Proxy(&http.Request{URL: &asked})
}

// hostPort returns where to connect for an address.
func hostPort(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = map[string]string{"ws": "80", "http": "80"}[u.Scheme]
	}
	if port == "" {
		port = "443"
	}
	return net.JoinHostPort(u.Hostname(), port)
}

// websocketOver returns a dialer for discordgo's websocket that takes c, a
// connection to u, whatever address the library knows.
func websocketOver(c *conn, u *url.URL) *websocket.Dialer {
	taken := func(context.Context, string, string) (net.Conn, error) { return c, nil }
	return &websocket.Dialer{
		HandshakeTimeout:  connectLimit,
		NetDialContext:    taken,
		NetDialTLSContext: taken,
		// Asked before the request is written, and so the place where it can
		// be given the right host. There is no proxy left to be asked for.
		Proxy: func(req *http.Request) (*url.URL, error) {
			req.Host, req.URL.Host = u.Host, u.Host
			if u.Path != "" {
				req.URL.Path = u.Path
			}
			return nil, nil
		},
	}
}
