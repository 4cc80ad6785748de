package logging

import (
	"bytes"
	"io"
	"sync/atomic"
	"time"
)

const (
	// maxWaiting is how many lines wait to be written at most: about 300 KB.
	maxWaiting = 1000
	// closeLimit bounds how long the last lines are waited for.
	closeLimit = time.Second
)

// Writer writes the lines of a log in the background, so that a reader that has
// stalled or is gone cannot hold the program up. It drops lines that find too many
// others waiting, and counts them. zerolog's diode would count them only once the
// reader goes on. A Writer is safe for concurrent use.
type Writer struct {
	out     io.Writer
	lines   chan []byte
	dropped atomic.Uint64
	closing chan struct{}
	closed  chan struct{} // once nothing more is written
}

// NewWriter returns a writer of lines to out. It is closed once.
func NewWriter(out io.Writer) *Writer {
	w := &Writer{out: out, lines: make(chan []byte, maxWaiting), closing: make(chan struct{}), closed: make(chan struct{})}
	go w.run()
	return w
}

// Write takes a line, which may be dropped. It returns at once and never fails.
func (w *Writer) Write(line []byte) (int, error) {
	select {
	case w.lines <- bytes.Clone(line):
	default:
		w.dropped.Add(1)
	}
	return len(line), nil
}

// Dropped returns how many lines were lost so far, those included that could not
// be written.
func (w *Writer) Dropped() uint64 { return w.dropped.Load() }

// Close writes the lines that wait, and takes a second at most. Later lines are lost.
func (w *Writer) Close() {
	close(w.closing)
	select {
	case <-w.closed:
	case <-time.After(closeLimit):
	}
}

func (w *Writer) run() {
	defer close(w.closed)
	for {
		select {
		case line := <-w.lines:
			w.write(line)
		case <-w.closing:
			for len(w.lines) > 0 {
				w.write(<-w.lines)
			}
			return
		}
	}
}

func (w *Writer) write(line []byte) {
	if _, err := w.out.Write(line); err != nil {
		w.dropped.Add(1)
	}
}
