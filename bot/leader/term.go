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
	// admitCheck is when a kind is asked again that has not admitted what is due.
	admitCheck = 100 * time.Millisecond
	// idle is for how long a term waits if it knows of nothing that becomes due.
	idle = time.Minute
)

// term is one term of leading.
type term struct {
	*Leader
	working sync.WaitGroup
	over    chan struct{}
	wakeups chan wakeup
	ended   chan outcome
	read    chan reading
	counted chan *ledger
	listed  chan listing
	more    chan struct{} // asks for another reading

	// The goroutine of run alone uses these.
	queues   []*queue // one of each kind
	*ledger           // nil until it is known
	inflight map[string]bool
	writing  bool            // the list of what is in flight is being written
	written  map[string]bool // as Redis has that list; nil before the first
	doubtful map[string]bool // what Redis may have in it, as its answer was lost
	lonely   []work          // what is to be worked alone
	alone    string          // what is worked alone
	returned []string        // what counts no attempt, once the term is over
}

// wakeup says that IDs of a kind are due.
type wakeup struct {
	kind string
	ids  []string
}

// work is an ID that is due.
type work struct {
	kind   int
	id     string
	key    string  // its name in Redis
	tries  int     // that count
	letter *Letter // if it was a dead letter
	panics string  // what it panicked with last, in this term
}

// reason is why so many attempts count.
func (w work) reason() string {
	if w.panics != "" {
		return w.panics
	}
	return fmt.Sprintf("the process ended in it, or it panicked, %d times", w.tries)
}

// outcome is that of work.
type outcome struct {
	work
	next  time.Time // zero if the leader need not know
	fared fared
}

// fared is what an outcome says of attempts.
type fared int

const (
	unchanged fared = iota // nothing: it was not begun, or Redis does not take that it has returned
	returned
	panicked
	died // letter says so
)

// listing is the list of what is in flight, after it was written.
type listing struct {
	begin []work
	list  []string
	err   error
}

// reading is what is due of a kind, by when.
type reading struct {
	kind  int
	began time.Time
	due   map[string]time.Time
	full  bool // more may be due
}

func newTerm(l *Leader) *term {
	t := &term{
		Leader: l, over: make(chan struct{}), wakeups: make(chan wakeup), ended: make(chan outcome), read: make(chan reading),
		counted: make(chan *ledger), listed: make(chan listing), more: make(chan struct{}, 1), inflight: make(map[string]bool), doubtful: make(map[string]bool),
	}
	for _, k := range l.kinds {
		t.queues = append(t.queues, newQueue(k.Line))
	}
	return t
}

// wake has IDs be due. After the term it does nothing.
func (t *term) wake(w wakeup) {
	select {
	case t.wakeups <- w:
	case <-t.over:
	}
}

// run works until ctx is done, and until what was begun has ended.
func (t *term) run(ctx context.Context) {
	var helping sync.WaitGroup
	helping.Go(func() { t.keepReading(ctx) })
	helping.Go(func() { t.listen(ctx) })
	for ctx.Err() == nil {
		timer := time.NewTimer(t.begin(ctx))
		select {
		case <-ctx.Done():
		case <-timer.C:
		case w := <-t.wakeups:
			t.woken(w)
		case known := <-t.counted:
			t.ledger = known
		case l := <-t.listed:
			t.start(ctx, l)
		case o := <-t.ended:
			t.end(o)
		case r := <-t.read:
			t.queues[r.kind].merge(r)
		}
		timer.Stop()
	}
	for len(t.inflight) > 0 {
		select {
		case l := <-t.listed:
			t.doubt(l.list)
			for _, w := range l.begin {
				delete(t.inflight, w.key) // which was not begun
			}
		case o := <-t.ended:
			t.end(o)
		}
	}
	close(t.over)
	helping.Wait()
	t.working.Wait()
	t.doubt(slices.Collect(maps.Keys(t.written)))
	for key := range t.doubtful {
		if t.tries[key] == 0 {
			t.returned = append(t.returned, key)
		}
	}
}

// doubt notes what Redis may have in the list of what is in flight.
func (t *term) doubt(list []string) {
	for _, key := range list {
		t.doubtful[key] = true
	}
}

func (t *term) woken(w wakeup) {
	for i, k := range t.kinds {
		if k.Name != w.kind {
			continue
		}
		for _, id := range w.ids {
			t.queues[i].wake(id, time.Now())
		}
	}
}

