// Package leader elects one of the replicas and runs the work that only one may do.
//
// All replicas compete for one lease in Redis. The holder leads: it reads which records are due in the next
// seconds, and reconciles each when its time has come. To reconcile is to bring one thing from its actual to its
// wanted state, as a Kubernetes controller does. Redis has one sorted set of due IDs for each kind of work, so that
// nothing is lost when a leader dies: the next one reads the same sets. A leader's in-memory queue lasts for one
// term.
//
// To have something reconciled now, write it into the sorted set and call Wake. If the leader misses the call, it
// finds the entry within Timing.Read.
//
// An ID whose work panics or ends the process mostAttempts times becomes a dead letter (letters.go), so that it
// does not end every replica in turn.
//
// A leader that Discord does not answer resigns, so that another replica can try. If none takes the lease, it
// leads again.
//
// # Why no job queue
//
// The engine is Redis: sorted sets for what is due, and one lease for who leads. hibiken/asynq 0.26 was
// measured in its place:
//
//	                                           asynq                         this package
//	work of a killed process begins elsewhere  after 59 to 109 s             after 7 s
//	idle Redis commands a second               26 to 136 with 3 replicas     6
//	a job that is enqueued begins              after 27 to 1,250 ms          within 10 ms
//	a change while the ID is worked on         is lost (ErrTaskIDConflict)   has it worked on again
//	the order within a second                  is random                     is kept
//	many jobs of one customer                  delay those of others         take turns with them
//	a job that panics again and again          is archived                   is a dead letter
//	size of the program                        10 MB more
//
// client-go's workqueue has the rule about adding twice, and neither lines that take turns nor a time that
// is moved. River needs Postgres, Temporal a server of its own, and client-go's leader election Kubernetes.
package leader

import (
	"context"
	"crypto/rand"
	"errors"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/rs/zerolog"

	"hostbot/bot/away"
	"hostbot/bot/store/keyspace"
	"hostbot/bot/store/lease"
)

// Kind is one kind of work.
type Kind struct {
	// Name has no space in it.
	Name string
	// Due is the key of a sorted set in Redis: the IDs to reconcile, by when they are due (Unix ms by Redis's
	// clock). No ID has a space in it.
	Due string
	// Skip, if set, is called in place of making a dead letter. It drops the part of the record that the next
	// Reconcile would begin with.
	Skip func(ctx context.Context, id string) error
	// DeadFor is how long until a dead letter is tried again; 0 for Timing.DeadFor.
	DeadFor time.Duration
	// Line returns the line that a due ID waits in. Lines take turns, so that many IDs of one customer do not
	// delay another customer's. If it is nil, there is one line.
	Line func(id string) string
	// AtOnce is how many IDs are reconciled at the same time.
	AtOnce int
	// Admit reports whether one more may begin now; if so, it begins. It may be nil.
	Admit func() bool
	// Limit bounds one Reconcile.
	Limit time.Duration
	// Reconcile reconciles an ID and saves in Redis when it is due again. It is not called concurrently for one
	// ID. It may be called early, twice, or after a process died in it, so it must check in Redis whether the
	// ID is due. It returns how long until the ID is due again; 0 for never, or for more than Timing.Window.
	// After an error the ID waits for Timing.Retry, unless Redis has it due before. After record.ErrUnreadable
	// it becomes a dead letter.
	Reconcile func(ctx context.Context, id string) (again time.Duration, err error)
}

// Config is what a Leader needs.
type Config struct {
	// Redis must bound each command to about a second, and heed the deadline of its context.
	Redis redis.UniversalClient
	Space keyspace.Space
	// Name is the name of this process, for operators.
	Name string
	// Silence is rest.Client.Silence. It may be nil.
	Silence func() (from, until time.Time)
	// Version is the program's version. If it changes, dead letters are tried again.
	Version string
	// OnDead is called with each new dead letter. It must not block, and may be nil.
	OnDead func(Letter)
	Log    zerolog.Logger
	Timing Timing
}

// Timing is how a Leader uses time. Tests may be less patient.
type Timing struct {
	Lease  time.Duration // how long after its last renewal the lease expires
	Renew  time.Duration // between two attempts to take or renew the lease
	Read   time.Duration // between two readings of what is due
	Window time.Duration // how far ahead is read
	Retry  time.Duration // after an error of Reconcile
	// DeadFor is how long until a dead letter is tried again by itself, and DeadPause how long at first it is not
	// tried again even if somebody makes it due.
	DeadFor, DeadPause time.Duration
	// Resign is how long Discord must be silent for the leader to resign. It doubles each time, up to
	// ResignMost, until Discord answers, as Discord may be silent to all replicas.
	Resign, ResignMost time.Duration
	// Away is how long a process that has resigned leaves the lease to others.
	Away time.Duration
}

// DefaultTiming returns the timing for production.
func DefaultTiming() Timing {
	return Timing{
		Lease: 6 * time.Second, Renew: 2 * time.Second, Read: 5 * time.Second, Window: 10 * time.Second,
		Retry: 10 * time.Second, DeadFor: 24 * time.Hour, DeadPause: 10 * time.Minute,
		Resign: 5 * time.Second, ResignMost: time.Minute, Away: 30 * time.Second,
	}
}

const (
	// callLimit bounds one use of the lease.
	callLimit = time.Second
	// mostWaiting is how many IDs of a kind are in memory at once.
	mostWaiting = 10_000

	leaseKey = "{leader}:lease"
	wakeKey  = "{leader}:wake" // a channel
)

