//go:build integration

package processes_test

import (
	"bytes"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"hostbot/bot/testing/discordtest"
	"hostbot/hostapi/hostapitest"
)

// referee gives two replicas lines to Discord, which take the first response of the
// first replica. The second one's is refused, as an answer is there already; what
// becomes of Discord's word on either is up to a test.
type referee struct {
	// lost and late tell for which replicas a 502 is in the place of the word on the
	// first try, and for which it comes a second late.
	lost, late atomic.Pointer[map[int]bool]
	first      sync.Map // by callback: a channel, closed once the first replica's is there
	tried      sync.Map // by replica and callback
}

// judge sets what becomes of Discord's words.
func (f *referee) judge(lost, late map[int]bool) {
	f.lost.Store(&lost)
	f.late.Store(&late)
}

func (f *referee) line(t *testing.T, w *scene, replica int) (environment string) {
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
		word := httptest.NewRecorder()
		pass.ServeHTTP(word, r)
		if replica == 1 {
			close(first.(chan struct{}))
		}
		if (*f.late.Load())[replica] {
			<-time.After(time.Second) // it is what Discord does here
		}
		if (*f.lost.Load())[replica] {
			word = &httptest.ResponseRecorder{Code: http.StatusBadGateway, Body: &bytes.Buffer{}}
		}
		maps.Copy(w.Header(), word.Header())
		w.WriteHeader(word.Code)
		_, _ = w.Write(word.Body.Bytes())
	})
}

// TestNeverTwiceWithoutRedis has two replicas get each event while neither can
// ask Redis which of them may act.
func TestNeverTwiceWithoutRedis(t *testing.T) {
	t.Parallel()
	for name, breakRedis := range map[string]func(*testing.T, *scene) (mend func()){
		"killed": func(_ *testing.T, w *scene) func() {
			w.redis.Stop()
			return w.redis.Restart
		},
		"paused for 2 s": func(t *testing.T, w *scene) func() {
			w.order(t, "CLIENT PAUSE 2000 ALL") // it takes connections, and answers nobody
			return func() {}
		},
		"full": func(t *testing.T, w *scene) func() {
			w.order(t, "CONFIG SET maxmemory-policy noeviction maxmemory 1")
			return func() { w.order(t, "CONFIG SET maxmemory 0") }
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newScene(t, instantly, discordtest.Config{})
			f := &referee{}
			f.judge(nil, nil)
			w.start(t, f.line(t, w, 1))
			w.start(t, f.line(t, w, 2), "DISCORD_SHARDS=2") // which is another set of shards
			for says, set := range map[string]func(){
				"a 502 for one":         func() { f.judge(map[int]bool{2: true}, nil) },
				"a 502 for both":        func() { f.judge(map[int]bool{1: true, 2: true}, nil) },
				"a late answer for one": func() { f.judge(nil, map[int]bool{2: true}) },
			} {
				who := w.customers(strings.ReplaceAll(says, " ", "-"), 10)
				form := who[0].Types(t, "/bot create").Press(t, "Continue")
				created := w.service.Count(hostapitest.OpCreate)
				mend := breakRedis(t, w)
				set()
				replies := append(allRestart(t, who), form.Submit(t, discordtest.Fields{"name": "Radio"}))
				settled(replies)
				f.judge(nil, nil)
				mend()
				w.silence(t, time.Second)
				w.judgeOnce(t, says, who, replies, w.service.Count(hostapitest.OpCreate)-created)
			}
		})
	}
}

// judgeOnce finds what was sent twice, and customers who read what is not so. The
// last reply is about a new bot, for which the service was asked so many times.
func (w *scene) judgeOnce(t *testing.T, says string, who []customer, replies []*discordtest.Reply, created int) {
	t.Helper()
	twice, untrue, example := 0, 0, ""
	for i, reply := range replies {
		sent := created
		if i < len(who) {
			sent = w.sentOn(who[i].bot)
		}
		if sent > 1 {
			twice++
		}
		v := reply.View()
		done, perhaps := v.Contains("✅"), (v.Contains("don't know yet whether") || v.Contains("not confirmed"))
		if !isSettled(v) || v.State == discordtest.Failed || sent == 0 && done || sent > 0 && !done && !perhaps {
			untrue++
			example = fmt.Sprintf("sent %d times: %v %.80q", sent, v.State, v.Text())
		}
	}
	if twice+untrue > 0 {
		t.Errorf("%s: of %d actions %d were sent twice (a form %d times), and of %d the customer reads no true end. %s",
			says, len(replies), twice, created, untrue, example)
	}
}
