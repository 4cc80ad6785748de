package logchannel_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"hostbot/bot/staff/logchannel"
	"hostbot/bot/testing/discordtest"
	"hostbot/hostapi/redistest"
)

// Environment of a replica, which is this test program started anew.
const (
	replicaRedis   = "LOGCHANNEL_TEST_REDIS"
	replicaDiscord = "LOGCHANNEL_TEST_DISCORD"
	replicaToken   = "LOGCHANNEL_TEST_TOKEN"
	replicaChannel = "LOGCHANNEL_TEST_CHANNEL"
)

// replicaMain posts an action for each line that it reads, repeats the line when
// that is done, and stops at the end of the input.
func replicaMain() int {
	p, err := openProcess(os.Getenv(replicaToken), os.Getenv(replicaDiscord), os.Getenv(replicaRedis), soonOver(),
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
