package leader

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"hostbot/bot/store/record"
)

const (
	// admitCheck is how long to wait after Kind.Admit has reported false.
	admitCheck = 100 * time.Millisecond
	// idle is how long a term waits if nothing is about to become due.
	idle = time.Minute
	// mostWakeups bounds the queued calls of Wake. Further ones are dropped: the next reading finds their IDs.
	mostWakeups = 1000
)

// term is one term of leading.
type term struct {
	*Leader
	wakeups chan string // calls of Wake: a kind and IDs, separated by spaces
	ended   chan outcome
	read    chan reading
	more    chan struct{} // asks for another reading

	// Used by the goroutine of run only.
	queues   []*queue           // by kind
	tries    map[string]tries   // by name
	dead     map[string]*Letter // by name
	inflight map[string]bool    // by name
	alone    *work              // being worked on alone, or waiting for that
}

// tries are counted attempts.
type tries struct {
	n     int
	panic string // the last panic in this term, or ""
}

// work is a due ID.
type work struct {
	kind   int
	id     string
	key    string // its name
	tries  tries
	letter *Letter // nil if it is no dead letter
}

// outcome is work that has ended.
type outcome struct {
	work
	next time.Time // when it is due again; zero if that is after Timing.Window, or never
}

// reading is one reading of Redis.
type reading struct {
	began time.Time
	found []found // of each kind
	dead  map[string]*Letter
}

// found is what is due of a kind, by when.
type found struct {
	due  map[string]time.Time
	full bool // there may be more
}

func newTerm(l *Leader) *term {
	t := &term{
		Leader: l, wakeups: make(chan string, mostWakeups), ended: make(chan outcome), read: make(chan reading),
		more: make(chan struct{}, 1), inflight: make(map[string]bool),
	}
	for _, k := range l.kinds {
		t.queues = append(t.queues, newQueue(k.Line))
	}
	return t
}

// wake takes a call of Wake.
func (t *term) wake(call string) {
	select {
	case t.wakeups <- call:
	default:
	}
}

// run works until ctx is done and all begun work has ended.
func (t *term) run(ctx context.Context) {
	var helping sync.WaitGroup
	defer helping.Wait()
	helping.Go(func() { t.listen(ctx) })
	for err := t.count(ctx); err != nil; err = t.count(ctx) {
		if pause(ctx, t.cfg.Timing.Renew); ctx.Err() != nil {
			return
		}
	}
	helping.Go(func() { t.keepReading(ctx) })
	for ctx.Err() == nil {
		timer := time.NewTimer(t.begin(ctx))
		select {
		case <-ctx.Done():
		case <-timer.C:
		case w := <-t.wakeups:
			t.woken(w)
		case o := <-t.ended:
			t.end(o)
		case r := <-t.read:
			t.merge(r)
		}
		timer.Stop()
	}
	for len(t.inflight) > 0 {
		t.end(<-t.ended)
	}
}

func (t *term) woken(call string) {
	kind, ids, _ := strings.Cut(call, " ")
	if kind == wakeLetters {
		t.readMore()
	}
	if i := t.kind(kind); i >= 0 {
		for id := range strings.FieldsSeq(ids) {
			t.queues[i].wake(id, time.Now())
		}
	}
}

func (t *term) merge(r reading) {
	for i, f := range r.found {
		if f.due != nil {
			t.queues[i].merge(r.began, f)
		}
	}
	for key, letter := range t.dead {
		if letter.Last.After(r.began) { // the reading may have an older one
			r.dead[key] = letter
		}
	}
	t.dead = r.dead
}

// readMore asks for another reading.
func (t *term) readMore() {
	select {
	case t.more <- struct{}{}:
	default:
	}
}

// begin begins all work that is due and may begin. It returns how long until there may be more.
func (t *term) begin(ctx context.Context) time.Duration {
	wait := idle
	var batch []work
	for i, k := range t.kinds {
		q := t.queues[i]
		for t.alone == nil && q.running < k.AtOnce && q.ready(time.Now()) {
			if k.Admit != nil && !k.Admit() {
				wait = min(wait, admitCheck)
				break
			}
			if w := t.next(i); w.tries.n >= aloneFrom || w.letter != nil && t.pauseOf(w) <= 0 {
				t.alone = &w
			} else {
				batch = append(batch, w)
			}
		}
		if q.more() {
			t.readMore()
		}
		// If work waits for other work, the end of that calls begin again.
		if at := q.until(); !at.IsZero() && q.running < k.AtOnce && t.alone == nil {
			wait = min(wait, time.Until(at))
		}
	}
	if t.alone != nil && len(batch) == 0 && len(t.inflight) == 0 {
		batch = []work{*t.alone}
	}
	if len(batch) > 0 && !t.start(ctx, batch) {
		return 0
	}
	return max(wait, 0)
}

// next takes the next due ID of a kind.
func (t *term) next(kind int) work {
	id := t.queues[kind].next()
	key := name(t.kinds[kind].Name, id)
	return work{kind: kind, id: id, key: key, tries: t.tries[key], letter: t.dead[key]}
}

// start saves work in the list of what is in flight and then begins it. It reports whether Redis has saved the
// list.
func (t *term) start(ctx context.Context, batch []work) bool {
	for _, w := range batch {
		t.inflight[w.key] = true
	}
	err := t.list(ctx, slices.Collect(maps.Keys(t.inflight)))
	for _, w := range batch {
		if err != nil {
			t.end(outcome{w, time.Now().Add(t.cfg.Timing.Retry)})
			continue
		}
		go t.work(ctx, w)
	}
	return err == nil
}

