package e2e_test

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"hostbot/bot/discordtest"
)

// fault is something that goes wrong with one of the things that the bot
// depends on, and how each way of using the bot ends meanwhile.
type fault struct {
	name   string
	secure bool // the bot reaches everything by names and TLS
	// strike lets it happen and returns what ends it.
	strike func(*testing.T, *broken) (mend func())

	unknown ending // for whoever looks at an account that is not remembered
	known   ending // the same of one that is
	acts    ending // for whoever changes something
	keeps   ending // for staff who use what only Redis has; usual where empty
	suggest ending // for whoever types the name of a bot that is not remembered; usual where empty

	// trips says that the service is taken to be away after a while. What is asked
	// of it is then refused at once, and certainly not done.
	trips bool
	// staff is what all entries of failures say, as a regular expression; empty
	// where nothing fails.
	staff string
	// lifecycle is what staff read of the dependency itself; empty for nothing.
	lifecycle string
	// noticed is what the process log says before the fault is ended.
	noticed string
	// loses says that it may be unknown whether something was done.
	loses bool
	// breaks are rules of Discord's that are broken on purpose, by a part of
	// what is said of that.
	breaks []string

	env        []string      // settings of the bot's
	heartbeats time.Duration // between two of the gateway's; Discord's where it is 0
}

// expected is how a flow is to end.
func (x fault) expected(f flow) ending {
	gone := x.known == x.unknown && x.unknown != usual // also what is remembered is not shown
	switch {
	case x.unknown == unheard:
		return unheard
	case f.need == needsNothing, f.need == keeps && x.keeps == "":
		return usual
	case f.need == keeps:
		return x.keeps
	case f.need == suggests && (f.known && !gone || x.unknown == usual && x.suggest == ""):
		return usual
	case f.need == suggests:
		return nothing
	case f.need == asks && !gone:
		return usual
	case f.need == acts && (f.known || x.unknown == usual):
		return x.acts
	case f.known:
		return x.known
	default:
		return x.unknown
	}
}

// atOnce is how many faults are tried at once: they mostly wait. atTheSameMoment
// is how many people do something in the same moment: what is asked here is not
// how fast the bot is.
const (
	atOnce          = 8
	atTheSameMoment = 15
)

// TestFaultMatrix lets everything go wrong with everything that the bot depends
// on while it is used in every way, and then lets it be well again.
//
// How things end depends on the bot's limits of time. With the race detector,
// which takes five times the CPU time, it misses some of them.
func TestFaultMatrix(t *testing.T) {
	if raceDetector {
		t.Skip("runs without the race detector, as .ci/run has it: go test -run FaultMatrix ./bot/e2e")
	}
	turn := make(chan struct{}, atOnce)
	var tried sync.WaitGroup
	var unjudged atomic.Int32
	for _, d := range dependencies() {
		for _, x := range d.faults {
			tried.Go(func() {
				turn <- struct{}{}
				defer func() { <-turn }()
				if !x.tryUntilJudged(t, d.name+"/"+x.name) {
					unjudged.Add(1)
				}
			})
		}
	}
	tried.Wait()
	if n := unjudged.Load(); n > maxUnjudged {
		t.Errorf("this machine is too slow to judge how %d faults end, in %d tries each", n, maxTries)
	}
}

const (
	// maxTries is how often a fault is tried where the machine was too slow for the
	// bot's limits of time.
	maxTries = 3
	// maxUnjudged is how many faults may be left of which it is only known that
	// nothing untrue was said.
	maxUnjudged = 4
)

// tryUntilJudged tries the fault until the machine was fast enough to judge how all
// ends, and tells whether it was.
func (x fault) tryUntilJudged(t *testing.T, name string) (judged bool) {
	for range maxTries {
		if ok := t.Run(name, func(t *testing.T) { judged = x.try(t) }); judged || !ok {
			return true
		}
	}
	return false
}

// trial is one flow while something is broken, and afterwards.
type trial struct {
	flow
	*person
	from *discordtest.Reply // where it begins
	reading
	is   ending
	done int // how often something was done so far that was judged
}

