package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bwmarrin/discordgo"
	"github.com/coder/websocket"
	"github.com/google/go-cmp/cmp"

	"hostbot/bot/discord/rest"
)

func TestSessionIsBegunAndResumed(t *testing.T) {
	var identify, resume fakeMessage
	var addresses []string
	told := play(t, time.Minute, func(n int, link *fakeLink) {
		addresses = append(addresses, link.upgrade.Host+link.upgrade.URL.String())
		if agent := link.upgrade.UserAgent(); agent != rest.UserAgent {
			t.Errorf("User-Agent %q", agent)
		}
		if n == 1 {
			identify = link.hello()
			link.ready()
			link.send(`{"t":"INTERACTION_CREATE","s":2,"op":0,"d":{"id":"41","token":"t"}}`)
			link.send(`{"t":"SOMETHING_NEW","s":3,"op":0,"d":"text"}`)
			link.send(`{"t":null,"s":null,"op":7,"d":null}`)
			link.acknowledgeAll()
			return
		}
		resume = link.hello()
		link.send(`{"t":"INTERACTION_CREATE","s":4,"op":0,"d":{"id":"42","token":"t"}}`)
		link.send(`{"t":"RESUMED","s":5,"op":0,"d":{"_trace":[]}}`)
		link.acknowledgeAll()
	})
	want := []string{"ready 7", "interaction 41", "lost: discord asked to reconnect", "replayed", "interaction 42", "resumed"}
	if diff := cmp.Diff(want, told); diff != "" {
		t.Errorf("told (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"gateway.discord.gg/?encoding=json&v=10", "gateway-us-east1-b.discord.gg/?encoding=json&v=10"}, addresses); diff != "" {
		t.Errorf("addresses (-want +got):\n%s", diff)
	}
	var sent struct {
		Token      string
		Intents    *int
		Shard      []int
		Properties map[string]string
	}
	if err := json.Unmarshal(identify.Data, &sent); err != nil || identify.Op != opIdentify || sent.Token != "token-of-the-test" ||
		sent.Intents == nil || *sent.Intents != 0 || !slices.Equal(sent.Shard, []int{1, 3}) || sent.Properties["os"] == "" {
		t.Errorf("IDENTIFY is %d %s", identify.Op, identify.Data)
	}
	if got := string(resume.Data); resume.Op != opResume || got != `{"seq":3,"session_id":"session","token":"token-of-the-test"}` {
		t.Errorf("RESUME is %d %s", resume.Op, got)
	}
}

func TestSessionIsEndedWithTheProgram(t *testing.T) {
	var closed error
	play(t, time.Minute, func(_ int, link *fakeLink) {
		link.hello()
		link.ready()
		link.acknowledgeAll()
		closed = link.closed
	})
	if code := websocket.CloseStatus(closed); code != 1000 {
		t.Errorf("the connection was closed with %v, want 1000", closed)
	}
}

func TestHeartbeats(t *testing.T) {
	firsts := map[time.Duration]bool{}
	for range 10 {
		synctest.Test(t, func(t *testing.T) {
			var at []time.Duration
			f := &fakeGateway{script: func(_ int, link *fakeLink) {
				link.hello()
				link.ready()
				began := time.Now()
				for message := range link.received {
					at = append(at, message.at.Sub(began))
					<-time.After(30 * time.Millisecond) // of the bubble's time
					link.acknowledge()
					if len(at) == 3 { // one out of turn
						link.send(`{"op":1,"d":null}`)
					}
				}
			}}
			g, _ := newTestGateway(f)
			ctx, cancel := context.WithTimeout(t.Context(), 45*time.Second)
			defer cancel()
			time.AfterFunc(44*time.Second, func() { // while it is connected
				if latency := g.Latency(); latency != 30*time.Millisecond {
					t.Errorf("latency %v", latency)
				}
			})
			_ = g.Run(ctx)
			f.scripts.Wait()
			if len(at) < 5 || at[0] > 10*time.Second {
				t.Fatalf("heartbeats after %v", at)
			}
			first := at[0]
			firsts[first] = true
			want := []time.Duration{first, first + 10*time.Second, first + 20*time.Second, first + 20*time.Second + 30*time.Millisecond, first + 30*time.Second}
			if diff := cmp.Diff(want, at[:5]); diff != "" {
				t.Errorf("heartbeats (-want +got):\n%s", diff)
			}
		})
	}
	if len(firsts) == 1 {
		t.Error("ten connections began to beat at the same time")
	}
}

func TestSilenceIsNoticedWithinTwoIntervals(t *testing.T) {
	var ended time.Duration
	told := play(t, time.Minute, func(n int, link *fakeLink) {
		link.hello()
		link.ready()
		if n > 1 {
			return
		}
		began := time.Now()
		for range link.received { // events may come, but no acknowledgement
			link.send(`{"t":"X","s":9,"op":0,"d":{}}`)
		}
		ended = time.Since(began)
	})
	if !slices.Contains(told, "lost: "+errUnacknowledged.Error()) || ended > 20*time.Second {
		t.Errorf("noticed after %v; told %q", ended, told)
	}
}

func TestGatewayThatDoesNotSayHelloIsGivenUp(t *testing.T) {
	tests := map[string]error{`{"op":11}`: errHandshakeTimeout}
	for _, interval := range []string{"0", "-1", "9000000000000", `"x"`, "null"} {
		tests[`{"op":10,"d":{"heartbeat_interval":`+interval+`}}`] = errMalformed
	}
	for says, want := range tests {
		told := play(t, connectLimit+time.Second, func(_ int, link *fakeLink) {
			link.send("%s", says)
			link.acknowledgeAll()
		})
		if !slices.Contains(told, "lost: "+want.Error()) {
			t.Errorf("to %s: told %q", says, told)
		}
	}
}

// TestLateReadyCostsFewIdentifies has outages in which Discord acknowledges
// heartbeats and nothing else.
func TestLateReadyCostsFewIdentifies(t *testing.T) {
	for after, most := range map[time.Duration]int{2 * time.Minute: 1, 100 * time.Hour: int(time.Hour / (readyLimit * 10 * time.Second))} {
		identifies := 0
		told := play(t, time.Hour, func(_ int, link *fakeLink) {
			link.hello()
			identifies++
			defer time.AfterFunc(after, link.ready).Stop()
			link.acknowledgeAll()
		})
		if identifies > most || most == 1 && !slices.Equal(told, []string{"ready 7"}) || most > 1 && identifies < 2 {
			t.Errorf("READY after %v: %d IDENTIFYs; told %q", after, identifies, told)
		}
	}
}

// TestResumesThatFailAgainAndAgainEndInANewSession has each RESUME end with the
// connection, while IDENTIFY works.
func TestResumesThatFailAgainAndAgainEndInANewSession(t *testing.T) {
	var ops []int
	play(t, 5*time.Minute, func(n int, link *fakeLink) {
		message := link.hello()
		ops = append(ops, message.Op)
		if message.Op == opIdentify {
			link.ready()
			if n > 1 {
				link.acknowledgeAll()
			}
		}
	})
	want := append(append([]int{opIdentify}, slices.Repeat([]int{opResume}, maxFailedResumes)...), opIdentify)
	if diff := cmp.Diff(want, ops); diff != "" {
		t.Errorf("opcodes (-want +got):\n%s", diff)
	}
}

// TestOutageInWhichDiscordAsksToResumeKeepsTheSession: what happened meanwhile
// is only replayed to the session that was there.
func TestOutageInWhichDiscordAsksToResumeKeepsTheSession(t *testing.T) {
	for _, ask := range []string{`{"op":7,"d":null}`, `{"op":9,"d":true}`} {
		const outage = 3 * maxFailedResumes
		var ops []int
		play(t, 30*time.Minute, func(n int, link *fakeLink) {
			ops = append(ops, link.hello().Op)
			if n > 1 && n < outage {
				link.send("%s", ask)
				return
			}
			link.ready()
			if n == outage {
				link.acknowledgeAll()
			}
		})
		want := append([]int{opIdentify}, slices.Repeat([]int{opResume}, outage-1)...)
		if diff := cmp.Diff(want, ops); diff != "" {
			t.Errorf("asked with %s: opcodes (-want +got):\n%s", ask, diff)
		}
	}
}

// TestSessionThatIsPutOffWithoutAnEndIsReplaced has Discord ask to resume again and
// again, in answer to RESUME or right after RESUMED.
func TestSessionThatIsPutOffWithoutAnEndIsReplaced(t *testing.T) {
	for _, resumed := range []bool{false, true} {
		for _, ask := range []string{`{"op":7,"d":null}`, `{"op":9,"d":true}`} {
			var ops []int
			var at []time.Time
			told := play(t, 3*time.Hour, func(_ int, link *fakeLink) {
				op := link.hello().Op
				ops, at = append(ops, op), append(at, time.Now())
				if op == opIdentify {
					link.ready()
				} else if resumed {
					link.send(`{"t":"RESUMED","s":2,"op":0,"d":{}}`)
				}
				link.send("%s", ask)
				link.acknowledgeAll()
			})
			first := append([]int{opIdentify}, slices.Repeat([]int{opResume}, maxPutOffs-1)...)
			if want := append(first, opIdentify); len(ops) < len(want) || !slices.Equal(ops[:len(want)], want) {
				t.Errorf("asked with %s, resumed: %v: opcodes %v, want %v first; told %q", ask, resumed, ops[:min(len(ops), 30)], want, told[:min(len(told), 5)])
			}
			var begun []time.Time
			for i, op := range ops {
				if op == opIdentify {
					begun = append(begun, at[i])
				}
			}
			if n := len(begun); n < 3 || n > (1000-reservedStarts)/8 || begun[n-1].Sub(begun[n-2]) < time.Minute {
				t.Errorf("asked with %s, resumed: %v: %d IDENTIFYs in 3 h, the last ones at %v", ask, resumed, n, begun[max(0, n-2):])
			}
		}
	}
}

// TestResumeThatIsNotAnsweredIsGivenUp has heartbeats be acknowledged all the while.
func TestResumeThatIsNotAnsweredIsGivenUp(t *testing.T) {
	connections := 0
	play(t, 10*time.Minute, func(n int, link *fakeLink) {
		connections = n
		link.hello()
		if n != 2 {
			link.ready()
		}
		if n == 1 {
			link.send(`{"op":7,"d":null}`)
		}
		link.acknowledgeAll()
	})
	if connections < 3 {
		t.Errorf("%d connections: the shard goes on without events", connections)
	}
}

func TestMessageWithoutAnOpcodeEndsTheConnection(t *testing.T) {
	told := play(t, time.Minute, func(n int, link *fakeLink) {
		link.hello()
		link.ready()
		if n == 1 {
			link.send(`null`)
		}
		link.acknowledgeAll()
	})
	if !slices.Contains(told, "lost: "+errMalformed.Error()) {
		t.Errorf("told %q", told)
	}
}

func TestIdentifyLimits(t *testing.T) {
	for name, test := range map[string]struct {
		limit discordgo.SessionInformation
		wait  time.Duration // 0: none
	}{
		"enough left":   {discordgo.SessionInformation{Total: 1000, Remaining: 500, ResetAfter: 600_000, MaxConcurrency: 1}, 0},
		"none left":     {discordgo.SessionInformation{Total: 1000, ResetAfter: 36_000_000}, 5 * time.Minute},
		"the last few":  {discordgo.SessionInformation{Total: 1000, Remaining: reservedStarts, ResetAfter: 60_000}, time.Minute},
		"no limit told": {discordgo.SessionInformation{}, 0},
	} {
		err := enoughLeft(test.limit, 1)
		if (err != nil) != (test.wait > 0) || New(Config{}).delayOf(err) != test.wait {
			t.Errorf("%s: enoughLeft() = %v, want %v", name, err, test.wait)
		}
	}
}

func TestShardsOfABucketIdentifyOneAfterAnother(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var limiter IdentifyLimiter
		began := time.Now()
		at := make([]time.Duration, 4)
		var all sync.WaitGroup
		for id := range 4 {
			all.Go(func() {
				_ = limiter.wait(t.Context(), id%2)
				at[id] = time.Since(began)
			})
		}
		all.Wait()
		slices.Sort(at)
		if diff := cmp.Diff([]time.Duration{0, 0, identifyWindow, identifyWindow}, at); diff != "" {
			t.Errorf("times (-want +got):\n%s", diff)
		}
	})
}

