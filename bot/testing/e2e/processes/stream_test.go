//go:build integration

package processes_test

import (
	"context"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"hostbot/bot/testing/discordtest"
)

// setting is a number that the environment may set: a test is short, and as long as its
// page says where that is asked for.
func setting(t *testing.T, variable string, otherwise int) int {
	t.Helper()
	text := os.Getenv(variable)
	if text == "" {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// stream is customers of many guilds who ask at a steady rate, and of whom some restart
// a bot.
type stream struct {
	scene *scene
	who   []customer
	stop  context.CancelFunc
	typed sync.WaitGroup // the goroutine that types, and those that wait for answers

	mu         sync.Mutex
	total      int
	unanswered int
	restarted  map[string]int  // by bot: restarts that customers read of, done or not confirmed
	took       []time.Duration // until the first response
}

// stream begins one, of so many a second. Each of so many restarts a bot, or nobody
// where that is 0.
func (w *scene) stream(t *testing.T, rate, restart int) *stream {
	t.Helper()
	s := &stream{scene: w, who: w.customers("stream", 10*max(rate, 10)), restarted: make(map[string]int)}
	guilds := w.discord.AddGuilds(16)
	for i := range s.who {
		s.who[i].User = s.who[i].In(guilds[i%len(guilds)])
	}
	ctx, cancel := context.WithCancel(t.Context())
	s.stop = cancel
	s.typed.Go(func() {
		began := time.Now()
		for i := 0; ; i++ {
			select {
			case <-ctx.Done():
				return
			case <-time.After(time.Until(began.Add(time.Duration(i) * time.Second / time.Duration(rate)))):
				s.typed.Go(func() { s.ask(t, s.who[i%len(s.who)], restart > 0 && i%restart == 0) })
			}
		}
	})
	return s
}

// ask has a customer ask, or act, and waits for the end of the answer.
func (s *stream) ask(t *testing.T, c customer, act bool) {
	began := time.Now()
	command, options, patience := "/bot list", discordtest.Options(nil), 20*time.Second
	if act { // whose end another process may tell
		command, options, patience = "/bot restart", discordtest.Options{"bot": c.bot}, time.Minute
	}
	reply, err := c.Start(command, options)
	if err != nil {
		t.Error(err)
		return
	}
	defer time.AfterFunc(15*time.Second, reply.Forget) // by then no replica answers once more
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	_, _ = reply.Await(ctx, func(v discordtest.View) bool { return v.State != discordtest.Waiting })
	took := time.Since(began)
	v, err := reply.Await(ctx, isSettled)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.total++
	s.took = append(s.took, took)
	if err != nil || v.State == discordtest.Failed || len(reply.FollowUps()) > 0 || !act && !v.Contains("🟢 Shop") {
		s.unanswered++
	}
	if v.Contains("✅ Restarted") || v.Contains("was restarted") || (v.Contains("don't know yet whether") || v.Contains("not confirmed")) {
		s.restarted[c.bot]++
	}
}

// end ends the stream, and fails the test where an action was sent more often than its
// customer reads. It returns how many interactions there were, and how many of them
// had no answer, more than one, or none to the end.
func (s *stream) end(t *testing.T) (total, unanswered int) {
	t.Helper()
	s.stop()
	s.typed.Wait()
	sent := make(map[string]int)
	for _, c := range s.who {
		if n := s.scene.sentOn(c.bot); n > 0 {
			sent[c.bot] = n
		}
	}
	for bot, n := range sent {
		if n > s.restarted[bot] {
			t.Errorf("%s: the service was sent %d restarts, and the customer reads of %d", bot, n, s.restarted[bot])
		}
	}
	t.Logf("%d interactions of which %d were not answered; %d restarts of bots", s.total, s.unanswered, len(sent))
	if took := s.took; len(took) > 0 {
		slices.Sort(took)
		t.Logf("half of %d within %v, 95%% within %v, 99%% within %v, the slowest within %v",
			len(took), took[len(took)/2], took[len(took)*95/100], took[len(took)*99/100], took[len(took)-1])
	}
	return s.total, s.unanswered
}

// held is how many shards a replica holds.
func (r *replica) held() int { return r.figure("hostbot_gateway_shards_held", "") }

// figure is the sum of a metric's series with a label.
func (r *replica) figure(metric, label string) (sum int) {
	_, metrics := r.get("/metrics")
	for line := range strings.Lines(metrics) {
		if strings.HasPrefix(line, metric) && strings.Contains(line, label) {
			n, _ := strconv.Atoi(strings.TrimSpace(line[strings.LastIndexByte(line, ' '):]))
			sum += n
		}
	}
	return sum
}

// connected reports whether there is one session for each shard, with a connection.
func (w *scene) connected(shards int) bool {
	seen := make(map[int]int)
	for _, session := range w.discord.Sessions() {
		if session.Connected {
			seen[session.Shard]++
		}
	}
	return len(seen) == shards && !slices.Contains(slices.Collect(maps.Values(seen)), 2)
}

// waitSpread waits until replicas hold all shards, as many each as the others or one
// more.
func (w *scene) waitSpread(t *testing.T, shards int, replicas ...*replica) {
	t.Helper()
	eventually(t, "the shards are spread", func() bool {
		all := 0
		for _, r := range replicas {
			held := r.held()
			if held < shards/len(replicas) || held > (shards+len(replicas)-1)/len(replicas) {
				return false
			}
			all += held
		}
		return all == shards && w.connected(shards)
	})
}
