// Package leader elects one replica, which does what only one may do, and runs that work.
//
// Every replica tries to hold one lease in Redis. The one that holds it leads: it reads which
// records are due in the next seconds, and has each of them reconciled when its time has come.
// To reconcile is to bring one thing from what is to what is wanted, as a controller of
// Kubernetes does. What is due is kept in Redis alone, in one sorted set for each kind of work,
// so that the death of a leader loses nothing: the next leader reads the same sets. A term of
// leading keeps its queue in memory and throws it away at its end.
//
// Somebody who wants a thing to be reconciled now writes that into the sorted set, and calls
// Wake. A leader that misses the call finds the entry within Timing.Read.
//
// What ends the process, or panics, again and again, is a dead letter after mostAttempts attempts
// (letters.go), so that it does not end every replica in turn.
//
// A leader that Discord does not answer at all resigns, since to hold the lease without working
// is not to lead. If nobody else leads then, it tries again.
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
	// Due is the key in Redis of a sorted set that has the IDs of what is to be reconciled, by
	// when that is due (Unix ms by Redis's clock). No ID has a space in it.
	Due string
	// Skip is called in the place of a dead letter, and drops what the next Reconcile of the ID would
	// begin with; nil if that is the whole record.
	Skip func(ctx context.Context, id string) error
	// DeadFor is after which time a dead letter is tried again; 0 for Timing.DeadFor.
	DeadFor time.Duration
	// Line returns whose line an ID stands in while it is due. Lines take turns, so that many
	// IDs of one customer do not delay those of another. If it is nil, there is one line.
	Line func(id string) string
	// AtOnce is how many are reconciled at a time. Admit reports whether one more may begin now,
	// which then does; it may be nil.
	AtOnce int
	Admit  func() bool
	// Limit bounds one Reconcile.
	Limit time.Duration
	// Reconcile does what there is to do about an ID, and writes to Redis when it is due again.
	// It is not called for one ID twice at the same time. It may be called early, twice, or
	// after a process died in the middle of it, and takes from Redis whether the ID is due. It
	// returns after which time that is so again; 0 if it is not due, or only after Timing.Window.
	// After an error the ID waits for Timing.Retry, unless Redis has it due before. An error that is
	// record.ErrUnreadable makes a dead letter of it.
	Reconcile func(ctx context.Context, id string) (again time.Duration, err error)
}

// Config is what a Leader needs.
type Config struct {
	// Redis bounds each command by itself, in about a second, and heeds the deadline of its context.
	Redis redis.UniversalClient
	Space keyspace.Space
	// Name is what operators know this process by.
	Name string
	// Silence returns from when until when Discord has answered no request of this process; zero
	// if it has answered the last one. It may be nil.
	Silence func() (from, until time.Time)
	// Version is that of the program. If it changes, dead letters are tried again.
	Version string
	// OnDead is told of each new dead letter. It may be nil and must not block.
	OnDead func(Letter)
	Log    zerolog.Logger
	Timing Timing
}

// Timing is how a Leader uses time. Tests may be less patient.
type Timing struct {
	Lease time.Duration // after which another process leads in the place of one that died
	Renew time.Duration // between two attempts to hold the lease
	Read  time.Duration // between two readings of what is due
	// Window is how far ahead is read.
	Window time.Duration
	Retry  time.Duration
	// DeadFor is after which time a dead letter is tried again by itself, and DeadPause for how long,
	// at first, it is not tried again although somebody makes it due.
	DeadFor, DeadPause time.Duration
	// Resign is after which silence of Discord's the leader resigns. It doubles each time, up to
	// ResignMost, until Discord answers: it may be silent to all.
	Resign, ResignMost time.Duration
	// Away is for how long a process that has resigned leaves the lease to others, if one of
	// them takes it.
	Away time.Duration
}

// DefaultTiming returns the timing for operation.
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
	// mostWaiting is how many IDs of a kind are kept in memory at once.
	mostWaiting = 10_000

	leaseKey = "{leader}:lease"
	wakeKey  = "{leader}:wake" // a channel
)

// Leader is this process's part in the election. It is safe for concurrent use.
type Leader struct {
	Config
	kinds   []*Kind
	lease   *lease.Lease
	resign  time.Duration        // after which silence it resigns the next time; Run's alone
	leading atomic.Pointer[term] // nil while another process leads, or none
	terms   atomic.Uint64
	redis   away.Since // whether it answers attempts to hold the lease
	token   string     // names this process in what is in flight
	listed  bool       // Redis may have a list of what is in flight here; a term's alone, and Run's between two
}

