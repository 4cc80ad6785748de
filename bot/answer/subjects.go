package answer

import "sync"

// subjects remembers what messages are about, as long as somebody may yet
// change them. Another replica's changes are not seen here.
type subjects struct {
	mu       sync.Mutex
	messages map[string]*subject
}

type subject struct {
	current string
	version int // how often it was set
	holders int
}

// hold keeps a message in mind until leave is called.
func (s *subjects) hold(message string) (leave func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	m := s.messages[message]
	if m == nil {
		m = &subject{}
		s.messages[message] = m
	}
	m.holders++
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if m.holders--; m.holders == 0 {
			delete(s.messages, message)
		}
	}
}

// set notes what a message that is held is about from now on, and returns the
// number of that change.
func (s *subjects) set(message, current string) (version int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	m := s.messages[message]
	m.current = current
	m.version++
	return m.version
}

// unchanged tells whether a change of a message that is held was its last.
func (s *subjects) unchanged(message string, version int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.messages[message].version == version
}

// is tells whether a message that is held is about this.
func (s *subjects) is(message, current string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.messages[message].current == current
}
