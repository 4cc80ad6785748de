package commands

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"hostbot/bot/actions"
	"hostbot/bot/interaction"
	"hostbot/hostapi"
	"hostbot/hostapi/accounts"
)

const (
	// requestsAtOnce is how many requests to the service a batch has under way.
	requestsAtOnce = 4
	// progressPause is between two looks of a batch's message. Discord's limit on edits is found in
	// its answers alone (https://discord.com/developers/docs/topics/rate-limits).
	progressPause = 1500 * time.Millisecond
	// batchLimit is for how long a batch begins further actions. The message can be changed for 15 min.
	batchLimit = 10 * time.Minute
	// unsaidPause is how long a batch waits if the service has had too many requests, and does not say
	// for how long.
	unsaidPause = 10 * time.Second
)

// batch is one action on several of a customer's bots. Each bot has its lock and its entry in
// staff's log, as if the action had been asked for on it alone.
//
// A batch goes on by itself where it may not go on at once: the customer has started as many actions
// as there may be in a minute, or the service wants no more requests for a while.
type batch struct {
	commands *Commands // asks the service for a few bots at once
	request  *interaction.Request
	action   action
	means    meant
	slots    *semaphore.Weighted
	began    time.Time
	members  []member
	changes  chan memberChange // of members, by those who work on them
	over     chan struct{}     // closed once nobody reads changes any more
	running  int               // members that have not ended
	paused   pause
	early    []int // members whose turn comes with another attempt, which goOn makes
}

// meant is which bots a batch was asked for, and its texts.
type meant struct {
	// in lists the states of a bot in which it is acted on. In others it is left alone.
	in states
	// texts begins the keys of the texts that name the action.
	texts string
	// ask is the key of the question whether it is to be carried out.
	ask string
	// acted, up and fell are the keys of what is said of a bot that was acted on, of one that is left alone, and of one
	// that has crashed after all.
	acted, up, fell string
	// title and now are the keys of the title, and of the button that answers the question.
	title, now string
	// subject is that of the messages.
	subject string
	// pace and unsure are the keys of what is said where not all are begun at once, and of bots of which
	// nobody knows how it ended.
	pace, unsure string
	// again returns the custom ID that asks about bots once more.
	again func(servers []hostapi.Server) string
}

// pause is until when a batch begins nothing as the service has had too many requests.
type pause struct {
	mu     sync.Mutex
	until  time.Time
	reason error
}

// member is a bot of a batch.
type member struct {
	bot
	request *interaction.Request // with an ID of its own, as an interaction acts once
	lock    *actions.Lock        // nil until there is one
	stage   stage
	end     result // if it has ended
	refusal error  // if it was left out, or has no lock yet
}

// stage is how far a member is.
type stage int

const (
	stageWaiting stage = iota
	stageActing
	stageEnded
	stageLeftOut // nothing was done
)

// memberChange is what has become of a member.
type memberChange struct {
	member  int
	stage   stage
	lock    *actions.Lock // that the member has from now on; nil: no other
	end     result
	refusal error
}

// newBatch returns a batch that has not begun.
func (c *Commands) newBatch(r *interaction.Request, a action, means meant, servers []hostapi.Server, known accounts.Snapshot) *batch {
	known.Update = nil // which nobody waits for
	slots := semaphore.NewWeighted(requestsAtOnce)
	few := *c
	few.accounts = fewAccounts{c.accounts, slots}
	b := &batch{commands: &few, request: r, action: a, means: means, slots: slots, began: time.Now(), changes: make(chan memberChange, 2*len(servers)), over: make(chan struct{})}
	for _, s := range servers {
		own := *r
		own.ID += "/" + digest(s.ID)
		own.Running = a.on(s)
		m := member{bot: bot{s, known}, request: &own}
		if !means.in.has(conditionOf(s).state) {
			m.stage, m.refusal = stageLeftOut, errSenseless
		} else {
			b.running++
		}
		b.members = append(b.members, m)
	}
	return b
}

// fewAccounts are accounts for which only a few requests are under way. What is known of one is soon
// out of date, as each of several actions changes it.
type fewAccounts struct {
	Accounts
	slots *semaphore.Weighted
}

func (f fewAccounts) Ask(ctx context.Context, userID, serverID string, by time.Time) (accounts.Snapshot, error) {
	if err := f.slots.Acquire(ctx, 1); err != nil {
		return accounts.Snapshot{}, interaction.ErrUnsettled
	}
	defer f.slots.Release(1)
	return f.Accounts.Ask(ctx, userID, serverID, by)
}

func (f fewAccounts) Acted(ctx context.Context, _ accounts.Snapshot, userID, serverID, action, status string) {
	f.Accounts.Acted(ctx, accounts.Snapshot{}, userID, serverID, action, status)
}

