package bot

import (
	"sync"

	"hostbot/bot/processlog"
)

// maxWarnings is how many of the process log's warnings wait to become entries;
// more are only in the process log.
const maxWarnings = 100

// warnings shows staff the process log's own warnings and errors. Whoever logs
// does not wait for that.
type warnings struct {
	lines chan processlog.Line
	write func(processlog.Line)
	over  sync.WaitGroup
}

func newWarnings(write func(processlog.Line)) *warnings {
	return &warnings{lines: make(chan processlog.Line, maxWarnings), write: write}
}

func (w *warnings) show(l processlog.Line) {
	select {
	case w.lines <- l:
	default:
	}
}

// start writes entries until stop is called; what comes then is not shown.
func (w *warnings) start() (stop func()) {
	stopped := make(chan struct{})
	w.over.Go(func() {
		for {
			select {
			case l := <-w.lines:
				w.write(l)
			case <-stopped:
				return
			}
		}
	})
	return func() {
		close(stopped)
		w.over.Wait()
	}
}
