// Package loadgen measures a program that answers Discord's interactions: how
// long each answer takes and what it costs.
//
// The program runs in a process of its own, started by its command and told by
// its environment where Discord, the hosting service and Redis are. Discord and
// the service are of this package: they send what was built beforehand, look at
// an answer as briefly as will tell whether it is the right one, and keep
// nothing. Package discordtest, which judges a bot by Discord's rules, spends
// 100 µs on an interaction even in its lean mode: as much as the program may,
// and it would take that from the same cores.
package loadgen

import (
	"fmt"
	"time"
)

// Token is the bot's token, which begins with its ID in base64 as Discord's do,
// and Secret the one shared with the hosting service.
const (
	Token  = "MTE5OTk5OTk5OTk5OTk5OTk5OQ.load.test"
	Secret = "load-test-secret"
)

// Closed has users type /bot list for as long as more says so, with so many
// interactions under way at any time: the next begins when one is answered. It
// returns when all are.
func Closed(d *Discord, users Crowd, underWay int, more func() bool) (*Latencies, error) {
	return load(d, users.customer, underWay, more)
}

// Restarts is Closed where each user restarts one of so many bots. An interaction is over when
// its message says how the restart ended.
func Restarts(d *Discord, users Crowd, bots, underWay int, more func() bool) (*Latencies, error) {
	return load(d, func(n int) customer { return users.presser(n, bots) }, underWay, more)
}

// maxUnderWay is how many interactions a program may owe before its customers
// wait for it.
const maxUnderWay = 10_000

// Rate has users type /bot list so many times a second, whether or not earlier
// ones are answered, for as long as more says so. It returns when all are.
func Rate(d *Discord, users Crowd, perSecond int, more func() bool) (*Latencies, error) {
	started, asked := time.Now(), 0
	return load(d, users.customer, maxUnderWay, func() bool {
		if !more() {
			return false
		}
		time.Sleep(time.Until(started.Add(time.Duration(asked) * time.Second / time.Duration(perSecond))))
		asked++
		return true
	})
}

// answerLimit is how long an answer is waited for: Discord grants 3 s.
const answerLimit = 3 * time.Second

func load(d *Discord, who func(n int) customer, underWay int, next func() bool) (*Latencies, error) {
	latencies := &Latencies{}
	places := make(chan struct{}, underWay)
	answered := func(after time.Duration) {
		latencies.add(after)
		<-places
	}
	for n := 0; next(); n++ {
		if err := enter(places); err != nil {
			return nil, err
		}
		if err := d.ask(who(n), answered); err != nil {
			return nil, err
		}
	}
	for range underWay { // once all places are taken, nobody else is there
		if err := enter(places); err != nil {
			return nil, err
		}
	}
	return latencies, d.mistake()
}

func enter(places chan<- struct{}) error {
	select {
	case places <- struct{}{}:
		return nil
	default:
	}
	timer := time.NewTimer(answerLimit)
	defer timer.Stop()
	select {
	case places <- struct{}{}:
		return nil
	case <-timer.C:
		return fmt.Errorf("loadgen: an interaction was not answered within %v", answerLimit)
	}
}