// end takes over the outcome of work.
func (t *term) end(o outcome) {
	delete(t.inflight, o.key)
	if t.alone != nil && t.alone.key == o.key {
		t.alone = nil
	}
	delete(t.tries, o.key)
	if o.tries.n > 0 {
		t.tries[o.key] = o.tries
	}
	delete(t.dead, o.key)
	if o.letter != nil {
		t.dead[o.key] = o.letter
	}
	t.queues[o.kind].done(o.id, o.next, time.Now())
}

// work deals with an ID that is due.
func (t *term) work(ctx context.Context, w work) {
	var again time.Duration
	var err error
	switch wait := t.pauseOf(w); {
	case w.tries.n >= mostAttempts, w.tries.n > 0 && w.letter != nil:
		again, err = t.bury(ctx, &w, w.tries.reason())
	case wait > 0:
		err = t.putOff(ctx, &w, wait)
	default:
		again, err = t.reconcile(ctx, &w)
	}
	o := outcome{work: w}
	switch {
	case err != nil:
		o.next = time.Now().Add(t.cfg.Timing.Retry)
	case again > 0 && again <= t.cfg.Timing.Window:
		o.next = time.Now().Add(again)
	}
	t.ended <- o
}

// reconcile calls Reconcile. If that returns, the counted attempts are reset, and the ID is no dead letter.
func (t *term) reconcile(ctx context.Context, w *work) (again time.Duration, err error) {
	k := t.kinds[w.kind]
	limited, cancel := context.WithTimeout(ctx, k.Limit)
	defer cancel()
	again, panics, err := t.call(limited, k, w.id)
	switch {
	case panics != "":
		w.tries = tries{w.tries.n + 1, panics}
		t.notePanic(w.key)
		return 0, errors.New(panics)
	case errors.Is(err, record.ErrUnreadable):
		return t.bury(ctx, w, err.Error())
	case err != nil:
		t.cfg.Log.Debug().Err(err).Str("kind", k.Name).Str("id", w.id).Msg("what the leader works on is tried again later")
	}
	if (w.tries.n > 0 || w.letter != nil) && t.forget(ctx, w.key) == nil {
		w.tries, w.letter = tries{}, nil
	}
	return again, err
}

// call calls Reconcile and recovers from a panic; panics describes it.
func (t *term) call(ctx context.Context, k *Kind, id string) (again time.Duration, panics string, err error) {
	defer func() {
		if p := recover(); p != nil {
			panics = fmt.Sprintf("panic: %.200v", p)
			t.cfg.Log.Error().Any("panic", p).Str("kind", k.Name).Str("id", id).Bytes("stack", debug.Stack()).Msg("the leader cannot deal with something, which is tried again later")
		}
	}()
	again, err = k.Reconcile(ctx, id)
	return again, "", err
}

// keepReading reads what is due every Timing.Read, or when readMore asks for it.
func (t *term) keepReading(ctx context.Context) {
	for ctx.Err() == nil {
		if r, err := t.readAll(ctx); err == nil {
			select {
			case t.read <- r:
			case <-ctx.Done():
			}
		}
		select {
		case <-ctx.Done():
		case <-t.more:
		case <-time.After(t.cfg.Timing.Read):
		}
	}
}

// readAll reads what is due within the window, of all kinds, and the dead letters.
func (t *term) readAll(ctx context.Context) (reading, error) {
	r := reading{began: time.Now(), found: make([]found, len(t.kinds))}
	var err error
	if r.dead, err = t.tidy(ctx); err != nil {
		return r, err
	}
	asked := time.Now()
	clock, err := t.cfg.Redis.Time(ctx).Result()
	if err != nil {
		return r, err
	}
	here := asked.Add(time.Since(asked) / 2) // this process's time at Redis's time
	until := strconv.FormatInt(clock.Add(t.cfg.Timing.Window).UnixMilli(), 10)
	answers := make([]*redis.ZSliceCmd, len(t.kinds))
	_, _ = t.cfg.Redis.Pipelined(ctx, func(p redis.Pipeliner) error { // each command has its own error
		for i, k := range t.kinds {
			answers[i] = p.ZRangeArgsWithScores(ctx, redis.ZRangeArgs{Key: k.Due, Start: "-inf", Stop: until, ByScore: true, Count: mostWaiting})
		}
		return nil
	})
	for i, k := range t.kinds {
		entries, err := answers[i].Result()
		if err != nil {
			if !Ended(ctx) {
				t.cfg.Log.Warn().Err(err).Str("kind", k.Name).Msg("redis does not tell what is due")
			}
			continue
		}
		r.found[i] = found{due: make(map[string]time.Time, len(entries)), full: len(entries) == mostWaiting}
		for _, e := range entries {
			id, _ := e.Member.(string)
			r.found[i].due[id] = here.Add(time.UnixMilli(int64(e.Score)).Sub(clock))
		}
	}
	return r, nil
}

// listen receives calls of Wake from other processes.
func (t *term) listen(ctx context.Context) {
	calls := t.cfg.Redis.Subscribe(ctx, t.cfg.Space.Key(wakeKey))
	defer func() { _ = calls.Close() }()
	received := calls.Channel()
	for {
		select {
		case <-ctx.Done():
			return
		case m, ok := <-received:
			if !ok {
				return
			}
			t.wake(m.Payload)
		}
	}
}
