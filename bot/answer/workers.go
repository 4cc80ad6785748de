package answer

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
func (s *Server) Accept(event *interaction.Event) {
	select {
	case s.workers.waiting <- event:
	default:
		go s.work(event)
	}
}

// work serves an event and then others, until there are enough workers without it.
func (s *Server) work(event *interaction.Event) {
	for {
		s.Serve(event)
		if s.workers.idle.Add(1) > maxIdle {
			s.workers.idle.Add(-1)
			return
		}
		select {
		case event = <-s.workers.waiting:
			s.workers.idle.Add(-1)
		case <-s.ctx.Done():
			return
		}
	}
}
