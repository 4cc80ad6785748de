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

// maxRedirects is how many redirects of one request are followed.
const maxRedirects = 3

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

// checkRedirect follows a redirect only of a GET and only within the origin.
// Otherwise the redirect itself is the answer, and a failure: net/http would
// turn an action into a GET, and would take the secret along to subdomains and
// from https to http.
func checkRedirect(next *http.Request, via []*http.Request) error {
	first := via[0]
	if first.Method != http.MethodGet || len(via) > maxRedirects || origin(next.URL) != origin(first.URL) {
		return http.ErrUseLastResponse
	}
	return nil
}

func origin(u *url.URL) string { return u.Scheme + "://" + u.Host }

// trace is how far a request got. The transport may still be working on it when
// the caller has given up.
type trace struct {
	began     atomic.Bool // the transport has begun to look for a connection
	dialed    atomic.Bool // it has begun to open one
	connected atomic.Bool // it has one, on which it may have written
}

// withTrace returns a context that records how far the request made with it gets.
func withTrace(ctx context.Context) (context.Context, *trace) {
	t := new(trace)
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GetConn:      func(string) { t.began.Store(true) },
		DNSStart:     func(httptrace.DNSStartInfo) { t.dialed.Store(true) },
		ConnectStart: func(string, string) { t.dialed.Store(true) },
		GotConn:      func(httptrace.GotConnInfo) { t.connected.Store(true) },
	}), t
}

// mayHaveArrived tells whether the service may know of a request that failed. A
// transport that does not say how far it got is taken to have sent the request.
func (t *trace) mayHaveArrived() bool { return !t.began.Load() || t.connected.Load() }

// queued tells of a request that failed while it waited for one of the pool's
// connections to become free.
func (t *trace) queued() bool { return t.began.Load() && !t.dialed.Load() && !t.connected.Load() }
