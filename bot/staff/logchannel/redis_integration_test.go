//go:build integration

package logchannel_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"hostbot/bot/staff/logchannel"
	"hostbot/bot/store/redisclient"
	"hostbot/bot/testing/discordtest"
	"hostbot/hostapi/redistest"

	"github.com/redis/go-redis/v9"
	"github.com/rs/zerolog"
)

// Environment of a replica, which is this test program started anew.
const (
	replicaRedis   = "LOGCHANNEL_TEST_REDIS"
	replicaDiscord = "LOGCHANNEL_TEST_DISCORD"
	replicaToken   = "LOGCHANNEL_TEST_TOKEN"
	replicaChannel = "LOGCHANNEL_TEST_CHANNEL"
)

// TestMain is that of a replica where the environment says so.
func TestMain(m *testing.M) {
	if os.Getenv(replicaRedis) != "" {
		redisclient.RedirectLibraryLog(zerolog.Nop())
		os.Exit(replicaMain())
	}
	runTests(m)
}

// replicaMain posts an action for each line that it reads, repeats the line when
// that is done, and stops at the end of the input.
func replicaMain() int {
	p, err := openProcess(os.Getenv(replicaToken), os.Getenv(replicaDiscord), os.Getenv(replicaRedis), hasty(), maxWaiting,
		map[logchannel.Category]string{logchannel.Actions: os.Getenv(replicaChannel)})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	p.Start()
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		p.Post(action(lines.Text()))
		fmt.Println(lines.Text())
	}
	ctx, cancel := context.WithTimeout(context.Background(), safety)
	defer cancel()
	p.end(ctx)
	return 0
}

// replica is a process of its own that delivers.
type replica struct {
	process *exec.Cmd
	in      *os.File
	posted  *bufio.Scanner
}

func startReplica(t *testing.T, o office, redisURL string) *replica {
	t.Helper()
	r := &replica{process: exec.Command(os.Args[0])}
	r.process.Env = append(os.Environ(), replicaRedis+"="+redisURL, replicaDiscord+"="+o.discord.URL(),
		replicaToken+"="+o.discord.Token(), replicaChannel+"="+o.actions.ID)
	r.process.Stderr = t.Output()
	out, err := r.process.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	r.posted = bufio.NewScanner(out)
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	r.process.Stdin, r.in = read, write
	if err := r.process.Start(); err != nil {
		t.Fatal(err)
	}
	_ = read.Close()
	t.Cleanup(r.kill)
	return r
}

// post has the replica post an action, and reports whether it said that this was
// done.
func (r *replica) post(title string) (done bool) {
	_, _ = fmt.Fprintln(r.in, title) // which fails where it was killed
	return r.posted.Scan() && r.posted.Text() == title
}

// kill ends the replica at once.
func (r *replica) kill() {
	_ = r.process.Process.Kill()
	_ = r.in.Close()
	_ = r.process.Wait()
}

// killWhilePosting reports whether the replica still said that it is done.
func (r *replica) killWhilePosting(title string) (done bool) {
	killed := make(chan struct{})
	go func() {
		defer close(killed)
		_ = r.process.Process.Kill()
	}()
	done = r.post(title)
	<-killed
	r.kill()
	return done
}

// stop ends it as a signal would.
func (r *replica) stop(t *testing.T) {
	t.Helper()
	_ = r.in.Close()
	if err := r.process.Wait(); err != nil {
		t.Error(err)
	}
}

