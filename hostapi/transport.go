package hostapi

import (
	"context"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"sync/atomic"
	"time"
)

// newTransport returns a pool of connections to the service. It speaks HTTP/1.1
// only: a connection that stalls then holds up one request and not all.
func newTransport(proxy func(*http.Request) (*url.URL, error)) *http.Transport {
	dialer := &net.Dialer{Timeout: 3 * time.Second, KeepAlive: 15 * time.Second}
	return &http.Transport{
		Proxy: func(r *http.Request) (*url.URL, error) {
			if r.URL.Scheme != "https" {
				return nil, nil // the proxy would read the secret
			}
			return proxy(r)
		},
		DialContext:         dialer.DialContext,
		TLSHandshakeTimeout: 5 * time.Second,
		MaxIdleConnsPerHost: 32,
		MaxConnsPerHost:     256,
		// Many servers close a connection that was idle for 5 s. An action that
		// is written to it at that moment would end without an answer.
		IdleConnTimeout:        4 * time.Second,
		MaxResponseHeaderBytes: 64 << 10,
	}
}

// dontFollow makes a redirect the answer, and so a failure. net/http would turn an
// action into a GET, and would take the secret along to subdomains and from https to
// http.
func dontFollow(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// withTrace returns a context, and whether the request that was made with it has had
// a connection, on which it may have been written. The transport may still be working
// on it when the caller has given up.
func withTrace(ctx context.Context) (traced context.Context, connected *atomic.Bool) {
	connected = new(atomic.Bool)
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn: func(httptrace.GotConnInfo) { connected.Store(true) },
	}), connected
}
