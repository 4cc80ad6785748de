package endpoint

import "net/http"

// Limited is what Run listens with.
var Limited = limited

// ServeHTTP serves one request.
func (e *Endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	e.server.Handler.ServeHTTP(w, r)
}
