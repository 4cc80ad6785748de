package responder

import "sync"

// versions counts the changes of messages and remembers what they show, for as long
// as an exchange may yet change them. It does not see another replica's changes.
type versions struct {
	mu       sync.Mutex
	messages map[string]*messageVersion
}

type messageVersion struct {
	subject string // what the message shows, such as a certain bot
	number  int    // how often it was changed
	holders int
}

// hold keeps a message in mind until release is called.
func (v *versions) hold(message string) (release func()) {
	v.mu.Lock()
	defer v.mu.Unlock()
	m := v.messages[message]
	if m == nil {
		m = &messageVersion{}
		v.messages[message] = m
	}
	m.holders++
	return func() {
		v.mu.Lock()
		defer v.mu.Unlock()
		if m.holders--; m.holders == 0 {
			delete(v.messages, message)
		}
	}
}

// set notes what a message that is held shows from now on, and returns the number
// of that change.
func (v *versions) set(message, subject string) (number int) {
	v.mu.Lock()
	defer v.mu.Unlock()
	m := v.messages[message]
	m.subject = subject
	m.number++
	return m.number
}

// isLatest tells whether a message that is held was not changed after the change
// with this number.
func (v *versions) isLatest(message string, number int) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.messages[message].number == number
}

// shows tells whether a message that is held shows this subject.
func (v *versions) shows(message, subject string) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.messages[message].subject == subject
}