// start says which bots are acted on, acts once Discord has taken that, and says how it goes.
func (b *batch) start() interaction.Response {
	response := b.draw()
	response.Then = &interaction.Work{Does: interaction.Change{}, Run: b.begin}
	return response
}

// begin acquires the locks of all bots, so that it is known at once which are left out, and has all
// others acted on, those at their time for which it is too early.
func (b *batch) begin(ctx context.Context) (interaction.Response, error) {
	var all []int
	for i, m := range b.members {
		if m.stage == stageWaiting {
			all = append(all, i)
		}
	}
	got, early, again := b.acquire(ctx, all, "")
	if len(early) > 0 {
		b.early = early
		interaction.Go(func() { b.goOn(ctx, again) }, func(p *interaction.PanicError) { b.leaveOut(b.early, p) })
	}
	var noted news
	for _, change := range got {
		b.apply(&noted, change)
		if change.lock != nil {
			b.startWork(ctx, change.member, change.lock)
		}
	}
	return b.shown(noted), nil
}

// acquire acquires the locks of some bots, and returns what has become of these, those of them for
// which it is too early, and when it is not any more. An interaction acts once: attempt is what tells
// one attempt from another.
func (b *batch) acquire(ctx context.Context, members []int, attempt string) (changes []memberChange, early []int, again time.Time) {
	claims := make([]actions.Claim, len(members))
	for i, member := range members {
		own := *b.members[member].request
		own.ID += attempt
		claims[i] = actions.Claim{Request: &own, Action: *own.Running}
	}
	for i, got := range b.commands.actions.AcquireAll(ctx, claims) {
		change := memberChange{member: members[i], lock: got.Lock, refusal: got.Refusal}
		if limit, is := errors.AsType[*actions.LimitError](got.Refusal); is && !b.isTooLate(limit.Until) {
			early, again = append(early, members[i]), limit.Until
		} else if got.Refusal != nil {
			change.stage = stageLeftOut
		}
		changes = append(changes, change)
	}
	return changes, early, again
}

// isTooLate reports whether a batch begins nothing any more at a time.
func (b *batch) isTooLate(at time.Time) bool { return at.Sub(b.began) > batchLimit }

// goOn has those bots acted on for which it was too early, as soon as the customer may start further
// actions.
func (b *batch) goOn(ctx context.Context, again time.Time) {
	for attempt := 2; len(b.early) > 0; attempt++ {
		if !sleepUntil(ctx, again) { // the program stops
			b.leaveOut(b.early, interaction.ErrStopping)
			return
		}
		b.early = b.stillMeant(ctx, b.early)
		var got []memberChange
		got, b.early, again = b.acquire(ctx, b.early, "/"+strconv.Itoa(attempt))
		for _, change := range got {
			if b.tell(change) && change.lock != nil {
				b.startWork(ctx, change.member, change.lock)
			}
		}
	}
}

// leaveOut tells that nothing is done about members, and why.
func (b *batch) leaveOut(members []int, why error) {
	for _, member := range members {
		b.tell(memberChange{member: member, stage: stageLeftOut, refusal: why})
	}
}

// errSenseless says that a bot was left alone as the action makes no sense on it as it is.
var errSenseless = errors.New("the action makes no sense on the bot as it is")

// stillMeant returns on which of some bots the action makes sense still, and has the others left alone.
func (b *batch) stillMeant(ctx context.Context, members []int) []int {
	seen, err := b.commands.accounts.Ask(ctx, b.request.CustomerID, "", time.Now().Add(lookLimit))
	if err != nil || seen.Old {
		return members
	}
	still := make(map[string]bool)
	for _, s := range b.commands.nowOf(b.request, seen) {
		still[s.ID] = b.means.in.has(conditionOf(s).state)
	}
	return slices.DeleteFunc(members, func(member int) bool {
		senseless := !still[b.members[member].server.ID]
		if senseless {
			b.tell(memberChange{member: member, stage: stageLeftOut, refusal: errSenseless})
		}
		return senseless
	})
}

// sleepUntil waits until a time, and reports whether ctx allowed that.
func sleepUntil(ctx context.Context, at time.Time) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(time.Until(at)):
		return true
	}
}

// tell tells what has become of a member. It returns false if nobody reads that any more, as drawing
// it has panicked: the lock that the member has got is closed, as all others are.
func (b *batch) tell(change memberChange) bool {
	select {
	case b.changes <- change:
		return true
	case <-b.over:
		if change.lock != nil {
			change.lock.Close()
		}
		return false
	}
}

// news is what the responder is told beside the message.
type news struct {
	ended []interaction.Ended
	locks []interaction.Lock
}

