package bench_test

import (
	"fmt"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"hostbot/bot/discordtest"
	"hostbot/bot/e2e/world"
	"hostbot/hostapi/hostapitest"
	"hostbot/hostapi/redistest"
)

// BenchmarkStorm has customers whose accounts are cached type /bot list, 200 times
// a second: by themselves, while 200 others a second fail for want of the hosting
// service, and the same with log channels, which are told of every one of those.
// What the last adds to the one before is what the log channels cost.
func BenchmarkStorm(b *testing.B) {
	for _, c := range []struct {
		name        string
		storm, logs bool
	}{{"quiet", false, true}, {"storm/logs=off", true, false}, {"storm/logs=on", true, true}} {
		b.Run(c.name, func(b *testing.B) {
			s := newStorm(b, c.logs)
			over := make(chan struct{})
			var raging sync.WaitGroup
			if c.storm {
				raging.Go(func() { s.rage(b, over) })
			}
			b.ResetTimer()
			took := s.lists(b)
			b.StopTimer()
			close(over)
			raging.Wait()
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2].Microseconds()), "µs-p50")
			b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "µs-p99")
			b.ReportMetric(float64(s.failed), "failures")
			b.ReportMetric(float64(len(s.Channel.Messages())), "log-messages")
		})
	}
}

// storm is a bot with customers who are fine and customers who are not.
type storm struct {
	*world.World
	fine, unlucky []*discordtest.User
	failed        int // interactions of the unlucky ones
}

const (
	customersEach = 100
	pause         = 5 * time.Millisecond // between two interactions of either kind
)

func newStorm(b *testing.B, logs bool) *storm {
	b.Helper()
	env := []string{"CACHE_TTL=1h", "LOG_LEVEL=error"}
	if !logs {
		env = append(env, "LOG_CHANNEL_ACTIONS=off", "LOG_CHANNEL_ERRORS=off", "LOG_CHANNEL_LIFECYCLE=off")
	}
	s := &storm{World: world.New(b, world.Options{
		Discord: discordtest.Config{Lean: true}, Service: &hostapitest.Options{}, Redis: redistest.StartRedis(b).URL(), Env: env,
	})}
	for i := range customersEach {
		s.fine = append(s.fine, s.AddCustomer(fmt.Sprint("fine ", i)))
		s.unlucky = append(s.unlucky, s.Discord.User(fmt.Sprint("unlucky ", i)))
	}
	s.Launch(b)
	if err := s.Discord.WaitCommands(b.Context()); err != nil {
		b.Fatal(err)
	}
	for _, u := range s.fine {
		s.list(b, u)
	}
	s.Service.Fail(hostapitest.OpList, hostapitest.Fault{Status: http.StatusServiceUnavailable}, 0)
	return s
}

// list has a customer type /bot list, and returns how long the answer took.
func (s *storm) list(b *testing.B, u *discordtest.User) time.Duration {
	asked := time.Now()
	reply, err := u.Command(b.Context(), "/bot list", nil)
	took := time.Since(asked)
	if err != nil {
		b.Error(err)
		return took
	}
	reply.Forget()
	return took
}

// lists has the fine customers type, b.N times in all.
func (s *storm) lists(b *testing.B) []time.Duration {
	took := make([]time.Duration, b.N)
	tick := time.NewTicker(pause)
	defer tick.Stop()
	var asking sync.WaitGroup
	for i := range b.N {
		<-tick.C
		asking.Go(func() { took[i] = s.list(b, s.fine[i%customersEach]) })
	}
	asking.Wait()
	return took
}

// rage has the unlucky customers type until it is over.
func (s *storm) rage(b *testing.B, over <-chan struct{}) {
	tick := time.NewTicker(pause)
	defer tick.Stop()
	var asking sync.WaitGroup
	defer asking.Wait()
	for {
		select {
		case <-over:
			return
		case <-tick.C:
			u := s.unlucky[s.failed%customersEach]
			s.failed++
			asking.Go(func() { s.list(b, u) })
		}
	}
}
