package faultmatrix_test

import (
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"hostbot/bot/testing/e2e/world"
)

// TestFaultMatrix lets everything go wrong with everything that the bot depends
// on while it is used in every way, and then lets it be well again. Without -all it
// tries a sample, which is a small one where the tests are built without the tag integration.
//
// How things end depends on the bot's limits of time. With the race detector,
// which takes five times the CPU time, it misses some of them.
func TestFaultMatrix(t *testing.T) {
	if world.RaceDetector {
		t.Skip("runs without the race detector: go test ./bot/testing/faultmatrix")
	}
	all, began := world.Flag[bool]("all"), time.Now()
	until := began.Add(12 * time.Hour)
	if deadline, ok := t.Deadline(); ok {
		until = deadline.Add(-longestTry)
	}
	faults := attempts(dependencies())
	if !all {
		faults = sample(t, dependencies())
		until = earlier(until, began.Add(sampleTime()))
	}
	m := &machine{pulse: startPulse(t)}
	unjudged := schedule{until: until, try: func(a attempt, people int, judged func(bool)) {
		t.Run(a.name, func(t *testing.T) { a.try(t, people, m, judged) })
	}}.run(faults)
	t.Logf("not judged: %d of %d, in %v", len(unjudged), len(faults), time.Since(began).Round(time.Second))
	if all && len(unjudged) > 0 {
		t.Errorf("this machine is too slow to judge how these faults end: %v", unjudged)
	}
}

func earlier(one, other time.Time) time.Time {
	if one.Before(other) {
		return one
	}
	return other
}

// longestTry is how long a try may take, so that it ends before the test must.
const longestTry = 3 * time.Minute

// sampleTime is for how long tries of a sample begin.
func sampleTime() time.Duration {
	if world.Integration {
		return 30 * time.Second
	}
	return 2 * time.Second
}

// A small sample has so many faults, and so many ways of using the bot.
const fewFaults, fewFlows = 2, 20

// pace is how much happens at once.
type pace struct {
	faults int // that are tried and not judged yet: they mostly wait
	people int // of each fault who do something in the same moment
}

// paces are from the fastest to the slowest. What is asked here is not how fast the bot is.
func paces() []pace { return []pace{{4, 12}, {3, 8}, {2, 5}, {1, 3}} }

// attempt is a fault to be tried, and how all is to end.
type attempt struct {
	outcome
	fault
	name  string
	flows []flow // the ways in which the bot is used
}

func (a attempt) String() string { return a.name }

// attempts returns all faults.
func attempts(all []dependency) (list []attempt) {
	for _, d := range all {
		for _, o := range d.outcomes {
			for _, x := range o.faults {
				list = append(list, attempt{o, x, d.name + "/" + x.name, flows()})
			}
		}
	}
	return list
}

// sample chooses a fault of each line of FAILURES.md, or a few of those.
func sample(t *testing.T, all []dependency) []attempt {
	seed := world.Flag[uint64]("seed")
	if seed == 0 && world.Integration {
		seed = rand.Uint64()
	}
	t.Logf("this sample is that of -seed %d; -all tries every fault", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	for i, d := range all {
		all[i].outcomes = append([]outcome(nil), d.outcomes...)
		for j, o := range d.outcomes {
			all[i].outcomes[j].faults = []fault{o.faults[random.IntN(len(o.faults))]}
		}
	}
	chosen := attempts(all)
	if world.Integration {
		return chosen
	}
	chosen = slices.DeleteFunc(chosen, attempt.waits)
	random.Shuffle(len(chosen), func(i, j int) { chosen[i], chosen[j] = chosen[j], chosen[i] })
	chosen = chosen[:fewFaults]
	for i := range chosen {
		chosen[i].flows = someOf(chosen[i].flows, random)
	}
	return chosen
}

// waits reports whether a try takes several times as long as others: nobody is answered, Redis has to be
// taken for lost, what may have been done is held back for a while, or a limit has to pass.
func (a attempt) waits() bool {
	return a.unknown == unheard || a.noticed != "" || a.loses || slices.Contains([]string{"429", "hanging", "slow"}, a.fault.name)
}

// someOf chooses about so many flows as a small sample has, in their order. Those by which it is seen that all
// works again are among them: others may be done once alone.
func someOf(all []flow, random *rand.Rand) (some []flow) {
	seen := make(map[need]int)
	for _, f := range all {
		if seen[f.need]++; seen[f.need] <= enough || random.IntN(len(all)) < fewFlows {
			some = append(some, f)
		}
	}
	return some
}

// schedule says what is tried when.
type schedule struct {
	until time.Time // when the last try begins
	// try tries a fault with so many people at once. It calls judged with whether the machine
	// was fast enough, unless it fails before that, and may take its time from then on.
	try func(a attempt, people int, judged func(bool))
}

// end is how fast the machine was for a try.
type end struct {
	attempt
	began  time.Time
	judged bool
}

// mostNeeded is needed at most: what keeps a machine busy passes.
const mostNeeded = 4

// run tries faults, several at once. If the machine turns out to be too slow for so much,
// the pace is slowed, and what could not be judged is tried again. It returns what is
// not judged when the time is over. It tries a faster pace again after longer, up to mostNeeded: a machine that
// was too slow for it twice may be so a third time, and each such try is done again.
func (s schedule) run(waiting []attempt) (unjudged []attempt) {
	var (
		all     = paces()
		at      int // in all
		ended   = make(chan end)
		slowed  time.Time // when the pace was last slowed
		judged  int       // at this pace
		needed  = 2       // judged in a row, for each that is tried at once, to try a faster one
		running int
		tries   sync.WaitGroup
	)
	defer tries.Wait()
	for {
		for ; running < all[at].faults && len(waiting) > 0 && time.Now().Before(s.until); running++ {
			next, people, began := waiting[0], all[at].people, time.Now()
			waiting = waiting[1:]
			tries.Go(func() {
				var once sync.Once
				judged := func(is bool) { once.Do(func() { ended <- end{next, began, is} }) }
				s.try(next, people, judged)
				judged(true) // it failed, or -run does not choose it
			})
		}
		if running == 0 {
			return waiting
		}
		one := <-ended
		running--
		if !one.judged {
			waiting = append(waiting, one.attempt)
		}
		switch judged++; {
		case !one.judged && !one.began.Before(slowed): // the others began at a faster pace
			at, slowed, judged, needed = min(at+1, len(all)-1), time.Now(), 0, min(2*needed, mostNeeded)
		case !one.judged:
			judged = 0
		case judged >= needed*all[at].faults:
			at, judged = max(at-1, 0), 0
		}
	}
}