// begin begins what is due and may begin. It returns for how long there is nothing else to begin.
func (t *term) begin(ctx context.Context) time.Duration {
	if t.ledger == nil || t.writing || t.alone != "" {
		return idle
	}
	wait := idle
	var batch []work
	for i, k := range t.kinds {
		q := t.queues[i]
		for len(t.lonely) == 0 && q.running < k.AtOnce && q.ready(time.Now()) {
			if k.Admit != nil && !k.Admit() {
				wait = min(wait, admitCheck)
				break
			}
			w := t.next(i)
			switch {
			case w.tries >= mostAttempts:
				t.working.Go(func() { t.die(ctx, w, w.reason()) })
			case t.pauseOf(w) > 0:
				t.working.Go(func() { t.wait(ctx, w, t.pauseOf(w)) })
			case w.tries >= aloneFrom:
				t.lonely = append(t.lonely, w)
			default:
				batch = append(batch, w)
			}
		}
		if q.more() {
			select {
			case t.more <- struct{}{}:
			default:
			}
		}
		// What waits for others to end is begun when they have.
		if at := q.until(); !at.IsZero() && q.running < k.AtOnce && len(t.lonely) == 0 {
			wait = min(wait, time.Until(at))
		}
	}
	if len(t.lonely) > 0 && len(batch) == 0 && len(t.inflight) == 0 {
		batch, t.lonely = t.lonely[:1], t.lonely[1:]
		t.alone = batch[0].key
	}
	t.write(ctx, batch)
	return max(wait, 0)
}

// next takes what is next of a kind.
func (t *term) next(kind int) work {
	id := t.queues[kind].next()
	w := work{kind: kind, id: id, key: name(t.kinds[kind].Name, id)}
	w.tries = t.tries[w.key]
	w.panics = t.panics[w.key]
	if letter, is := t.dead[w.key]; is {
		w.letter = &letter
	}
	return w
}

// pauseOf returns for how long a dead letter is not tried again yet, although it is due. The pause
// doubles with each time that it was tried in vain.
func (t *term) pauseOf(w work) time.Duration {
	if w.letter == nil || w.letter.Version != t.Version {
		return 0
	}
	pause := min(t.Timing.DeadPause<<min(w.letter.Again, mostDoubled), t.deadFor(t.kinds[w.kind]))
	return pause - time.Since(w.letter.Last)
}

// write writes that work is in flight, which begins after that. If Redis has that already, it
// begins at once.
func (t *term) write(ctx context.Context, batch []work) {
	known := t.alone == ""
	for _, w := range batch {
		known = known && t.written[w.key]
		t.inflight[w.key] = true
	}
	l := listing{begin: batch, list: slices.Collect(maps.Keys(t.inflight))}
	switch {
	case len(batch) == 0:
	case known:
		l.list = slices.Collect(maps.Keys(t.written))
		t.start(ctx, l)
	default:
		t.writing = true
		t.working.Go(func() {
			l.err = t.list(ctx, l.list)
			select {
			case t.listed <- l:
			case <-t.over:
			}
		})
	}
}

// start begins what is in the list that Redis has.
func (t *term) start(ctx context.Context, l listing) {
	t.writing = false
	if l.err != nil {
		t.doubt(l.list)
	} else {
		clear(t.doubtful)
		t.written = make(map[string]bool, len(l.list))
		for _, key := range l.list {
			t.written[key] = true
		}
	}
	for _, w := range l.begin {
		if l.err != nil {
			t.end(outcome{work: w, next: time.Now().Add(t.Timing.Retry)})
			continue
		}
		t.working.Go(func() { t.reconcile(ctx, w) })
	}
}

// end notes how work has ended.
func (t *term) end(o outcome) {
	delete(t.inflight, o.key)
	if t.alone == o.key {
		t.alone = ""
	}
	switch o.fared {
	case returned:
		delete(t.tries, o.key)
		delete(t.dead, o.key)
		delete(t.panics, o.key)
	case panicked:
		t.tries[o.key]++
		t.panics[o.key] = o.panics
	case died:
		t.dead[o.key] = *o.letter
		if o.tries >= mostAttempts {
			t.tries[o.key] = mostAttempts - 1
		}
	}
	t.queues[o.kind].done(o.id, o.next, time.Now())
}

// report reports how work has ended.
func (t *term) report(o outcome) {
	select {
	case t.ended <- o:
	case <-t.over:
	}
}

