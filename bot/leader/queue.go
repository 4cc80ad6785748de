package leader

import (
	"container/heap"
	"maps"
	"time"
)

// queue has the IDs of one kind that are due now or soon. An ID that is added twice is there once. One that is
// being worked on is handed out again only after that.
//
// Due IDs wait in lines, and the lines take turns. A queue is not safe for concurrent use: the goroutine of a term
// owns it.
type queue struct {
	line    func(id string) string
	items   map[string]*item
	waiting byTime              // includes outdated moments of items that were moved
	lines   map[string][]string // due IDs, by line
	turns   []string            // the lines that are not empty, in the order of their turns
	running int
	full    bool                 // the last reading found mostWaiting IDs
	ended   map[string]time.Time // when work on an ID ended, since the last reading
}

// item is an ID in a queue.
type item struct {
	at    time.Time
	state state
	again bool // it was woken while it was being worked on
}

// state is where an item is.
type state int

const (
	waiting state = iota // for its time
	due                  // in its line
	running              // being worked on
)

func newQueue(line func(string) string) *queue {
	if line == nil {
		line = func(string) string { return "" }
	}
	return &queue{line: line, items: make(map[string]*item), lines: make(map[string][]string), ended: make(map[string]time.Time)}
}

// set sets when an ID is due, unless it is due already or being worked on.
func (q *queue) set(id string, at time.Time) {
	i := q.items[id]
	if i == nil {
		i = &item{}
		q.items[id] = i
	}
	if i.state == waiting && !i.at.Equal(at) {
		i.at = at
		heap.Push(&q.waiting, moment{id, at})
	}
}

// wake makes an ID due now. One that is being worked on is due again after that.
func (q *queue) wake(id string, now time.Time) {
	if i := q.items[id]; i != nil && i.state == running {
		i.again = true
		return
	}
	q.set(id, now)
}

// ready moves what has become due into the lines, and reports whether they have any IDs.
func (q *queue) ready(now time.Time) bool {
	for len(q.waiting) > 0 && !q.waiting[0].at.After(now) {
		m, _ := heap.Pop(&q.waiting).(moment)
		i := q.items[m.id]
		if i == nil || i.state != waiting || !i.at.Equal(m.at) {
			continue
		}
		line := q.line(m.id)
		if len(q.lines[line]) == 0 {
			q.turns = append(q.turns, line)
		}
		q.lines[line] = append(q.lines[line], m.id)
		i.state = due
	}
	return len(q.turns) > 0
}

// next hands out an ID. It is called after ready has reported true.
func (q *queue) next() (id string) {
	line := q.turns[0]
	id = q.lines[line][0]
	q.turns, q.lines[line] = q.turns[1:], q.lines[line][1:]
	if len(q.lines[line]) > 0 {
		q.turns = append(q.turns, line)
	} else {
		delete(q.lines, line)
	}
	q.items[id].state = running
	q.running++
	return id
}

// done ends the work on an ID. next is when it is due again; zero if that is not known here.
func (q *queue) done(id string, next, now time.Time) {
	if q.items[id].again {
		next = now
	}
	delete(q.items, id)
	q.running--
	q.ended[id] = now
	if !next.IsZero() {
		q.set(id, next)
	}
}

// merge adds what a reading of Redis has found, except IDs on which work has ended since the reading began: their
// due times may be outdated.
func (q *queue) merge(began time.Time, f found) {
	q.full = f.full
	for id, at := range f.due {
		if !q.ended[id].After(began) {
			q.set(id, at)
		}
	}
	maps.DeleteFunc(q.ended, func(_ string, at time.Time) bool { return !at.After(began) })
}

// more reports once that half of a full reading is done, and that it is time to read again.
func (q *queue) more() bool {
	if !q.full || len(q.items) > mostWaiting/2 {
		return false
	}
	q.full = false
	return true
}

// until returns when the next ID becomes due; zero if there is none.
func (q *queue) until() time.Time {
	if len(q.waiting) == 0 {
		return time.Time{}
	}
	return q.waiting[0].at
}

// moment is when an ID is due.
type moment struct {
	id string
	at time.Time
}

// byTime is a heap: the earliest moment is the first.
type byTime []moment

func (h byTime) Len() int           { return len(h) }
func (h byTime) Less(a, b int) bool { return h[a].at.Before(h[b].at) }
func (h byTime) Swap(a, b int)      { h[a], h[b] = h[b], h[a] }

func (h *byTime) Push(x any) {
	m, _ := x.(moment)
	*h = append(*h, m)
}

func (h *byTime) Pop() any {
	last := len(*h) - 1
	m := (*h)[last]
	*h = (*h)[:last]
	return m
}
