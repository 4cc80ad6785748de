package responder

import "sync"

// messages remembers what messages show, for as long as an exchange may yet change
// them. It does not see another replica's changes.
type messages struct {
	mu   sync.Mutex
	held map[string]*heldMessage
}

type heldMessage struct {
	subject string    // what the message shows, such as a certain bot
	by      *exchange // that changed it last
	holders int
}

// hold keeps a message in mind until release is called.
func (m *messages) hold(id string) (release func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	message := m.held[id]
	if message == nil {
		message = &heldMessage{}
		m.held[id] = message
	}
	message.holders++
	return func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		if message.holders--; message.holders == 0 {
			delete(m.held, id)
		}
	}
}

// set notes what a message that is held shows from now on.
func (m *messages) set(id, subject string, by *exchange) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.held[id].subject, m.held[id].by = subject, by
}

// shown returns what a message that is held shows, and who changed it last.
func (m *messages) shown(id string) (subject string, by *exchange) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.held[id].subject, m.held[id].by
}
