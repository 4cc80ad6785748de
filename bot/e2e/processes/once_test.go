package processes_test

import (
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"hostbot/bot/discordtest"
	"hostbot/hostapi/hostapitest"
)

// answers is what becomes of Discord's answers to two replicas, on their lines.
// Only the first try of each replica for an interaction meets it.
type answers int32

const (
	asTheyAre answers = iota
	// secondLost has a 502 in the place of the second replica's answer. Discord had
	// refused that, as the first replica's was there already.
	secondLost
	// secondLate has the same answer come a second late.
	secondLate
	// bothLost has a 502 in the place of both answers.
	bothLost
)

// referee gives two replicas lines to Discord. It sees to it that the first
// replica is the one whose first response Discord takes.
type referee struct {
	answers atomic.Int32
	first   sync.Map // by callback: a channel, closed once the first replica has its answer
	tried   sync.Map // by replica and callback
}

func (f *referee) line(t *testing.T, w *world, replica int) (environment string) {
	return "DISCORD_API_URL=" + line(t, w.discord.URL(), func(w http.ResponseWriter, r *http.Request, pass http.Handler) {
		_, repeated := f.tried.LoadOrStore(fmt.Sprint(replica, r.URL.Path), true)
		if repeated || !strings.HasSuffix(r.URL.Path, "/callback") {
			pass.ServeHTTP(w, r)
			return
		}
		first, _ := f.first.LoadOrStore(r.URL.Path, make(chan struct{}))
		if replica == 2 {
			select {
			case <-first.(chan struct{}):
			case <-time.After(500 * time.Millisecond): // the first replica does not answer at all
			}
		}
		answer := httptest.NewRecorder()
		pass.ServeHTTP(answer, r)
		if replica == 1 {
			close(first.(chan struct{}))
		}
		answers := answers(f.answers.Load())
		switch {
		case answers == bothLost, answers == secondLost && replica == 2:
			w.WriteHeader(http.StatusBadGateway)
			return
		case answers == secondLate && replica == 2:
			<-time.After(time.Second) // it is what Discord does here
		}
		maps.Copy(w.Header(), answer.Header())
		w.WriteHeader(answer.Code)
		_, _ = w.Write(answer.Body.Bytes())
	})
}

// TestNeverTwiceWithoutRedis has two replicas get each event while neither can
// ask Redis which of them may act.
func TestNeverTwiceWithoutRedis(t *testing.T) {
	t.Parallel()
	for name, breakRedis := range map[string]func(*testing.T, *world) (mend func()){
		"killed": func(_ *testing.T, w *world) func() {
			w.redis.Stop()
			return w.redis.Restart
		},
		"paused for 2 s": func(t *testing.T, w *world) func() {
			w.order(t, "CLIENT PAUSE 2000 ALL") // it takes connections, and answers nobody
			return func() {}
		},
		"full": func(t *testing.T, w *world) func() {
			w.order(t, "CONFIG SET maxmemory-policy noeviction maxmemory 1")
			return func() { w.order(t, "CONFIG SET maxmemory 0") }
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, instantly, discordtest.Config{})
			f := &referee{}
			w.start(t, f.line(t, w, 1))
			w.start(t, f.line(t, w, 2))
			for mode, says := range map[answers]string{secondLost: "a 502 for one", secondLate: "a late answer for one", bothLost: "a 502 for both"} {
				who := w.customers(fmt.Sprintf("mode%d-", mode), 10)
				form := who[0].Types(t, "/bot create").Press(t, "Continue")
				created := w.service.Count(hostapitest.OpCreate)
				mend := breakRedis(t, w)
				f.answers.Store(int32(mode))
				replies := append(allRestart(t, who), submit(t, form))
				settled(replies, 20*time.Second)
				f.answers.Store(int32(asTheyAre))
				mend()
				w.silence(t, time.Second)
				w.judgeOnce(t, says, who, replies, w.service.Count(hostapitest.OpCreate)-created)
			}
		})
	}
}

// submit fills in a form for a bot, and leaves the answer to others to wait for.
func submit(t *testing.T, form *discordtest.Reply) *discordtest.Reply {
	t.Helper()
	reply, err := form.Fill(t.Context(), discordtest.Fields{"name": "Radio"})
	if err != nil {
		t.Fatal(err)
	}
	return reply
}

// judgeOnce finds what was sent twice, and customers who read what is not so. The
// last reply is about a new bot, for which the service was asked so many times.
func (w *world) judgeOnce(t *testing.T, says string, who []customer, replies []*discordtest.Reply, created int) {
	t.Helper()
	twice, untrue, example := 0, 0, ""
	for i, reply := range replies {
		sent, done := created, "was created"
		if i < len(who) {
			sent = w.sentOn(who[i].bot)
			done = "was restarted"
		}
		if sent > 1 {
			twice++
		}
		v := reply.View()
		told, perhaps := v.Contains(done), v.Contains("not confirmed")
		if !isSettled(v) || v.State == discordtest.Failed || sent == 0 && told || sent > 0 && !told && !perhaps {
			untrue++
			example = fmt.Sprintf("sent %d times: %v %.80q", sent, v.State, v.Text())
		}
	}
	if twice+untrue > 0 {
		t.Errorf("%s: of %d actions %d were sent twice (a form %d times), and of %d the customer reads no true end. %s",
			says, len(replies), twice, created, untrue, example)
	}
}
