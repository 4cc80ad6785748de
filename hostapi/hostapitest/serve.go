package hostapitest

import (
	"bytes"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"strings"
)

// serve takes a request through reading, recording, faults and the operation.
func (s *Service) serve(w http.ResponseWriter, r *http.Request) {
	if !s.begin() {
		return
	}
	defer s.work.Done()

	body, err := readAll(r)
	var c call
	var refused *refusal
	switch {
	case err == nil:
		c, refused = parse(r, body)
	case !errors.As(err, &refused):
		breakOff(w)
		return
	}
	violation := ""
	if refused != nil {
		violation = refused.message
	}
	authorized, form := s.authorized(r)
	if !form && violation == "" {
		violation = "the Authorization header is not of the form Bearer <secret>"
	}
	request := Request{
		At: s.options.Clock.Now(), Operation: c.operation, Method: r.Method, Path: r.URL.RequestURI(),
		UserID: c.userID, ServerID: c.serverID, Body: string(body[:min(len(body), keptBody)]), Violation: violation,
	}
	s.recorder.add(request)
	w, answered := s.observed(w, request)
	defer answered()

	fault, cleared := s.faults.take(c.operation, c.userID)
	if s.failBefore(w, r, fault, cleared) {
		return
	}
	var result any
	switch {
	case !authorized:
		err = refuse(http.StatusUnauthorized, CodeUnauthorized, "the secret is wrong")
	case refused != nil:
		err = refused
	default:
		result, err = s.do(c, r.Context().Done())
	}
	if errors.Is(err, errGone) || fault.ResetAfter {
		breakOff(w)
		return
	}
	answer(w, result, err, fault)
}

// authorized checks the secret; form is false where the header is not a bearer's.
func (s *Service) authorized(r *http.Request) (ok, form bool) {
	secret, form := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	return form && subtle.ConstantTimeCompare([]byte(secret), []byte(s.Secret())) == 1, form
}

// failBefore lets the request meet what keeps it from being acted upon, and
// reports whether it is over with it.
func (s *Service) failBefore(w http.ResponseWriter, r *http.Request, f Fault, cleared <-chan struct{}) bool {
	if f.Delay > 0 {
		select {
		case <-s.after(f.Delay):
		case <-r.Context().Done():
			return true
		case <-s.done:
			return true
		}
	}
	switch {
	case f.Reset:
		breakOff(w)
	case f.Hang:
		select {
		case <-cleared:
		case <-r.Context().Done():
		case <-s.done:
		}
		breakOff(w)
	case f.Redirect != "":
		http.Redirect(w, r, f.Redirect, http.StatusTemporaryRedirect)
	case f.Status != 0 || f.Header != nil || f.Body != "":
		for name, values := range f.Header {
			w.Header()[http.CanonicalHeaderKey(name)] = values
		}
		if f.Status != 0 {
			w.WriteHeader(f.Status)
		}
		_, _ = w.Write([]byte(f.Body)) // the caller may be gone
	default:
		return false
	}
	return true
}

func answer(w http.ResponseWriter, result any, err error, f Fault) {
	status := http.StatusOK
	var refused *refusal
	if errors.As(err, &refused) {
		status, result = refused.status, refusalAnswer{refused.message, refused.code}
	}
	body, err := json.Marshal(result)
	if err != nil {
		status, body = http.StatusInternalServerError, nil
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	if f.Huge {
		blanks := bytes.Repeat([]byte(" "), 64<<10)
		for range (4<<20)/len(blanks) + 1 {
			_, _ = w.Write(blanks)
		}
	}
	_, _ = w.Write(f.spoil(body)) // the caller may be gone
}

// breakOff resets the connection.
func breakOff(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0) // closing then sends RST; where it cannot, closing is enough
	}
	_ = conn.Close()
}
