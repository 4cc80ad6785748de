package accounts

import (
	"errors"
	"maps"
	"slices"
	"time"

	"hostbot/hostapi"
)

// entry is what Redis holds of an account: what the service said of it last,
// and who may ask again, and when. It is changed by copying: what its pointers
// and maps lead to stays as it is.
type entry struct {
	answer  *answer   // nil: the service has not said anything yet
	expired bool      // the answer is to be asked for again, whatever its age
	askedAt time.Time // when the latest call began; zero: there was none
	claim   *claim    // nil: nobody is asking
	failure *failure  // nil: the latest call did not fail
}

// answer is what the service said of an account.
type answer struct {
	at   time.Time
	none bool // there is no such account
	list hostapi.List
}

// claim is a process's right to ask the service, which it has until it stored
// the outcome, or until it is taken to have died. Without it no outcome is stored.
type claim struct {
	token    string
	until    time.Time
	statuses map[string]string // by server id: what became known while it was asking
}

// failure is how the latest calls ended.
type failure struct {
	err   hostapi.Error
	times int // how many calls failed one after another
	at    time.Time
	until time.Time // when the service may be asked again
}

// limits are the durations of Config.
type limits struct{ fresh, keep, patience time.Duration }

const (
	// firstHold is how long an account is not asked for again after a failure.
	// It doubles with each further one, up to limits.fresh.
	firstHold = time.Second
	// maxTimes bounds how many failures are counted; further ones make no
	// difference.
	maxTimes = 32
	// shortHold is how much longer an account may have to be left alone for one
	// who asks for it to wait for that, where there is nothing to show.
	shortHold = 2 * time.Second
	// minGap is what at least lies between the beginnings of two calls for an
	// account, even after Expire.
	minGap = time.Second
	// maxSkew is how far another machine's clock may be ahead.
	maxSkew = time.Minute
)

// step is what to do for someone who asks for an account.
type step int

const (
	showAnswer  step = iota // the answer is fresh
	showFailure             // the service failed a moment ago
	await                   // another process is asking, or has just begun to
	askService
)

// next returns what to do now for someone who asks.
func (e entry) next(now time.Time, l limits) step {
	switch {
	case e.answer != nil && !e.expired && now.Sub(e.answer.at) < l.fresh:
		return showAnswer
	case e.failure != nil && within(now, e.failure.until, l.fresh):
		return showFailure
	case e.claim != nil && within(now, e.claim.until, l.patience):
		return await
	case now.Sub(e.askedAt).Abs() < minGap:
		return await
	default:
		return askService
	}
}

// within tells whether until lies ahead, and no further than it can. A clock
// that is wrong must not keep everyone from asking.
func within(now, until time.Time, most time.Duration) bool {
	left := until.Sub(now)
	return left > 0 && left <= most+maxSkew
}

// outcome returns the fresh answer, or the failure of a moment ago.
func (e entry) outcome(do step, now time.Time) (Snapshot, error) {
	switch {
	case do == showFailure:
		return Snapshot{}, e.failure.repeated(now)
	case e.answer.none:
		return Snapshot{}, &hostapi.Error{Code: hostapi.CodeNotFound, Op: hostapi.OpList, Detail: "there was no such account a moment ago"}
	default:
		return Snapshot{List: e.answer.list, FetchedAt: e.answer.at}, nil
	}
}

// shown returns the account as it was last heard of, where it is known and not
// too old to be shown.
func (e entry) shown(now time.Time, l limits) (Snapshot, bool) {
	if e.answer == nil || e.answer.none || now.Sub(e.answer.at) >= l.keep {
		return Snapshot{}, false
	}
	return Snapshot{List: e.answer.list, FetchedAt: e.answer.at}, true
}

// claimed gives a process the right to ask.
func (e entry) claimed(token string, now time.Time, l limits) entry {
	e.claim = &claim{token: token, until: now.Add(l.patience)}
	e.askedAt = now
	return e
}

// held tells whether a claim is the one that is in force.
func (e entry) held(token string) bool { return e.claim != nil && e.claim.token == token }