// TestEveryActionExactlyOnce has two replicas tell of 500 actions while Discord
// fails in every way in turn, and kills each of them once, one at least while
// Discord has taken its message and it does not know.
func TestEveryActionExactlyOnce(t *testing.T) {
	t.Parallel()
	server := redistest.StartDurableRedis(t)
	o := newOffice(t, unlimited())
	failInTurn(t, o.discord)

	const actions = 500
	replicas := []*replica{startReplica(t, o, server.URL()), startReplica(t, o, server.URL())}
	var done, unknown []string
	for i := range actions {
		r, title := &replicas[i%len(replicas)], fmt.Sprint("bot ", i%7, " action ", i)
		if i == actions/2 {
			server.Restart()
		}
		answer := func() {}
		kill := i == actions/3 || i == actions/3*2+1 // each replica once
		if kill {                                    // while whichever delivers waits for Discord's word on what is there already
			answer = o.discord.Inject(discordtest.Fault{Method: http.MethodPost, Route: discordtest.RouteMessages, Hang: true, After: true})
		}
		if !(*r).post(title) {
			t.Fatalf("a replica ended before %s", title)
		}
		done = append(done, title)
		if kill {
			eventually(t, "a replica waits for Discord's word", o.unanswered)
			if title += ", the last of a replica"; (*r).killWhilePosting(title) {
				done = append(done, title)
			} else {
				unknown = append(unknown, title)
			}
			answer()
			*r = startReplica(t, o, server.URL())
		}
	}
	last := done[len(done)-1] // after which nothing waits
	await(t, o.actions, "the last action", func() bool { return slices.Contains(titles(o.actions), last) })
	for _, r := range replicas {
		r.stop(t)
	}
	shown := titles(o.actions)
	for _, title := range unknown { // they may be there, once
		if i := slices.Index(shown, title); i >= 0 {
			shown = slices.Delete(shown, i, i+1)
		}
	}
	if !slices.Equal(shown, done) {
		t.Errorf("the channel shows %d actions of %d that are done:\n%s", len(shown), len(done), strings.Join(shown, "\n"))
	}
	t.Logf("%d actions in %d messages", len(shown)+len(unknown), len(o.actions.Messages()))
}

// unanswered reports whether the latest message is there and its sender does not
// know yet.
func (o office) unanswered() bool {
	shown := titles(o.actions)
	if len(shown) == 0 {
		return false
	}
	latest := []byte(shown[len(shown)-1])
	return slices.ContainsFunc(o.discord.Calls(), func(c discordtest.Call) bool {
		return c.Method == http.MethodPost && c.Duration == 0 && bytes.Contains(c.Request, latest)
	})
}

// failInTurn has the request after each message that Discord takes fail, in
// every way in turn.
func failInTurn(t *testing.T, discord *discordtest.Server) {
	faults := []discordtest.Fault{
		{Status: http.StatusServiceUnavailable}, discordtest.RateLimited("", "", 20*time.Millisecond, false), {Status: http.StatusBadGateway, After: true},
		{Reset: true}, discordtest.RateLimited("", "", 10*time.Millisecond, true), {Reset: true, After: true}, {Status: http.StatusInternalServerError},
	}
	taken := 0
	t.Cleanup(discord.Observe(func(e discordtest.Event) {
		if e.Call == nil || e.Call.Route != discordtest.RouteMessages || e.Call.Status != http.StatusOK {
			return
		}
		next := faults[taken%len(faults)]
		next.Method, next.Route, next.Times = http.MethodPost, discordtest.RouteMessages, 1
		discord.Inject(next)
		taken++
	}))
}

// TestNoActionIsMissingThoughRedisForgets has two replicas tell of 300 actions while
// Discord fails in every way in turn. Redis forgets everything five times.
func TestNoActionIsMissingThoughRedisForgets(t *testing.T) {
	t.Parallel()
	const actions = 300
	server := redistest.StartRedis(t)
	o := newOffice(t, unlimited())
	failInTurn(t, o.discord)
	replicas := []*replica{startReplica(t, o, server.URL()), startReplica(t, o, server.URL())}
	for i, title := range numbered(actions) {
		if i%50 == 49 {
			losses[[]string{"flushed", "restarted empty"}[i/50%2]](t, server)
		}
		if !replicas[i%2].post(title) {
			t.Fatalf("a replica ended before %s", title)
		}
	}
	o.awaitAll(t, actions)
	for _, r := range replicas {
		r.stop(t)
	}
	t.Logf("%d actions are there %d times", actions, len(titles(o.actions)))
}

