package gateway

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bwmarrin/discordgo"
	"github.com/google/go-cmp/cmp"
	"github.com/redis/go-redis/v9"

	"hostbot/bot/discord/rest"
	"hostbot/hostapi/redistest"
)

// unauthorized is Discord's final word on where the gateway is.
func unauthorized() (*discordgo.GatewayBotResponse, error) {
	return nil, &rest.Error{Status: http.StatusUnauthorized}
}

// wantUnauthorized fails the test unless that is what Run ended with.
func wantUnauthorized(t *testing.T, err error) {
	t.Helper()
	final, ok := errors.AsType[*FinalError](err)
	if !ok || final.Code != http.StatusUnauthorized || !strings.Contains(err.Error(), "DISCORD_TOKEN") {
		t.Errorf("Run() = %v", err)
	}
}

func TestDiscordAwayIsTriedAtGrowingIntervals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeGateway{discover: func(int) (*discordgo.GatewayBotResponse, error) {
			return nil, &rest.Error{Status: http.StatusServiceUnavailable}
		}}
		if _, err := f.run(t, 5*time.Minute); err != nil {
			t.Errorf("Run() = %v", err)
		}
		if len(f.asked) < 20 || len(f.asked) > 50 {
			t.Errorf("it tried %d times in 5 min", len(f.asked))
		}
		longest, round := time.Duration(0), 0
		for i, at := range f.asked[1:] {
			gap := at.Sub(f.asked[i])
			longest = max(longest, gap)
			if gap%(50*time.Millisecond) == 0 {
				round++
			}
		}
		if longest < maxUnreached/2 || longest > maxUnreached || round == len(f.asked)-1 {
			t.Errorf("the longest pause was %v; %d of the pauses do not vary", longest, round)
		}
	})
}

func TestDiscordIsAskedAgainWhenItAllows(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const wait = 90500 * time.Millisecond
		f := &fakeGateway{discover: func(n int) (*discordgo.GatewayBotResponse, error) {
			if n == 1 {
				return nil, &rest.Error{Status: http.StatusTooManyRequests, RetryAfter: wait}
			}
			return unauthorized()
		}}
		_, err := f.run(t, 48*time.Hour)
		wantUnauthorized(t, err)
		if len(f.asked) != 2 || f.asked[1].Sub(f.asked[0]) != wait {
			t.Errorf("it asked at %v, want %v between", f.asked, wait)
		}
	})
}

// TestAddressesThatAreNotUsed also has the token not sent in the clear.
func TestAddressesThatAreNotUsed(t *testing.T) {
	for _, address := range []string{"", "gateway", "https://gateway", ":", "ws://127.0.0.1:1"} {
		synctest.Test(t, func(t *testing.T) {
			f := &fakeGateway{discover: func(n int) (*discordgo.GatewayBotResponse, error) {
				if n == 1 {
					return &discordgo.GatewayBotResponse{URL: address}, nil
				}
				return unauthorized()
			}}
			g, told := newTestGateway(f)
			g.cfg.AllowPlain = false
			wantUnauthorized(t, g.Run(t.Context()))
			if diff := cmp.Diff([]string{"lost: " + errMalformed.Error()}, slices.Compact(*told)); diff != "" {
				t.Errorf("%q: told (-want +got):\n%s", address, diff)
			}
		})
	}
}