// reconcile works on an ID.
func (t *term) reconcile(ctx context.Context, w work) {
	k := t.kinds[w.kind]
	limited, cancel := context.WithTimeout(ctx, k.Limit)
	defer cancel()
	again, panics, err := t.call(limited, k, w.id)
	o := outcome{work: w}
	switch {
	case panics != "":
		t.panicked(w.key)
		o.panics = panics
		o.fared, o.next = panicked, time.Now().Add(t.Timing.Retry)
		t.report(o)
		return
	case errors.Is(err, record.ErrUnreadable):
		t.die(ctx, w, err.Error())
		return
	case err != nil:
		t.Log.Debug().Err(err).Str("kind", k.Name).Str("id", w.id).Msg("what the leader works on is tried again later")
		o.next = time.Now().Add(t.Timing.Retry)
	case again > 0 && again <= t.Timing.Window:
		o.next = time.Now().Add(again)
	}
	if (w.tries > 0 || w.letter != nil) && t.forgetAttempts(ctx, w.key) == nil {
		o.fared = returned
	}
	t.report(o)
}

// die makes a dead letter of work.
func (t *term) die(ctx context.Context, w work, reason string) {
	k, o := t.kinds[w.kind], outcome{work: w}
	var err error
	if k.Skip != nil {
		err = t.skip(ctx, k, w, reason)
		o.next, o.fared = time.Now(), returned
	} else {
		o.letter, err = t.bury(ctx, k, w, reason)
		o.fared = died
	}
	if err != nil {
		o.next, o.fared = time.Now().Add(t.Timing.Retry), unchanged
	}
	t.report(o)
}

// wait has a dead letter wait that was tried just now.
func (t *term) wait(ctx context.Context, w work, left time.Duration) {
	o := outcome{work: w}
	if t.putOff(ctx, t.kinds[w.kind], w.id, left) != nil {
		o.next = time.Now().Add(t.Timing.Retry)
	}
	t.report(o)
}

// call has an ID reconciled. A panic ends no process; panics is what it was, "" without one.
func (t *term) call(ctx context.Context, k *Kind, id string) (again time.Duration, panics string, err error) {
	defer func() {
		if p := recover(); p != nil {
			panics = fmt.Sprintf("panic: %.200v", p)
			t.Log.Error().Any("panic", p).Str("kind", k.Name).Str("id", id).Bytes("stack", debug.Stack()).Msg("the leader cannot deal with something, which is tried again later")
		}
	}()
	again, err = k.Reconcile(ctx, id)
	return again, "", err
}

// tidyEvery is between two looks whether dead letters are too old.
const tidyEvery = time.Hour

// keepReading reads now and then what is due soon, after it has counted what other processes died of.
func (t *term) keepReading(ctx context.Context) {
	for ctx.Err() == nil {
		known, err := t.count(ctx)
		if err == nil {
			select {
			case t.counted <- known:
			case <-ctx.Done():
			}
			break
		}
		pause(ctx, t.Timing.Renew)
	}
	var tidied time.Time
	for ctx.Err() == nil {
		t.readAll(ctx)
		if time.Since(tidied) >= tidyEvery {
			tidied = time.Now()
			_ = t.Tidy(ctx) // or the next time
		}
		select {
		case <-ctx.Done():
		case <-t.more:
		case <-time.After(t.Timing.Read):
		}
	}
}

// readAll reads what is due within the window, of all kinds.
func (t *term) readAll(ctx context.Context) {
	limited, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	began := time.Now()
	clock, err := t.Redis.Time(limited).Result()
	if err != nil {
		return // the next time
	}
	ahead := time.Since(began) / 2 // the answer is about as old
	until := strconv.FormatInt(clock.Add(t.Timing.Window).UnixMilli(), 10)
	found := make([]*redis.ZSliceCmd, len(t.kinds))
	_, _ = t.Redis.Pipelined(limited, func(p redis.Pipeliner) error { // each command has its own error
		for i, k := range t.kinds {
			found[i] = p.ZRangeArgsWithScores(limited, redis.ZRangeArgs{Key: k.Due, Start: "-inf", Stop: until, ByScore: true, Count: mostWaiting})
		}
		return nil
	})
	for i, k := range t.kinds {
		entries, err := found[i].Result()
		if err != nil {
			if ctx.Err() == nil {
				t.Log.Warn().Err(err).Str("kind", k.Name).Msg("redis does not tell what is due")
			}
			continue
		}
		r := reading{kind: i, began: began, due: make(map[string]time.Time, len(entries)), full: len(entries) == mostWaiting}
		for _, e := range entries {
			id, _ := e.Member.(string)
			r.due[id] = began.Add(ahead + time.UnixMilli(int64(e.Score)).Sub(clock))
		}
		select {
		case t.read <- r:
		case <-ctx.Done():
		}
	}
}

// listen takes the calls of Wake in other processes.
func (t *term) listen(ctx context.Context) {
	calls := t.Redis.Subscribe(ctx, t.Space.Key(wakeKey))
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
			words := strings.Fields(m.Payload)
			if len(words) > 1 {
				t.wake(wakeup{words[0], words[1:]})
			}
		}
	}
}
