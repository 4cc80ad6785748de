//go:build integration && !race

package processes_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"hostbot/bot/testing/discordtest"
	"hostbot/hostapi/hostapitest"
)

// The generator of a flood shares the machine with the program. If the generator is later
// than maxLate, it is the machine that is too slow, and the flood is judged at half the
// rate; below minRate nothing can be said of how soon and with what people are answered.
const (
	maxLate = 150 * time.Millisecond
	minRate = 100 // a second
)

// TestAFloodIsAnswered has customers ask at a rate, each of them once and whether
// or not earlier ones are answered, while the service takes 2 s for each question.
// It is not parallel, as it needs the machine, and not built with the race
// detector, which would slow Discord down too much.
func TestAFloodIsAnswered(t *testing.T) {
	for rate, lasts := range map[int]time.Duration{500: 6 * time.Second, 2000: 3 * time.Second} {
		t.Run(fmt.Sprintf("%d per s", rate), func(t *testing.T) {
			for ; !judgeFlood(t, rate, lasts); rate /= 2 {
			}
		})
	}
}

// judgeFlood floods a replica, and reports whether it has judged that: the machine may be too slow
// for the rate.
func judgeFlood(t *testing.T, rate int, lasts time.Duration) bool {
	w := newScene(t, instantly, discordtest.Config{Lean: true})
	w.service.Fail(hostapitest.OpList, hostapitest.Fault{Delay: 2 * time.Second}, 0)
	bot := w.start(t, "LOG_LEVEL=warn")
	defer bot.kill()
	replies, late := w.flood(t, rate, lasts)
	<-time.After(3 * time.Second) // by then each of them is acknowledged or lost
	early := make([]bool, len(replies))
	for i, r := range replies {
		early[i] = isSettled(r.View())
	}
	views := settled(replies)

	failures := make(map[string]int)
	for _, failure := range w.discord.Failures() {
		if strings.Contains(failure.Reason, "no first response within") {
			failures["had no first response within 3 s"]++
		}
	}
	read := make(map[string]int)
	for i, v := range views {
		said := ends(v)
		read[said]++
		switch {
		case said == "nothing", said == "away":
			failures["read "+said]++
		case said == "refused" && !early[i]:
			failures["were kept waiting and then refused"]++
		case said != "their bots" && i < 20:
			failures["were there first and not served"]++
		}
	}
	mb := bot.memoryKB(t, "VmHWM:") >> 10 // the most that it has held
	t.Logf("%d customers at %d a second, the latest of them %v late, read: %v; most memory: %d MB", len(views), rate, late, read, mb)
	switch {
	case late <= maxLate:
	case rate/2 >= minRate:
		return false
	default:
		t.Log("this machine is too slow to judge the answers")
		clear(failures)
	}
	if mb > 150 {
		t.Errorf("it took %d MB", mb)
	}
	for what, n := range failures {
		t.Errorf("%d of %d %s", n, len(views), what)
	}
	w.service.ClearFaults()
	w.customers("later", 1)[0].Types(t, "/bot list").WaitFor(t, "🟢 Shop")
	return true
}

// flood has users type /bot list so many times a second, for as long as it lasts. It
// returns how late the latest of them was typed.
func (w *scene) flood(t *testing.T, rate int, lasts time.Duration) (replies []*discordtest.Reply, late time.Duration) {
	who := w.customers("flood", int(float64(rate)*lasts.Seconds()))
	began := time.Now()
	for i, c := range who {
		due := began.Add(time.Duration(i) * time.Second / time.Duration(rate))
		time.Sleep(time.Until(due)) // the rate is what is tested
		late = max(late, time.Since(due))
		reply, err := c.Start("/bot list", nil)
		if err != nil {
			t.Fatal(err)
		}
		replies = append(replies, reply)
	}
	return replies, late
}

// ends says how an answer ended, in a word.
func ends(v discordtest.View) string {
	switch {
	case v.Contains("🟢 Shop"):
		return "their bots"
	case v.Contains("We're very busy"), v.Contains("too many requests"):
		return "refused"
	case v.Contains("can't be reached"), v.Contains("didn't answer"):
		return "away"
	case !isSettled(v), v.State == discordtest.Failed:
		return "nothing"
	}
	return fmt.Sprintf("%.60q", v.Text())
}