// TestCloseCodes follows Discord's list of gateway close event codes, and those of
// RFC 6455 that a server sends. After the others the session is resumed.
func TestCloseCodes(t *testing.T) {
	final := []websocket.StatusCode{4004, 4010, 4011, 4012, 4013, 4014}
	ending := []websocket.StatusCode{4003, 4007, 4009}
	resumed := []websocket.StatusCode{0, 1000, 1001, 1005, 1011, 1012, 4000, 4001, 4002, 4005, 4006, 4008, 4999}
	for _, code := range slices.Concat(final, ending, resumed) {
		reason := closeError{Code: code}
		if got := finalError(reason) != nil; got != slices.Contains(final, code) {
			t.Errorf("%d is final: %v", code, got)
		}
		if got := endsSession(reason); got != slices.Contains(ending, code) {
			t.Errorf("%d ends the session: %v", code, got)
		}
	}
}

// TestFinalCloseCodeInAnswerToResume has the bot's token be reset while a connection is
// lost.
func TestFinalCloseCodeInAnswerToResume(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		connections := 0
		f := &fakeGateway{script: func(n int, link *fakeLink) {
			link.hello()
			connections = n
			if n > 1 {
				_ = link.ws.Close(4004, "Authentication failed.")
				return
			}
			link.ready()
			link.send(`{"op":7,"d":null}`)
			link.acknowledgeAll()
		}}
		g, _ := newTestGateway(f)
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		var final *FinalError
		err := g.Run(ctx)
		f.scripts.Wait()
		if !errors.As(err, &final) || final.Code != 4004 || connections != 2 {
			t.Errorf("Run() = %v after %d connections", err, connections)
		}
	})
}

func TestDelayAfterAnInvalidSessionIsRandom(t *testing.T) {
	g := New(Config{})
	if d, other := g.delayOf(errInvalidSession), g.delayOf(errInvalidSession); d < time.Second || d > 5*time.Second || d == other {
		t.Errorf("after %v and %v", d, other)
	}
}