// New returns a leader that does not lead until Run is called.
func New(c Config) *Leader {
	return &Leader{Config: c, resign: c.Timing.Resign, lease: lease.New(c.Redis, c.Space.Key(leaseKey), c.Name), token: rand.Text()}
}

// Add adds a kind of work. It is called before Run.
func (l *Leader) Add(k Kind) { l.kinds = append(l.kinds, &k) }

// kind returns which of the kinds has a name; -1 if none has.
func (l *Leader) kind(name string) int {
	return slices.IndexFunc(l.kinds, func(k *Kind) bool { return k.Name == name })
}

// Leading reports whether this process leads.
func (l *Leader) Leading() bool { return l.leading.Load() != nil }

// Term returns how many terms this process has begun. Whoever keeps in memory what another leader
// may have changed reads it anew in another term.
func (l *Leader) Term() uint64 { return l.terms.Load() }

// Holder returns the name of the process that leads; "" if none does.
func (l *Leader) Holder(ctx context.Context) (string, error) { return l.lease.Holder(ctx) }

// Wake has the leader, wherever it runs, reconcile what its caller has made due in Redis. If
// the call is lost, the leader finds it by itself a little later.
func (l *Leader) Wake(ctx context.Context, kind string, ids ...string) {
	if len(ids) == 0 {
		return
	}
	message := kind + " " + strings.Join(ids, " ")
	if t := l.leading.Load(); t != nil {
		t.wake(message)
		return
	}
	if err := l.Redis.Publish(ctx, l.Space.Key(wakeKey), message).Err(); err != nil {
		l.Log.Debug().Err(err).Msg("the leader could not be told of what is due")
	}
}

// Ended reports whether the context of a Reconcile is done because its term has ended. What it could
// not do is due at once then, for the next leader.
func Ended(ctx context.Context) bool { return errors.Is(ctx.Err(), context.Canceled) }

// Run leads while this process holds the lease, until ctx is done and what was begun has ended.
// Then another process may lead at once.
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
		pause(ctx, l.Timing.Renew)
	}
}

// lead leads for one term. It reports whether this process has resigned.
func (l *Leader) lead(ctx context.Context) (resigned bool) {
	l.Log.Info().Str("name", l.Name).Msg("this replica leads")
	began := time.Now()
	working, end := context.WithCancel(l.lease.Guard(ctx))
	l.terms.Add(1)
	t := newTerm(l)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		t.run(working)
	}()
	l.leading.Store(t)
	for ctx.Err() == nil && !resigned {
		pause(ctx, min(l.Timing.Renew, l.lease.Left()))
		resigned = l.cutOff(began)
		if !l.hold(ctx) && !l.lease.Held() {
			break
		}
	}
	l.leading.Store(nil)
	end()
	<-ended
	if l.listed {
		l.unlist()
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), callLimit)
	defer cancel()
	_ = l.lease.Release(ctx) // otherwise it ends by itself
	l.Log.Info().Bool("resigned", resigned).Msg("this replica leads no more")
	return resigned
}

// cutOff reports whether Discord has answered nothing for so long, since the term began, that
// another is to lead.
func (l *Leader) cutOff(began time.Time) bool {
	if l.Silence == nil {
		return false
	}
	from, until := l.Silence()
	switch {
	case from.IsZero():
		l.resign = l.Timing.Resign
		return false
	case from.Before(began): // an earlier term has resigned for that
		from = began
	}
	if until.Sub(from) < l.resign {
		return false
	}
	l.resign = min(2*l.resign, l.Timing.ResignMost)
	return true
}

// stayAway leaves the lease to others for a while. If none of them takes it, this process may.
func (l *Leader) stayAway(ctx context.Context) {
	end := time.Now().Add(l.Timing.Away)
	for pause(ctx, 2*l.Timing.Renew); ctx.Err() == nil && time.Now().Before(end); pause(ctx, l.Timing.Renew) {
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

// hold takes or renews the lease, and reports whether that went well.
func (l *Leader) hold(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	held, err := l.lease.Hold(ctx, l.Timing.Lease)
	if err != nil {
		l.redis.Failed(time.Now())
	} else {
		l.redis.Worked()
	}
	return held && err == nil
}

// Reached returns for how long Redis has answered each attempt to hold the lease, whoever held it.
func (l *Leader) Reached() time.Duration { return l.redis.Well() }

// pause waits until a time is over or ctx is done.
func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
