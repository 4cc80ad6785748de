package processes_test

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
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
	mu      sync.Mutex
	first   map[string]chan struct{} // by callback: closed once the first replica has its answer
	tried   map[string]bool          // by replica and callback
}

func (f *referee) line(t *testing.T, w *world, replica int) (environment string) {
	return "DISCORD_API_URL=" + line(t, w.discord.URL(), func(w http.ResponseWriter, r *http.Request, pass http.Handler) {
		if !strings.HasSuffix(r.URL.Path, "/callback") || f.isRepeated(replica, r.URL.Path) {
			pass.ServeHTTP(w, r)
			return
		}
		first := f.of(r.URL.Path)
		if replica == 2 {
			select {
			case <-first:
			case <-time.After(500 * time.Millisecond): // the first replica does not answer at all
			}
		}
		answer := httptest.NewRecorder()
		answer.Body = &bytes.Buffer{}
		pass.ServeHTTP(answer, r)
		if replica == 1 {
			close(first)
		}
		answers := answers(f.answers.Load())
		switch {
		case answers == bothLost, answers == secondLost && replica == 2:
			w.WriteHeader(http.StatusBadGateway)
			return
		case answers == secondLate && replica == 2:
			time.Sleep(time.Second) // it is what Discord does here, and waits for nothing
		}
		for name, values := range answer.Header() {
			w.Header()[name] = values
		}
		w.WriteHeader(answer.Code)
		_, _ = w.Write(answer.Body.Bytes())
	})
}

func (f *referee) isRepeated(replica int, path string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	key := fmt.Sprint(replica, path)
	was := f.tried[key]
	f.tried[key] = true
	return was
}

func (f *referee) of(path string) chan struct{} {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.first[path] == nil {
		f.first[path] = make(chan struct{})
	}
	return f.first[path]
}

// TestNeverTwiceWithoutRedis has two replicas get each event while neither can
// ask Redis which of them may act.
func TestNeverTwiceWithoutRedis(t *testing.T) {
	t.Parallel()
	for name, breakRedis := range map[string]func(*testing.T, *world) (mend func()){
		"killed": func(t *testing.T, w *world) func() {
			w.redis.Stop()
			return func() {
				w.redis.Restart()
				awaitRedis(t, w)
			}
		},
		"paused for 2 s": func(t *testing.T, w *world) func() {
			pid := w.redisPID(t)
			_ = syscall.Kill(pid, syscall.SIGSTOP)
			resume := time.AfterFunc(2*time.Second, func() { _ = syscall.Kill(pid, syscall.SIGCONT) })
			return func() {
				resume.Stop()
				_ = syscall.Kill(pid, syscall.SIGCONT)
			}
		},
		"full": func(t *testing.T, w *world) func() {
			w.command(t, "CONFIG", "SET", "maxmemory-policy", "noeviction", "maxmemory", "1")
			return func() { w.command(t, "CONFIG", "SET", "maxmemory", "0") }
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, setting{})
			f := &referee{first: make(map[string]chan struct{}), tried: make(map[string]bool)}
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
			sent, _ = w.carriedOut(who[i].bot)
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

// redisPID returns the process of the world's redis-server.
func (w *world) redisPID(t *testing.T) (pid int) {
	t.Helper()
	info, _ := w.command(t, "INFO", "server").(string)
	_, after, _ := strings.Cut(info, "process_id:")
	if _, err := fmt.Sscan(after, &pid); err != nil || pid <= 1 {
		t.Fatalf("redis-server has no process: %v", err)
	}
	return pid
}

// awaitRedis waits until the replicas use Redis again.
func awaitRedis(t *testing.T, w *world) {
	t.Helper()
	eventually(t, 20*time.Second, "the replicas write to Redis again", func() bool {
		client := w.redisClient()
		defer func() { _ = client.Close() }()
		return client.DBSize(t.Context()).Val() > 0
	})
}
