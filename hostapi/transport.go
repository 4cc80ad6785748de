package hostapi

import (
	"net"
	"net/http"
	"net/url"
	"time"
)

// maxRedirects is how many redirects of one request are followed.
const maxRedirects = 3

// newTransport returns a pool of connections to the service. It speaks HTTP/1.1
// only: a connection that stalls then holds up one request and not all.
func newTransport(proxy func(*http.Request) (*url.URL, error)) *http.Transport {
	dialer := &net.Dialer{Timeout: 3 * time.Second, KeepAlive: 15 * time.Second}
	return &http.Transport{
		Proxy:               overTLS(proxy),
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

// overTLS returns proxy for requests over TLS alone: to others the proxy would
// read the secret.
func overTLS(proxy func(*http.Request) (*url.URL, error)) func(*http.Request) (*url.URL, error) {
	return func(r *http.Request) (*url.URL, error) {
		if r.URL.Scheme != "https" {
			return nil, nil
		}
		return proxy(r)
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

// origin returns the scheme, host and port of an address.
func origin(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	return u.Scheme + "://" + net.JoinHostPort(u.Hostname(), port)
}