// A failover to a replica that lags behind takes Redis back to an earlier moment:
// it has entries that were delivered, and lacks others.
func TestAFailoverThatHadNotReplicated(t *testing.T) {
	const n = 60
	server := redistest.StartRedis(t)
	clock := discordtest.NewManualClock(time.Now())
	o := newOffice(t, discordtest.Config{NoRateLimits: true, Clock: clock})
	client := redistest.Connect(t, server.URL())
	processes := []*process{o.newProcess(t, server.URL(), hasty()), o.newProcess(t, server.URL(), hasty())}
	unavailable := discordtest.Fault{Route: discordtest.RouteMessages, Status: http.StatusServiceUnavailable}
	away := o.discord.Inject(unavailable)
	post := func(from, to int) {
		for i, title := range numbered(to)[from:] {
			processes[i%2].Post(action(title))
		}
	}
	post(0, n/3)
	processes[0].Start()
	eventually(t, "they wait", func() bool { s := processes[0].Status()[0]; return s.Waiting == n/3 && s.Trouble != "" })
	failOver := replicate(t, client)
	away()
	await(t, o.actions, "the first actions", func() bool { return len(titles(o.actions)) >= n/3 })
	eventually(t, "Redis knows", func() bool { return waiting(t, client, o.actions) == 0 })
	away = o.discord.Inject(unavailable)
	post(n/3, n)
	clock.Advance(time.Hour)
	failOver()
	processes[1].Start()
	eventually(t, "those that wait are written anew", func() bool { return waiting(t, client, o.actions) >= n-n/3 })
	away()
	o.awaitAll(t, n)
}

// replicate notes what a Redis holds, and returns how to take it back to that.
func replicate(t *testing.T, client redis.UniversalClient) (failOver func()) {
	t.Helper()
	ctx := t.Context()
	content := make(map[string]string)
	for _, key := range client.Keys(ctx, "hostbot:{logs}:*").Val() {
		content[key] = client.Dump(ctx, key).Val()
	}
	return func() {
		t.Helper()
		_, err := client.TxPipelined(ctx, func(p redis.Pipeliner) error {
			for _, key := range client.Keys(ctx, "hostbot:{logs}:*").Val() {
				p.Del(ctx, key)
			}
			for key, value := range content {
				p.RestoreReplace(ctx, key, 0, value)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// Entries that Redis had when it went away wait for it, though it is away for
// long: another process may have delivered them.
func TestRecordedEntriesWaitForRedis(t *testing.T) {
	server := redistest.StartDurableRedis(t)
	o := newOffice(t, unlimited())
	timing := hasty()
	timing.Grace = time.Millisecond
	p := o.newProcess(t, server.URL(), timing)
	for _, title := range numbered(10) {
		p.Post(action(title))
	}
	server.Stop()
	for _, title := range numbered(20)[10:] {
		p.Post(action(title))
	}
	p.Start()
	await(t, o.actions, "the later ones", func() bool { return len(titles(o.actions)) >= 10 })
	if got := titles(o.actions); !slices.Equal(got, numbered(20)[10:]) {
		t.Errorf("without Redis the channel shows %q", got)
	}
	server.Restart()
	o.awaitOnce(t, 20, p)
}

// TestWhatGoesAlongNeedsNoLog: in a Cluster the server of the log may be away alone.
func TestWhatGoesAlongNeedsNoLog(t *testing.T) {
	redistest.EachCluster(t, func(t *testing.T, url string) {
		o := newOffice(t, unlimited())
		p := o.newProcess(t, url, hasty())
		away := errors.New("the server of the log is away")
		p.redis.Client.AddHook(redistest.Requests(func(ctx context.Context, cmds []redis.Cmder, next redis.ProcessPipelineHook) error {
			if strings.HasPrefix(cmds[0].Name(), "eval") {
				cmds[0].SetErr(away)
				return away
			}
			return next(ctx, cmds)
		}))
		e := action("done")
		e.Along = func(ctx context.Context, pipe redis.Pipeliner) { pipe.RPush(ctx, "hostbot:along", "x") }
		p.Post(e)
		if n := p.redis.Client.LLen(t.Context(), "hostbot:along").Val(); n != 1 {
			t.Errorf("it is there %d times", n)
		}
	})
}