// TestSessionIsResumedAtTheGeneralAddress where that for resuming does not answer,
// and where none may be begun: what Discord limits are new sessions.
func TestSessionIsResumedAtTheGeneralAddress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var ops []int
		f := &fakeGateway{
			script: func(n int, link *fakeLink) {
				ops = append(ops, link.hello().Op)
				if n == 1 {
					link.ready()
					return
				}
				link.send(`{"t":"RESUMED","s":2,"op":0,"d":{}}`)
				link.acknowledgeAll()
			},
			discover: func(n int) (*discordgo.GatewayBotResponse, error) {
				answer := &discordgo.GatewayBotResponse{URL: "ws://gateway.discord.gg"}
				if n > 1 {
					answer.SessionStartLimit = discordgo.SessionInformation{Total: 1000, ResetAfter: 600_000}
				}
				return answer, nil
			},
		}
		g, told := newTestGateway(f)
		g.cfg.Transport.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
			if strings.HasPrefix(address, "gateway-us-east1-b.discord.gg") {
				return nil, net.ErrClosed
			}
			return f.dial(ctx, network, address)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		_ = g.Run(ctx)
		f.scripts.Wait()
		if !slices.Equal(ops, []int{opIdentify, opResume}) || !slices.Contains(*told, "resumed") {
			t.Errorf("opcodes %v; told %q", ops, *told)
		}
	})
}

// TestNobodyWaitsForAnothersQuestion longer than it may: a shard that is given away must leave.
func TestNobodyWaitsForAnothersQuestion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		answer := make(chan struct{})
		f := &fakeGateway{discover: func(int) (*discordgo.GatewayBotResponse, error) {
			<-answer
			return &discordgo.GatewayBotResponse{URL: "ws://gateway.discord.gg"}, nil
		}}
		g, _ := newTestGateway(f)
		first := make(chan error, 1)
		go func() {
			_, err := g.cfg.Discovery.GatewayBot(t.Context())
			first <- err
		}()
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := g.cfg.Discovery.GatewayBot(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("the second one got %v", err)
		}
		close(answer)
		if err := <-first; err != nil || len(f.asked) != 1 {
			t.Errorf("the first one got %v; Discord was asked %d times", err, len(f.asked))
		}
	})
}

// TestTokenGoesOnlyToDiscord has somebody write another address for resuming into Redis.
func TestTokenGoesOnlyToDiscord(t *testing.T) {
	for address, general := range map[string]string{
		"ws://evil.test/":                        "",
		"ws://gateway.discord.gg.evil.test/":     "",
		"ws://evildiscord.gg/":                   "",
		"ws://127.0.0.2:1/":                      "ws://127.0.0.1:1",
		"ws://user@evil.test:443/?x=discord.gg/": "",
	} {
		synctest.Test(t, func(t *testing.T) {
			var first fakeMessage
			f := &fakeGateway{script: func(_ int, link *fakeLink) {
				first = link.hello()
				link.send(`{"t":"RESUMED","s":9,"op":0,"d":{}}`)
				link.acknowledgeAll()
			}}
			if general != "" {
				f.discover = func(int) (*discordgo.GatewayBotResponse, error) {
					return &discordgo.GatewayBotResponse{URL: general}, nil
				}
			}
			g, _ := newTestGateway(f)
			if _, err := g.cfg.Discovery.GatewayBot(t.Context()); err != nil {
				t.Fatal(err)
			}
			var dialed []string
			g.cfg.Transport.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
				dialed = append(dialed, address)
				return f.dial(ctx, network, address)
			}
			g.session = Session{ID: "session", ResumeURL: address, Sequence: 8, Version: 10}
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			_ = g.Run(ctx)
			f.scripts.Wait()
			want := "gateway.discord.gg:80"
			if general != "" {
				want = strings.TrimPrefix(general, "ws://")
			}
			if first.Op != opResume || !slices.Equal(dialed, []string{want}) {
				t.Errorf("%s: opcode %d was sent to %q, want a resume at %s", address, first.Op, dialed, want)
			}
		})
	}
}