// try lets the fault happen once, and tells whether it could be judged how all ends.
func (x fault) try(t *testing.T) (judged bool) {
	b := newBroken(t, x)
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the bot's log:\n%s", b.log)
		}
	})
	b.start(t)
	p := newPhrasebook(t)
	var trials []*trial
	for _, f := range flows() {
		trials = append(trials, &trial{flow: f, person: b.newPerson(f.name)})
	}

	each(trials, func(one *trial) { one.begin(t) })
	if t.Failed() {
		return true
	}
	mend := x.strike(t, b)
	each(trials, func(one *trial) { one.suffer(t, p, x) })
	if x.noticed != "" {
		b.log.waitFor(t, x.noticed)
	}
	mend()
	x.checkStaff(t, b, trials)
	each(trials, func(one *trial) { one.checkLate(t) })
	each(samples(trials), func(one *trial) { one.recover(t, p) })
	if b.tooSlow() {
		t.Log("the machine was too slow: judged was only whether everything is true")
		return false
	}
	for _, broken := range b.discord.Failures() {
		if !x.mayBreak(broken.String()) {
			t.Errorf("the bot broke a rule of Discord's: %v", broken)
		}
	}
	return true
}

// each does something with all at once.
func each(trials []*trial, do func(*trial)) {
	var all sync.WaitGroup
	for _, one := range trials {
		all.Go(func() { do(one) })
	}
	all.Wait()
}

// samples returns some trials of each kind: what works for them again does for all.
func samples(trials []*trial) []*trial {
	var some []*trial
	taken := make(map[need]int)
	for _, one := range trials {
		if taken[one.need]++; taken[one.need] <= 2 {
			some = append(some, one)
		}
	}
	return some
}

// mayBreak tells whether a rule is broken on purpose. A second first response is
// no mistake: on a busy machine the answer to the first may come late.
func (x fault) mayBreak(rule string) bool {
	for _, part := range append([]string{"code 40060"}, x.breaks...) {
		if strings.Contains(rule, part) {
			return true
		}
	}
	return false
}

// begin leads to where the flow begins; a bot crashes unnoticed then.
func (one *trial) begin(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for one.prepare != nil {
		var err error
		one.from, err = one.prepare.now(ctx, one.person, nil)
		if err == nil && (!one.known || one.world.remembers(ctx, one.user.ID)) {
			break
		}
		if ctx.Err() != nil {
			t.Errorf("%s: before anything is broken: %v", one.name, err)
			break
		}
	}
	one.crash()
}

// suffer carries the flow out while something is broken.
func (one *trial) suffer(t *testing.T, p phrasebook, x fault) {
	limit := patience
	if x.expected(one.flow) == unfinished {
		limit = outage
	}
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	one.reading = p.read(ctx, one.flow, one.person, one.from)
	one.is = p.endingOf(one.flow, one.reading)
	want := x.expected(one.flow)
	refused := x.trips && (one.is == "error.unavailable" && want == x.unknown || one.is == failed("error.unavailable") && want == x.acts)
	if one.is != want && !refused && !one.world.tooSlow() {
		t.Errorf("%s ends %s, want %s: %v\n%s", one.name, one.is, want, one.err, one.view.Text())
	}
	if lie := untrue(one.flow, one.reading, one.is, one.justDone(), x.loses || one.world.tooSlow()); lie != "" {
		t.Errorf("%s is not true: %s\n%s", one.name, lie, one.view.Text())
	}
}

// justDone is how often something was done for the customer since it was asked
// before, which may be later than anybody was told.
func (one *trial) justDone() int {
	all := one.world.done.of(one.user.ID)
	now := all - one.done
	one.done = all
	return now
}

// checkLate judges what was done after the fault has ended: what was on its way
// when it was given up may arrive then, but only where nobody was told that it was
// not done.
func (one *trial) checkLate(t *testing.T) {
	if late := one.justDone(); late > 1 || late == 1 && one.is != unconfirmed {
		t.Errorf("%s, which ended %s, was done %d times afterwards", one.name, one.is, late)
	}
}

// recover carries the flow out until it ends well.
func (one *trial) recover(t *testing.T, p phrasebook) {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	pause := time.NewTicker(250 * time.Millisecond)
	defer pause.Stop()
	for {
		one.restock()
		one.crash()
		from, err := one.from, error(nil)
		if one.prepare != nil {
			from, err = one.prepare.now(ctx, one.person, nil)
		}
		is := ending("")
		if err == nil {
			now := p.read(ctx, one.flow, one.person, from)
			is = p.endingOf(one.flow, now)
			if lie := untrue(one.flow, now, is, one.justDone(), true); lie != "" {
				t.Errorf("%s, afterwards, is not true: %s\n%s", one.name, lie, now.view.Text())
			}
		}
		if is == usual {
			return
		}
		select {
		case <-pause.C:
		case <-ctx.Done():
			t.Errorf("%s does not work again: %s, %v", one.name, is, err)
			return
		}
	}
}
