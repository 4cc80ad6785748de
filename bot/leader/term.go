package leader

import (
	"context"
	"fmt"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"hostbot/bot/store/aside"
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
	queues  []*queue // one of each kind, which run's goroutine alone uses
	working sync.WaitGroup
	over    chan struct{}
	wakeups chan wakeup
	ended   chan outcome
	read    chan reading
}

// wakeup says that IDs of a kind are due.
type wakeup struct {
	kind string
	ids  []string
}

// outcome is that of a Reconcile.
type outcome struct {
	kind int
	id   string
	next time.Time // zero if the leader need not know
}

// reading is what is due of a kind, by when.
type reading struct {
	kind  int
	began time.Time
	due   map[string]time.Time
}

func newTerm(l *Leader) *term {
	t := &term{
		Leader: l, over: make(chan struct{}), wakeups: make(chan wakeup), ended: make(chan outcome), read: make(chan reading),
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
		case o := <-t.ended:
			t.queues[o.kind].done(o.id, o.next, time.Now())
		case r := <-t.read:
			t.queues[r.kind].merge(r)
		}
		timer.Stop()
	}
	close(t.over)
	helping.Wait()
	t.working.Wait()
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
	wait := idle
	for i, k := range t.kinds {
		q := t.queues[i]
		for q.running < k.AtOnce && q.ready(time.Now()) {
			if k.Admit != nil && !k.Admit() {
				wait = min(wait, admitCheck)
				break
			}
			id := q.next()
			t.working.Go(func() { t.reconcile(ctx, i, id) })
		}
		if at := q.until(); !at.IsZero() {
			wait = min(wait, time.Until(at))
		}
	}
	return max(wait, 0)
}

// reconcile works on an ID.
func (t *term) reconcile(ctx context.Context, kind int, id string) {
	k := t.kinds[kind]
	limited, cancel := context.WithTimeout(ctx, k.Limit)
	defer cancel()
	again, err := t.call(limited, k, id)
	o := outcome{kind: kind, id: id}
	switch {
	case err != nil:
		t.Log.Debug().Err(err).Str("kind", k.Name).Str("id", id).Msg("what the leader works on is tried again later")
		o.next = time.Now().Add(t.Timing.Retry)
	case again > 0 && again <= t.Timing.Window:
		o.next = time.Now().Add(again)
	}
	select {
	case t.ended <- o:
	case <-t.over:
	}
}

// call has an ID reconciled. A panic becomes an error: otherwise what one record holds would end one
// process after the other, as each of them leads.
func (t *term) call(ctx context.Context, k *Kind, id string) (again time.Duration, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("leader: panic: %v", p)
			t.Log.Error().Err(err).Str("kind", k.Name).Str("id", id).Bytes("stack", debug.Stack()).Msg("the leader cannot deal with something, which is tried again later")
		}
	}()
	return k.Reconcile(ctx, id)
}

// keepReading reads now and then what is due soon.
func (t *term) keepReading(ctx context.Context) {
	var corrected time.Time
	for ctx.Err() == nil {
		if time.Since(corrected) >= t.Timing.Doubt {
			corrected = time.Now()
			t.correct(ctx)
		}
		t.readAll(ctx)
		pause(ctx, t.Timing.Read)
	}
}

// correct has IDs be due soon whose times lie farther ahead than they can.
func (t *term) correct(ctx context.Context) {
	limited, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	clock, err := t.Redis.Time(limited).Result()
	if err != nil {
		return // the next time
	}
	found := make([]*redis.StringSliceCmd, len(t.kinds))
	_, _ = t.Redis.Pipelined(limited, func(p redis.Pipeliner) error { // each command has its own error
		for i, k := range t.kinds {
			if k.Farthest == nil {
				continue
			}
			from := strconv.FormatInt(clock.Add(k.Farthest()).UnixMilli(), 10)
			found[i] = p.ZRangeArgs(limited, redis.ZRangeArgs{Key: k.Due, Start: "(" + from, Stop: "+inf", ByScore: true, Count: mostWaiting})
		}
		return nil
	})
	for i, k := range t.kinds {
		if found[i] == nil || len(found[i].Val()) == 0 {
			continue
		}
		members := make([]redis.Z, len(found[i].Val()))
		for m, id := range found[i].Val() {
			members[m] = redis.Z{Score: float64(clock.Add(t.Timing.Doubt).UnixMilli()), Member: id}
		}
		t.Log.Warn().Str("kind", k.Name).Int("count", len(members)).Msg("a clock was wrong: what redis has due too far ahead is due in a moment")
		_ = t.Redis.ZAddArgs(limited, k.Due, redis.ZAddArgs{XX: true, LT: true, Members: members}).Err() // or the next time
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
		if aside.IsWrongType(err) && k.Mend != nil {
			k.Mend(ctx)
		}
		if err != nil {
			continue
		}
		r := reading{kind: i, began: began, due: make(map[string]time.Time, len(entries))}
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