func TestGatewayIsReachedThroughAProxyOverTLS(t *testing.T) {
	f := &fakeGateway{script: func(_ int, link *fakeLink) {
		link.hello()
		link.ready()
		_ = link.ws.Close(4004, "")
	}}
	f.scripts.Add(1)
	discord := httptest.NewUnstartedServer(http.HandlerFunc(f.serve))
	discord.EnableHTTP2 = true // over which no websocket is opened
	discord.StartTLS()
	defer discord.Close()
	address := discord.Listener.Addr().String()
	f.discover = func(int) (*discordgo.GatewayBotResponse, error) {
		return &discordgo.GatewayBotResponse{URL: "wss://" + address}, nil
	}
	asked := make(chan string, 1)
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked <- r.Method + " " + r.Host
		target, err := net.Dial("tcp", r.Host)
		client, _, hijackErr := w.(http.Hijacker).Hijack()
		if err != nil || hijackErr != nil {
			return
		}
		_, _ = io.WriteString(client, "HTTP/1.1 200 OK\r\n\r\n")
		go func() {
			_, _ = io.Copy(target, client)
			_ = target.Close()
		}()
		_, _ = io.Copy(client, target)
		_ = client.Close()
	}))
	defer proxy.Close()

	g, told := newTestGateway(f)
	g.cfg.Transport.DialContext = nil
	g.cfg.Transport.TLSClientConfig = discord.Client().Transport.(*http.Transport).TLSClientConfig
	g.cfg.Transport.Proxy = func(*http.Request) (*url.URL, error) { return url.Parse(proxy.URL) }
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	if err := g.Run(ctx); err == nil || !strings.Contains(err.Error(), "4004") {
		t.Errorf("Run() = %v; told %q", err, *told)
	}
	if got, want := <-asked, "CONNECT "+address; got != want {
		t.Errorf("the proxy was asked for %q, want %q", got, want)
	}
}

// TestReplicasShareTheirTurns has two processes that use one Redis, and one whose
// Redis is away.
func TestReplicasShareTheirTurns(t *testing.T) {
	server := redistest.StartMiniredis(t)
	const window = 10 * time.Minute // in which the slowest machine comes to the end
	var giveUp context.CancelFunc
	limiter := func() *IdentifyLimiter {
		client := redis.NewClient(&redis.Options{Addr: server.Addr(), MaxRetries: -1, DialerRetries: 1})
		t.Cleanup(func() { _ = client.Close() })
		client.AddHook(redistest.Hook(func(ctx context.Context, cmd redis.Cmder, next redis.ProcessHook) error {
			err := next(ctx, cmd)
			left, asked := cmd.(*redis.DurationCmd)
			if asked && left.Val() > 0 && left.Val() <= window || cmd.Name() == "pexpire" {
				giveUp()
			}
			return err
		}))
		return &IdentifyLimiter{Redis: client, Window: window}
	}
	first, second := limiter(), limiter()
	// take waits for a bucket's turn until it is known that another has it.
	take := func(l *IdentifyLimiter, bucket int) error {
		var ctx context.Context
		ctx, giveUp = context.WithTimeout(t.Context(), window/2)
		defer giveUp()
		return l.wait(ctx, bucket)
	}
	if err := take(first, 1); err != nil {
		t.Errorf("the first turn: %v", err)
	}
	if err := take(second, 0); err != nil {
		t.Errorf("another bucket: %v", err)
	}
	if take(second, 1) == nil {
		t.Error("two replicas had a bucket's turn")
	}
	client := redistest.Connect(t, server.URL())
	for bucket, lasts := range map[int]time.Duration{3: 0, 4: 2 * window} { // for ever, and for longer than any turn
		key := "hostbot:{shards}:identify:" + strconv.Itoa(bucket)
		if err := client.Set(t.Context(), key, "x", lasts).Err(); err != nil {
			t.Fatal(err)
		}
		if take(first, bucket) == nil {
			t.Error("a turn was taken that another has")
		}
		if left := client.PTTL(t.Context(), key).Val(); left <= 0 || left > window {
			t.Errorf("another has the turn for %v", left)
		}
	}
	server.Stop()
	if err := take(first, 2); err != nil {
		t.Errorf("without Redis: %v", err)
	}
}
