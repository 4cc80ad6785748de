package hostapi

import (
	"net/http"
	"net/url"
)

// NewTransport returns the transport that a client uses by itself, with a proxy
// of a test's own.
func NewTransport(proxy func(*http.Request) (*url.URL, error)) *http.Transport {
	return newTransport(proxy)
}