// Leader is this process's part in the election. It is safe for concurrent use.
type Leader struct {
	cfg     Config
	kinds   []*Kind
	lease   *lease.Lease
	resign  time.Duration        // the next value of Timing.Resign; used by Run only
	leading atomic.Pointer[term] // nil while this process does not lead
	terms   atomic.Uint64
	redis   away.Since // attempts to take or renew the lease
	token   string     // names this process in inflightKey
	listed  bool       // Redis may have this process's list there; used by the term, and by Run between terms
}

// New returns a leader that does not lead until Run is called.
func New(c Config) *Leader {
	return &Leader{cfg: c, resign: c.Timing.Resign, lease: lease.New(c.Redis, c.Space.Key(leaseKey), c.Name), token: rand.Text()}
}

// Add adds a kind of work. It is called before Run.
func (l *Leader) Add(kinds ...Kind) {
	for _, k := range kinds {
		l.kinds = append(l.kinds, &k)
	}
}

// kind returns the index of the kind with a name; -1 if there is none.
func (l *Leader) kind(name string) int {
	return slices.IndexFunc(l.kinds, func(k *Kind) bool { return k.Name == name })
}

// Leading reports whether this process leads.
func (l *Leader) Leading() bool { return l.leading.Load() != nil }

// Term returns how many terms this process has begun. In a new term, what is cached in memory may have been changed
// by another leader.
func (l *Leader) Term() uint64 { return l.terms.Load() }

// Holder returns the name of the process that leads; "" if none does.
func (l *Leader) Holder(ctx context.Context) (string, error) { return l.lease.Holder(ctx) }

// Wake makes the leader, in whichever process, reconcile IDs that the caller has made due in Redis. If the call is
// lost, the leader finds them a little later.
func (l *Leader) Wake(ctx context.Context, kind string, ids ...string) {
	if len(ids) == 0 {
		return
	}
	message := kind + " " + strings.Join(ids, " ")
	if t := l.leading.Load(); t != nil {
		t.wake(message)
		return
	}
	if err := l.cfg.Redis.Publish(ctx, l.cfg.Space.Key(wakeKey), message).Err(); err != nil {
		l.cfg.Log.Debug().Err(err).Msg("the leader could not be told of what is due")
	}
}

// Ended reports whether the context of a Reconcile is done because its term has ended. What is left to do should
// be due at once, for the next leader.
func Ended(ctx context.Context) bool { return errors.Is(ctx.Err(), context.Canceled) }

// Run leads whenever this process holds the lease, until ctx is done and all begun work has ended. Another process
// may lead at once after that.
func (l *Leader) Run(ctx context.Context) {
	for ctx.Err() == nil {
		held := l.hold(ctx)
		if l.listed && l.Reached() > 0 {
			l.unlist()
		}
		if held {
			if resigned := l.lead(ctx); resigned {
				l.stayAway(ctx)
				continue
			}
		}
		pause(ctx, l.cfg.Timing.Renew)
	}
}

// lead leads for one term. It reports whether this process has resigned.
func (l *Leader) lead(ctx context.Context) (resigned bool) {
	l.cfg.Log.Info().Str("name", l.cfg.Name).Msg("this replica leads")
	began := time.Now()
	working, end := context.WithCancel(l.lease.Guard(ctx))
	l.terms.Add(1)
	t := newTerm(l)
	var term sync.WaitGroup
	term.Go(func() { t.run(working) })
	l.leading.Store(t)
	for ctx.Err() == nil && !resigned {
		pause(ctx, min(l.cfg.Timing.Renew, l.lease.Left()))
		resigned = l.cutOff(began)
		if !l.hold(ctx) && !l.lease.Held() {
			break
		}
	}
	l.leading.Store(nil)
	end()
	term.Wait()
	if l.listed {
		l.unlist()
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), callLimit)
	defer cancel()
	_ = l.lease.Release(ctx) // if that fails, it expires
	l.cfg.Log.Info().Bool("resigned", resigned).Msg("this replica leads no more")
	return resigned
}

// cutOff reports whether Discord has been silent for long enough in this term to resign.
func (l *Leader) cutOff(began time.Time) bool {
	if l.cfg.Silence == nil {
		return false
	}
	from, until := l.cfg.Silence()
	switch {
	case from.IsZero():
		l.resign = l.cfg.Timing.Resign
		return false
	case from.Before(began): // an earlier term has resigned for the time before
		from = began
	}
	if until.Sub(from) < l.resign {
		return false
	}
	l.resign = min(2*l.resign, l.cfg.Timing.ResignMost)
	return true
}

// stayAway leaves the lease to others for Timing.Away, or until none of them holds it.
func (l *Leader) stayAway(ctx context.Context) {
	end := time.Now().Add(l.cfg.Timing.Away)
	for pause(ctx, 2*l.cfg.Timing.Renew); ctx.Err() == nil && time.Now().Before(end); pause(ctx, l.cfg.Timing.Renew) {
		limited, cancel := context.WithTimeout(ctx, callLimit)
		holder, err := l.Holder(limited)
		cancel()
		switch {
		case err != nil:
			l.redis.Failed(time.Now())
		case holder == "":
			return
		}
	}
}

// hold takes or renews the lease, and reports whether that succeeded.
func (l *Leader) hold(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	held, err := l.lease.Hold(ctx, l.cfg.Timing.Lease)
	if err != nil {
		l.redis.Failed(time.Now())
	} else {
		l.redis.Worked()
	}
	return held && err == nil
}

// Reached returns for how long Redis has answered all attempts to take or renew the lease.
func (l *Leader) Reached() time.Duration { return l.redis.Well() }

// pause waits until a time is over or ctx is done.
func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
