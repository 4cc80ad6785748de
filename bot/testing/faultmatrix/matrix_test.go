//go:debug x509usefallbackroots=1

// Package faultmatrix_test breaks each of the bot's dependencies in each way while
// it is used in every way that the table of commands has.
//
// A scene is a world in which a fault strikes. A flow is one way of using the bot,
// and a trial is one flow during a fault and after it. An ending is how a flow ended
// for the person in it, and an outcome is how all flows are to end during a fault.
package faultmatrix_test

import (
	"cmp"
	"context"
	"flag"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"hostbot/bot/testing/discordtest"
	"hostbot/bot/testing/e2e/world"
	"hostbot/bot/testing/faultproxy"
)

// network is the network of relays with names and TLS that the test process
// believes in.
var network = sync.OnceValue(func() *faultproxy.Network {
	n, err := faultproxy.NewNetwork()
	if err != nil {
		panic(err)
	}
	n.Join()
	return n
})

func TestMain(m *testing.M) {
	flag.Bool("all", world.Integration, "try every fault, and fail where one cannot be judged; otherwise a sample is tried")
	flag.Uint64("seed", 0, "which `number` chooses the sample; with the tag integration 0 is for another one each time")
	flag.Int("shards", 1, "over how many `shards` interactions reach the bot")
	flag.Bool("update", false, "write the tables of faults to FAILURES.md")
	_ = os.Setenv("NO_PROXY", ".test") // where the relays' names are
	network()                          // before anything connects
	debug.SetGCPercent(400)            // a scene's garbage takes CPU time from what is being judged
	world.GreetAtOnce()                // each person is new, and all press at once
	world.Main(m)
}

// expected is how a flow is to end.
func (o outcome) expected(f flow) ending {
	gone := o.known == o.unknown && o.unknown != usual // also what is remembered is not shown
	byDiscord := slices.Contains([]ending{unheard, "error.canceled", unfinished}, o.acts)
	switch {
	case o.unknown == unheard && (f.need == acts || f.goesOn), byDiscord && f.goesOn:
		return o.acts
	case f.follows && o.acts == unfinished: // Discord takes no further message
		return unfinished
	case f.follows && o.acts == unheard: // it is acknowledged by a call, as what acts is
		return unheard
	case f.follows && o.unknown == unheard:
		return usual
	case o.unknown == unheard:
		return unheard
	case f.posts[o.messages] != "":
		return f.posts[o.messages]
	case f.lost != "" && o.keeps != "" && !gone:
		return f.lost
	case f.need == needsNothing, f.need == keeps && o.keeps == "":
		return usual
	case f.need == keeps:
		return o.keeps
	case f.need == suggests && (!f.unknown && !gone || o.unknown == usual && o.suggest == ""):
		return usual
	case f.need == suggests:
		return nothing
	case (f.need == asks || f.need == names) && !gone:
		return usual
	case f.need == acts && (!f.unknown || o.unknown == usual):
		return o.acts
	case f.unknown:
		return o.unknown
	case f.late:
		return cmp.Or(o.late, o.known)
	default:
		return o.known
	}
}

// trial is one flow while something is broken, and afterwards.
type trial struct {
	flow
	*person
	from *discordtest.Reply // where it begins
	reading
	is   ending
	done int // how often something was done so far that was judged
	// onItsWay says that something may still be done of which nobody knows how it ended.
	onItsWay bool
}

// machine is what all tries share.
type machine struct {
	pulse *pulse
	setUp sync.Mutex // held by who makes a scene
}

// try lets the fault happen once. It calls judged with whether it can be judged how all ends, as
// soon as that is known: what comes after that mostly waits.
func (a attempt) try(t *testing.T, people int, m *machine, judged func(bool)) {
	o, x := a.outcome, a.fault
	s := a.start(t, people, m)
	p := newPhrasebook(t)
	trials := s.trials(a.flows)

	s.began = time.Now()
	each(trials, func(one *trial) { one.begin(t) })
	if t.Failed() {
		return
	}
	s.before = s.Log.String()
	mend := x.strike(t, s)
	each(trials, func(one *trial) { one.suffer(t, p, o) })
	if o.noticed != "" {
		s.Log.WaitFor(t, o.noticed)
	}
	mend()
	s.settle()
	if !s.tooSlow() {
		judged(true)
	}
	o.checkStaff(t, s, trials)
	each(trials, func(one *trial) { one.checkLate(t) })
	early := o.broken(s)
	if len(early) > 0 {
		s.excuse()
	}
	judged(!s.excused.Load())
	if s.excused.Load() { // all is tried again
		t.Logf("the machine took %v for a question to Redis: judged was only whether everything is true", s.late)
		return
	}
	each(samples(trials), func(one *trial) { one.recover(t, p) })
	s.checkRedis(t)
	for i, broken := range o.broken(s) {
		inTime := i < len(early) || s.pulse.lateSince(s.ended) == 0
		if inTime || !isLateness(broken) {
			t.Errorf("the bot broke a rule of Discord's: %v", broken)
		}
	}
}

// isLateness reports whether a mistake may be the machine's, that was busy for too long: of what is done again only
// whether it works in the end counts.
func isLateness(broken discordtest.Failure) bool {
	return slices.ContainsFunc([]string{"no first response", "code 10062", "code 10015"}, func(part string) bool { return strings.Contains(broken.String(), part) })
}