// next waits for what becomes of the bots, and says it.
func (b *batch) next(context.Context) (interaction.Response, error) {
	var noted news
	b.apply(&noted, <-b.changes)
	pause := time.After(progressPause)
	for waits := true; waits && b.running > 0; {
		select {
		case now := <-b.changes:
			b.apply(&noted, now)
		case <-pause:
			waits = false
		}
	}
	return b.shown(noted), nil
}

// shown draws the batch, and has it drawn again as long as a bot has not ended.
func (b *batch) shown(noted news) interaction.Response {
	drawn := false
	defer func() {
		if !drawn {
			close(b.over)
		}
	}()
	response := b.draw()
	drawn = true
	response.Ended = noted.ended
	if b.running > 0 {
		response.Then = &interaction.Work{Does: interaction.Batch{Locks: noted.locks}, Run: b.next}
	}
	return response
}

// apply takes note of a change.
func (b *batch) apply(noted *news, now memberChange) {
	m := &b.members[now.member]
	m.stage, m.end, m.refusal = now.stage, now.end, now.refusal
	if now.lock != nil {
		m.lock, noted.locks = now.lock, append(noted.locks, now.lock)
	}
	switch now.stage {
	case stageEnded:
		b.running--
		noted.ended = append(noted.ended, interaction.Ended{Request: m.request, Action: *m.end.forStaff(), Failure: m.end.err, Lock: m.lock})
	case stageLeftOut:
		b.running--
	}
}

// startWork has a bot be worked on that has its lock.
func (b *batch) startWork(ctx context.Context, i int, lock *actions.Lock) {
	interaction.Go(func() { b.work(ctx, i, lock) }, func(p *interaction.PanicError) { // nobody knows how far it came
		b.tellEnd(i, lock, result{action: b.action, bot: b.members[i].bot, err: fmt.Errorf("%w: %w", interaction.ErrOutcomeUnknown, p)})
	})
}

// tellEnd tells how the action on a bot ended.
func (b *batch) tellEnd(i int, lock *actions.Lock, end result) {
	lock.End(*end.forStaff())
	b.tell(memberChange{member: i, stage: stageEnded, end: end})
}

// work acts on a bot once it is its turn, again if the service wants that later, and tells what becomes
// of it.
func (b *batch) work(ctx context.Context, i int, lock *actions.Lock) {
	for {
		release, refusal := b.turn(ctx)
		if refusal != nil {
			lock.Close()
			b.tell(memberChange{member: i, stage: stageLeftOut, refusal: refusal})
			return
		}
		b.tell(memberChange{member: i, stage: stageActing})
		end := b.carryOut(ctx, lock, i, release)
		if b.pauseFor(end.err) {
			b.tell(memberChange{member: i, stage: stageWaiting})
			continue
		}
		b.tellEnd(i, lock, end)
		return
	}
}

// turn waits until one more request may be made, and returns what lets the next one have its turn, or
// why there is none any more.
func (b *batch) turn(ctx context.Context) (release func(), refusal error) {
	for {
		until, reason := b.pausedUntil()
		if b.isTooLate(until) {
			return nil, reason
		}
		if !sleepUntil(ctx, until) || b.slots.Acquire(ctx, 1) != nil {
			return nil, interaction.ErrStopping
		}
		if now, _ := b.pausedUntil(); !now.After(time.Now()) {
			return sync.OnceFunc(func() { b.slots.Release(1) }), nil
		}
		b.slots.Release(1)
	}
}

// pauseFor has nothing be begun for a while if the service has refused an action for that reason, and
// reports whether the action is to be tried again then.
func (b *batch) pauseFor(err error) bool {
	failure, is := errors.AsType[*hostapi.Error](err)
	if !is || failure.Code != hostapi.CodeRateLimited || failure.Uncertain {
		return false
	}
	until := time.Now().Add(cmp.Or(failure.RetryAfter, unsaidPause))
	b.paused.mu.Lock()
	defer b.paused.mu.Unlock()
	if until.After(b.paused.until) {
		b.paused.until, b.paused.reason = until, err
	}
	return !b.isTooLate(until)
}

// pausedUntil returns until when nothing is begun, and why. It may be past.
func (b *batch) pausedUntil() (time.Time, error) {
	b.paused.mu.Lock()
	defer b.paused.mu.Unlock()
	return b.paused.until, b.paused.reason
}

// carryOut acts on a bot. release is called once the service has answered to that: others may ask it
// while the bot is followed.
func (b *batch) carryOut(ctx context.Context, lock *actions.Lock, i int, release func()) result {
	defer release()
	once := b.action
	once.do = func(ctx context.Context, h Hosting, userID string, s hostapi.Server) (hostapi.Server, error) {
		defer release()
		return b.action.do(ctx, h, userID, s)
	}
	return b.commands.carryOut(ctx, lock, b.request.CustomerID, once, b.members[i].bot)
}
