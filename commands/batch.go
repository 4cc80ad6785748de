package commands

import (
	"context"
	"errors"
	"fmt"
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
)

// batch is one action on several of a customer's bots. Each bot has its lock and its entry in
// staff's log, as if the action had been asked for on it alone.
type batch struct {
	commands *Commands // asks the service for a few bots at once
	request  *interaction.Request
	action   action
	slots    *semaphore.Weighted
	began    time.Time
	members  []member
	changes  chan memberChange // of members, by those who work on them
	running  int               // members that have not ended
}

// member is a bot of a batch.
type member struct {
	bot
	request *interaction.Request // with an ID of its own, as an interaction acts once
	lock    *actions.Lock        // nil if it was refused
	stage   stage
	end     result // if it has ended
	refusal error  // if it was left out
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
	member   int
	stage    stage
	end      result
	reported bool // another process has told staff that nobody knows how it ended
	refusal  error
}

// newBatch returns a batch that has not begun.
func (c *Commands) newBatch(r *interaction.Request, a action, servers []hostapi.Server, known accounts.Snapshot) *batch {
	known.Update = nil // which nobody waits for
	slots := semaphore.NewWeighted(requestsAtOnce)
	few := *c
	few.accounts = fewAccounts{c.accounts, slots}
	b := &batch{commands: &few, request: r, action: a, slots: slots, began: time.Now(), changes: make(chan memberChange, 2*len(servers))}
	for _, s := range servers {
		own := *r
		own.ID += "/" + digest(s.ID)
		own.Running = a.on(s)
		b.members = append(b.members, member{bot: bot{s, known}, request: &own})
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
	b.running = len(b.members)
	response := b.draw()
	response.Then = b.begin
	return response
}

// begin acquires the locks of all bots, so that it is known at once which are left out, and has all
// others acted on.
func (b *batch) begin(ctx context.Context) (interaction.Response, error) {
	var locks []interaction.Lock
	begun := false
	defer func() {
		for _, lock := range locks {
			if !begun { // it panics
				lock.Close()
			}
		}
	}()
	for i := range b.members {
		m := &b.members[i]
		lock, err := b.commands.actions.Acquire(ctx, actions.Claim{Request: m.request, Action: *m.request.Running})
		if err != nil {
			m.stage, m.refusal = stageLeftOut, err
			b.running--
			continue
		}
		m.lock, locks = lock, append(locks, lock)
	}
	for i, m := range b.members {
		if m.lock != nil {
			go b.work(ctx, i, m)
		}
	}
	begun = true
	response := b.shown()
	response.Together = locks
	return response, nil
}

// next waits for what becomes of the bots, and says it.
func (b *batch) next(context.Context) (interaction.Response, error) {
	all := b.apply(nil, <-b.changes)
	pause := time.After(progressPause)
	for waits := true; waits && b.running > 0; {
		select {
		case now := <-b.changes:
			all = b.apply(all, now)
		case <-pause:
			waits = false
		}
	}
	response := b.shown()
	response.Ended = all
	return response, nil
}

// shown draws the batch, and has it drawn again as long as a bot has not ended.
func (b *batch) shown() interaction.Response {
	response := b.draw()
	if b.running > 0 {
		response.Then, response.Passing = b.next, true
	}
	return response
}

// apply takes note of a change, and adds an action that has ended.
func (b *batch) apply(all []interaction.Ended, now memberChange) []interaction.Ended {
	m := &b.members[now.member]
	m.stage, m.end, m.refusal = now.stage, now.end, now.refusal
	switch now.stage {
	case stageEnded:
		b.running--
		b.commands.refs.Meet(b.request, m.end.err)
		return append(all, interaction.Ended{Request: m.request, Action: *m.end.forStaff(), Failure: m.end.err, Reported: now.reported, Lock: m.lock})
	case stageLeftOut:
		b.running--
	}
	return all
}

// work acts on a bot once it is its turn, and tells what becomes of that.
func (b *batch) work(ctx context.Context, i int, m member) {
	if err := b.slots.Acquire(ctx, 1); err != nil { // the program stops
		m.lock.Close()
		b.changes <- memberChange{member: i, stage: stageLeftOut, refusal: interaction.ErrStopping}
		return
	}
	release := sync.OnceFunc(func() { b.slots.Release(1) })
	b.changes <- memberChange{member: i, stage: stageActing}
	end := b.carryOut(ctx, m, release)
	release()
	reported := !m.lock.End(*end.forStaff())
	b.changes <- memberChange{member: i, stage: stageEnded, end: end, reported: reported}
}

// carryOut acts on a bot. release is called once the service has answered to that: others may ask it
// while the bot is followed. After a panic nobody knows how far it came.
func (b *batch) carryOut(ctx context.Context, m member, release func()) (end result) {
	once := b.action
	once.do = func(ctx context.Context, h Hosting, userID string, s hostapi.Server) (hostapi.Server, error) {
		defer release()
		return b.action.do(ctx, h, userID, s)
	}
	defer func() {
		if p := recover(); p != nil {
			end = result{action: b.action, bot: m.bot, err: fmt.Errorf("%w: %w: %v", interaction.ErrOutcomeUnknown, interaction.ErrPanic, p)}
		}
	}()
	return b.commands.carryOut(ctx, m.request.CustomerID, once, m.bot)
}

// limited returns until when no further action may begin, if one was refused for that.
func (b *batch) limited() (until time.Time, found bool) {
	for _, m := range b.members {
		if limit, ok := errors.AsType[*actions.LimitError](m.refusal); ok {
			return limit.Until, true
		}
	}
	return time.Time{}, false
}