// broken returns what the bot did that Discord takes for a mistake, without what the outcome has on purpose.
func (o outcome) broken(s *scene) []discordtest.Failure {
	// A second first response is no mistake: on a busy machine the answer to the
	// first may come late.
	onPurpose := append([]string{"code 40060", alreadyGone, noThread}, o.breaks...)
	return slices.DeleteFunc(s.Discord.Failures(), func(broken discordtest.Failure) bool {
		return slices.ContainsFunc(onPurpose, func(part string) bool { return strings.Contains(broken.String(), part) })
	})
}

// alreadyGone is what the leader may meet as it edits a panel whose owner removes it at that
// moment. It takes that for a message that is gone (package panel).
const alreadyGone = "PATCH /channels/{channel}/messages/{message}: 404, code 10008"

// noThread is what staff's answer meets to a case without a thread: what became of it stands in the channel then.
const noThread = "POST /channels/{channel}/messages: 404, code 10003"

// start makes the scene, with a bot that serves. Scenes are made one after the other: that
// takes more CPU time than all that comes after it.
func (a attempt) start(t *testing.T, people int, m *machine) *scene {
	m.setUp.Lock()
	defer m.setUp.Unlock()
	s := newScene(t, a, people, m.pulse)
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the bot's log:\n%s", s.Log)
		}
	})
	s.Start(t)
	s.Log.WaitForTimes(t, "connected to discord", len(s.places)) // each shard
	return s
}

// each does something with all at once.
func each(trials []*trial, do func(*trial)) {
	var all sync.WaitGroup
	for _, one := range trials {
		all.Go(func() { do(one) })
	}
	all.Wait()
}

// enough is how many trials of each kind show that all works again.
const enough = 2

// samples returns some trials of each kind: what works for them again does for all.
func samples(trials []*trial) []*trial {
	var some []*trial
	taken := make(map[need]int)
	for _, one := range trials {
		if taken[one.need]++; taken[one.need] <= enough {
			some = append(some, one)
		}
	}
	return some
}

// begin leads to where the flow begins; a bot crashes unnoticed then.
func (one *trial) begin(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	pause := time.NewTicker(250 * time.Millisecond)
	defer pause.Stop()
	for ; one.prepare != nil; <-pause.C {
		var err error
		one.from, err = one.prepare.now(ctx, one.person, nil)
		if err == nil && (one.unknown || one.remembered(ctx)) {
			break
		}
		if ctx.Err() != nil {
			t.Errorf("%s: before anything is broken: %v", one.name(), err)
			break
		}
	}
	one.crash()
}

// suffer carries the flow out while something is broken.
func (one *trial) suffer(t *testing.T, p phrasebook, o outcome) {
	limit := patience
	if o.expected(one.flow) == unfinished {
		limit = outage
	}
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	one.reading = p.read(ctx, one.flow, one.person, one.from)
	one.is = p.endingOf(one.flow, one.reading)
	want := o.expected(one.flow)
	refused := o.trips && (one.is == away && want == o.unknown || one.is == failed(away) && want == o.acts)
	if one.is != want && !refused && !one.scene.excuse() {
		t.Errorf("%s ends %s, want %s: %v\n%s", one.name(), one.is, want, one.err, one.view.Text())
	}
	done := one.justDone()
	lie := untrue(one.flow, one.reading, one.is, done, o.loses)
	if lie != "" && one.scene.excuse() {
		lie = untrue(one.flow, one.reading, one.is, done, true)
	}
	if lie != "" {
		t.Errorf("%s is not true: %s\n%s", one.name(), lie, one.view.Text())
	}
	if one.lie != nil {
		if lie := one.lie(one.person, one.view.Text()); lie != "" {
			t.Errorf("%s is not true: %s\n%s", one.name(), lie, one.view.Text())
		}
	}
}

// justDone is how often something was done for the customer since it was asked
// before, which may be later than anybody was told.
func (one *trial) justDone() int {
	one.scene.mu.Lock()
	defer one.scene.mu.Unlock()
	all := one.scene.done[one.user.ID]
	now := all - one.done
	one.done = all
	return now
}

// checkLate judges what was done after the fault has ended: what was on its way
// when it was given up may arrive then, but only where nobody was told that it was
// not done.
func (one *trial) checkLate(t *testing.T) {
	late := one.justDone()
	if late > 1 || late == 1 && one.is != unconfirmed {
		t.Errorf("%s, which ended %s, was done %d times afterwards", one.name(), one.is, late)
	}
	one.onItsWay = late == 0 && one.is == unconfirmed
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
			done := one.justDone()
			lie := untrue(one.flow, now, is, done, true)
			if lie != "" && done > 0 && one.onItsWay { // and arrives only now
				one.onItsWay = false
				lie = untrue(one.flow, now, is, done-1, true)
			}
			if lie != "" {
				t.Errorf("%s, afterwards, is not true: %s\n%s", one.name(), lie, now.view.Text())
			}
		}
		if is == usual {
			return
		}
		select {
		case <-pause.C:
		case <-ctx.Done():
			t.Errorf("%s does not work again: %s, %v", one.name(), is, err)
			return
		}
	}
}
