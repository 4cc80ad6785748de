package responder

import (
	"sync"

	"hostbot/bot/interaction"
)

// messages remembers what messages show, for as long as a reply may yet change
// them. It does not see another replica's changes.
type messages struct {
	mu   sync.Mutex
	held map[string]*heldMessage
}

type heldMessage struct {
	shown
	holders int
}

// shown is what a message shows.
type shown struct {
	subject string // such as a certain bot
	by      *reply // that changed it last
}

// hold keeps a message in mind until release is called.
func (m *messages) hold(id string) (message *heldMessage, release func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	message = m.held[id]
	if message == nil {
		message = &heldMessage{}
		m.held[id] = message
	}
	message.holders++
	return message, func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		if message.holders--; message.holders == 0 {
			delete(m.held, id)
		}
	}
}

// change notes that a response changes the message that its request is about:
// before it is sent, so that work which ends meanwhile does not undo it.
//
// Who answers a command makes its message. If somebody has already pressed something in that, another
// process has made it, and this answer is not shown any more.
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

// takeBack notes that Discord has not taken the response that changed the message: it has another
// one to the same interaction.
func (rep *reply) takeBack() {
	rep.responder.messages.mu.Lock()
	defer rep.responder.messages.mu.Unlock()
	if rep.message.by == rep {
		rep.message.shown = rep.before
	}
}

// mayChange reports whether the end of work may replace what the message shows.
// before is the response that promised the work. A customer who has moved
// on to something else is not pulled back. While the message shows the same, the
// end of an action always replaces it, and so does what was deferred: of several
// changes the last one to be made is to be seen. Anything else replaces it only where
// nothing newer was put there meanwhile, as that may be the end of an action.
//
// A reply to what was deferred takes no message's place.
func (rep *reply) mayChange(before, r interaction.Response) bool {
	rep.responder.messages.mu.Lock()
	defer rep.responder.messages.mu.Unlock()
	deferred := before.Form == interaction.FormDefer
	same := rep.message.subject == before.Subject
	return deferred && r.Form == interaction.FormReply || same && (deferred || rep.acted(r) || rep.message.by == rep)
}
