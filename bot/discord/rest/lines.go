package rest

import (
	"maps"
	"strconv"
	"strings"
	"time"
)

// turnGap is the time from one to the next of those who wait for the same limit. Discord takes five messages in
// four seconds in a channel, and as many edits (hata, rate_limit_groups.py).
const turnGap = time.Second

// line is of those whose requests a limit of a channel holds back. Most of Discord's limits are leaky buckets:
// Retry-After is when there is room for one (discord-api-docs#7680). If all came then, all but one would be refused
// again, and each refusal counts towards a ban of the address. So each is told to come at another time.
type line struct {
	next time.Time // from when on one more request may be sent
	last time.Time // when the last of those is to come who were told to
}

// lineOf names the line of requests at a path below the API's base: Discord limits each kind of request in
// each channel. It is "" if a request is about no channel's messages.
func lineOf(method, path string) string {
	steps := strings.Split(path, "/")
	if steps[0] != "channels" || len(steps) < 3 {
		return ""
	}
	return method + " " + steps[1] + " " + strconv.Itoa(len(steps))
}

// turn returns after which time a request may be sent, as others wait for the same limit; 0 if it may be sent now.
func (l *limits) turn(in string) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	now, w := time.Now(), l.lines[in]
	switch {
	case w == nil:
		return 0
	case now.Before(w.next):
		return w.join(now)
	}
	if w.next = w.next.Add(turnGap); w.next.After(w.last) || w.over(now) {
		delete(l.lines, in)
	}
	return 0
}

// refuse notes that Discord's limit holds back what is in a line, and returns after which time the request that it
// has refused may be sent.
func (l *limits) refuse(in string, wait time.Duration) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	maps.DeleteFunc(l.lines, func(_ string, w *line) bool { return w.over(now) })
	w, until := l.lines[in], now.Add(wait)
	if w == nil {
		w = &line{}
		l.lines[in] = w
	}
	if !now.Before(w.next) || until.After(w.next.Add(turnGap)) { // otherwise it is what others were told
		w.next = until
	}
	return w.join(now)
}

// join returns after which time it is the turn of somebody who comes to the end of a line.
func (w *line) join(now time.Time) time.Duration {
	if w.last = w.last.Add(turnGap); w.last.Before(w.next) {
		w.last = w.next
	}
	return w.last.Sub(now).Truncate(time.Millisecond) + time.Millisecond // Redis keeps times in whole ones
}

// over reports whether all have come who were to, or do not come any more.
func (w *line) over(now time.Time) bool { return now.After(w.last.Add(turnGap)) }
