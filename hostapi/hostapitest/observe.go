package hostapitest

import "net/http"

// shownBody is how many bytes of an answer's body an observer is told.
const shownBody = 16 << 10

// observed lets the observer, if there is one, see what is written to w until
// answered is called.
func (s *Service) observed(w http.ResponseWriter, r Request) (seen http.ResponseWriter, answered func()) {
	if s.options.Observe == nil {
		return w, func() {}
	}
	tell := s.options.Observe(r)
	recorder := &answerRecorder{ResponseWriter: w}
	return recorder, func() { tell(recorder.status, string(recorder.body)) }
}

// answerRecorder keeps what is answered.
type answerRecorder struct {
	http.ResponseWriter
	status int
	body   []byte
}

// Unwrap lets the connection be broken off.
func (r *answerRecorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }

func (r *answerRecorder) WriteHeader(status int) {
	r.status = status
	r.ResponseWriter.WriteHeader(status)
}

func (r *answerRecorder) Write(body []byte) (int, error) {
	if r.status == 0 {
		r.status = http.StatusOK
	}
	r.body = append(r.body, body[:min(len(body), shownBody-len(r.body))]...)
	return r.ResponseWriter.Write(body)
}

// acted tells of an operation that changes something.
func (s *Service) acted(c call, serverID string) {
	if s.options.Acted != nil {
		s.options.Acted(c.operation, c.userID, serverID)
	}
}
