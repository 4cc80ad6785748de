package responder

import (
	"sync"

	"hostbot/bot/interaction"
)

// messages tracks what messages show while a reply may still change them. It does not see other replicas' changes.
type messages struct {
	mu      sync.Mutex
	tracked map[string]*trackedMessage
}

type trackedMessage struct {
	shown
	users int // calls of track that are not released
}

// shown is what a message shows.
type shown struct {
	subject string // see interaction.Response
	by      *reply // the last to change it
}

// track tracks a message until release is called.
func (m *messages) track(id string) (message *trackedMessage, release func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	message = m.tracked[id]
	if message == nil {
		message = &trackedMessage{}
		m.tracked[id] = message
	}
	message.users++
	return message, func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		if message.users--; message.users == 0 {
			delete(m.tracked, id)
		}
	}
}

// change notes, before a response is sent, that it changes the message of its request, so that work that ends
// meanwhile does not undo it.
//
// The answer to a command makes its message. If somebody has already used a component there, another process has
// made the message, and this answer will not be shown.
func (rep *reply) change(r interaction.Response) {
	rep.responder.messages.mu.Lock()
	defer rep.responder.messages.mu.Unlock()
	if rep.message.by != rep {
		if rep.message.by != nil && !rep.req.InMessage() && !rep.begun {
			return
		}
		rep.before = rep.message.shown
	}
	rep.message.shown = shown{r.Subject, rep}
}

// takeBack undoes change, as Discord has another process's response to the interaction.
func (rep *reply) takeBack() {
	rep.responder.messages.mu.Lock()
	defer rep.responder.messages.mu.Unlock()
	if rep.message.by == rep {
		rep.message.shown = rep.before
	}
}

// mayChange reports whether the result of work may replace what the message shows. before is the response that
// promised the work. A customer who has moved on to another subject is not pulled back. With the same subject, the
// outcome of an action and a deferred response always replace it, so that the latest change is seen. Any other
// result replaces it only if nothing newer is there, as that may be the outcome of an action.
//
// A deferred response that is a new message replaces nothing.
func (rep *reply) mayChange(before, r interaction.Response) bool {
	rep.responder.messages.mu.Lock()
	defer rep.responder.messages.mu.Unlock()
	deferred := before.Form == interaction.FormDefer
	same := rep.message.subject == before.Subject
	return deferred && r.Form == interaction.FormReply || same && (deferred || rep.acted(r) || rep.message.by == rep)
}
