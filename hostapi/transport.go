package hostapi

import (
	"net"
	"net/http"
	"net/url"
	"time"
)

// newTransport returns a pool of connections to the service. It speaks only HTTP/1.1, so that a connection that stalls
// delays one request instead of all.
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