// ended takes the outcome of the call for which there was a claim.
func (e entry) ended(list hostapi.List, err error, now time.Time, l limits) entry {
	statuses := e.claim.statuses
	e.claim = nil
	switch {
	case err == nil:
		for serverID, status := range statuses {
			list = withStatus(list, serverID, status)
		}
		e.answer, e.expired, e.failure = &answer{at: now, list: list}, false, nil
	case hostapi.CodeOf(err) == hostapi.CodeNotFound:
		e.answer, e.expired, e.failure = &answer{at: now, none: true}, false, nil
	case notSent(err):
		e.askedAt = time.Time{} // after all
	case hostapi.CodeOf(err) != hostapi.CodeCanceled: // from which nothing is learnt
		e.failure = e.failure.again(err, now, l)
	}
	return e
}

// notSent tells of a call that was refused without asking the service.
func notSent(err error) bool {
	var refusal *hostapi.Error
	return errors.As(err, &refusal) && refusal.NotSent
}

// again returns the failure that follows on f, which may be nil.
func (f *failure) again(err error, now time.Time, l limits) *failure {
	next := failure{err: hostapi.Error{Code: hostapi.CodeOf(err), Op: hostapi.OpList}, times: 1, at: now}
	var said *hostapi.Error
	if errors.As(err, &said) {
		next.err = *said
		next.err.Attempts, next.err.Took = 0, 0 // of whoever gets it again there are none
	}
	hold := firstHold
	if f != nil && now.Sub(f.until) < l.fresh { // otherwise it is a new run
		next.times = min(f.times, maxTimes) + 1
		for range min(f.times, maxTimes) {
			hold = min(2*hold, l.fresh)
		}
	}
	next.until = now.Add(min(hold, l.fresh))
	return &next
}

// left returns for how much longer the account is left alone.
func (f *failure) left(now time.Time) time.Duration { return f.until.Sub(now) }

// repeated returns the error for someone who asks now.
func (f *failure) repeated(now time.Time) error {
	err := f.err
	err.RetryAfter = max(0, err.RetryAfter-now.Sub(f.at))
	return &err
}

// withStatus notes a server's status, for a call that is under way as well.
func (e entry) withStatus(serverID, status string) entry {
	if e.answer != nil {
		changed := *e.answer
		changed.list = withStatus(changed.list, serverID, status)
		e.answer = &changed
	}
	if e.claim != nil {
		changed := *e.claim
		changed.statuses = maps.Clone(changed.statuses)
		if changed.statuses == nil {
			changed.statuses = make(map[string]string)
		}
		changed.statuses[serverID] = status
		e.claim = &changed
	}
	return e
}

// outdated lets the service be asked again. What a call under way says will
// not be stored: it began too early.
func (e entry) outdated() entry {
	e.expired, e.claim = true, nil
	if e.failure != nil {
		changed := *e.failure
		changed.until = changed.at
		e.failure = &changed
	}
	return e
}

// ttl returns for how long there is something of use in an entry.
func (e entry) ttl(now time.Time, l limits) time.Duration {
	until := e.askedAt.Add(minGap)
	extend := func(t time.Time) {
		if t.After(until) {
			until = t
		}
	}
	switch {
	case e.answer == nil:
	case e.answer.none:
		extend(e.answer.at.Add(l.fresh))
	default:
		extend(e.answer.at.Add(l.keep))
	}
	if e.claim != nil {
		extend(e.claim.until)
	}
	if e.failure != nil {
		extend(e.failure.until.Add(l.fresh)) // as it counts for the next one
	}
	return max(until.Sub(now), time.Millisecond)
}

// withStatus returns the list with another status of one server. The list given
// stays as it is, as others may be reading it.
func withStatus(list hostapi.List, serverID, status string) hostapi.List {
	i := slices.IndexFunc(list.Servers, func(s hostapi.Server) bool { return s.ID == serverID })
	if i < 0 || list.Servers[i].Status == status {
		return list
	}
	list.Servers = slices.Clone(list.Servers)
	list.Servers[i].Status = status
	return list
}
