package gateway

import (
	"context"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/discord/rest"
	"hostbot/bot/store/keyspace"
	"hostbot/hostapi/redistest"
)

// refusal is Discord's answer to the question where the gateway is while it refuses that for hours, as rest heeds it
// (discord-api-docs#8570).
func refusal() (*discordgo.GatewayBotResponse, error) {
	return nil, &rest.Error{Status: http.StatusTooManyRequests, Message: "it asks to wait for 22h58m41s", RetryAfter: 5 * time.Minute}
}

// TestConnectsWhileDiscordRefusesToSayWhere the gateway is, for a day. The first connection ends in some way.
func TestConnectsWhileDiscordRefusesToSayWhere(t *testing.T) {
	const named, resuming = "gateway.discord.gg:80", "gateway-us-east1-b.discord.gg:80"
	for name, test := range map[string]struct {
		api   string
		known bool // Discord said where before
		end   string
		away  string // what does not answer
		// dialed is where the bot connects to, and ops how it begins there.
		dialed []string
		ops    []int
	}{
		"a session is resumed at its address":  {known: true, end: `{"op":7,"d":null}`, dialed: []string{named, resuming}, ops: []int{opIdentify, opResume}},
		"or at the general one":                {known: true, end: `{"op":7,"d":null}`, away: resuming, dialed: []string{named, resuming, named}, ops: []int{opIdentify, opResume}},
		"a session is begun at the former one": {known: true, end: `{"op":9,"d":false}`, dialed: []string{named, named}, ops: []int{opIdentify, opIdentify}},
		"nothing was known": {
			api: "https://discord.com/api/v10", end: `{"op":9,"d":false}`, dialed: []string{"gateway.discord.gg:443", "gateway.discord.gg:443"}, ops: []int{opIdentify, opIdentify},
		},
		"nothing was known, of another API": {api: "http://127.0.0.1:8080/api/v10"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var ops []int
				var refused []string
				f := &fakeGateway{
					script: func(n int, link *fakeLink) {
						ops = append(ops, link.hello().Op)
						if n > 1 && ops[n-1] == opResume {
							link.send(`{"t":"RESUMED","s":2,"op":0,"d":{}}`)
						} else {
							link.ready()
						}
						if n == 1 { // once more than the first answer is to be asked for
							defer time.AfterFunc(time.Minute, func() { link.send("%s", test.end) }).Stop()
						}
						link.acknowledgeAll()
					},
					discover: func(n int) (*discordgo.GatewayBotResponse, error) {
						if n == 1 && test.known {
							return &discordgo.GatewayBotResponse{URL: "ws://gateway.discord.gg", Shards: 3, SessionStartLimit: discordgo.SessionInformation{MaxConcurrency: 16}}, nil
						}
						return refusal()
					},
				}
				g, told := newTestGateway(f)
				g.cfg.Discovery.API = test.api
				g.cfg.Discovery.OnRefused = func(_ error, address string) { refused = append(refused, address) }
				var dialed []string
				dial := func(ctx context.Context, network, address string) (net.Conn, error) {
					if dialed = append(dialed, address); address == test.away {
						return nil, net.ErrClosed
					}
					return f.dial(ctx, network, address)
				}
				g.cfg.Transport.DialContext, g.cfg.Transport.DialTLSContext = dial, dial
				ctx, cancel := context.WithTimeout(t.Context(), 24*time.Hour)
				defer cancel()
				began := time.Now()
				if err := g.Run(ctx); err != nil {
					t.Errorf("Run() = %v", err)
				}
				f.scripts.Wait()
				synctest.Wait()
				if !slices.Equal(dialed, test.dialed) || !slices.Equal(ops, test.ops) {
					t.Errorf("it connected to %q, with the opcodes %v; want %q and %v; told %q", dialed, ops, test.dialed, test.ops, *told)
				}
				if test.dialed == nil { // it waits for Discord
					longest := time.Duration(0)
					for i, at := range append(f.asked[1:], began.Add(24*time.Hour)) {
						longest = max(longest, at.Sub(f.asked[i]))
					}
					if longest > 5*time.Minute || len(f.asked) > 300 || !strings.Contains((*told)[0], "asks to wait for 22h58m41s") {
						t.Errorf("asked %d times, with a pause of %v; told %q", len(f.asked), longest, (*told)[0])
					}
				} else if len(f.asked) > 3 {
					t.Errorf("Discord was asked %d times", len(f.asked))
				}
				if assumes := g.cfg.Discovery.Refused() != nil; assumes != (len(refused) == 1) {
					t.Errorf("an address is assumed: %t, told %q", assumes, refused)
				}
			})
		})
	}
}

// TestShortLimitIsWaitedFor: Discord then says how many sessions are left.
func TestShortLimitIsWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &Discovery{API: "https://discord.com/api/v10", REST: &fakeGateway{discover: func(int) (*discordgo.GatewayBotResponse, error) {
			return nil, &rest.Error{Status: http.StatusTooManyRequests, RetryAfter: 4 * time.Second}
		}}}
		if answer, err := d.GatewayBot(t.Context()); err == nil {
			t.Errorf("it assumes %+v", answer)
		}
	})
}

// TestSessionsAreCountedWhileDiscordDoesNot has one session after another be begun while Discord refuses to say how
// many are left.
func TestSessionsAreCountedWhileDiscordDoesNot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const left = 5
		refuses := true
		f := &fakeGateway{discover: func(n int) (*discordgo.GatewayBotResponse, error) {
			if n > 1 && refuses {
				return refusal()
			}
			return &discordgo.GatewayBotResponse{URL: "ws://gateway.discord.gg", Shards: 1, SessionStartLimit: discordgo.SessionInformation{
				Total: 1000, Remaining: reservedStarts + left, MaxConcurrency: 16, ResetAfter: int(time.Hour / time.Millisecond),
			}}, nil
		}}
		d := &Discovery{REST: f}
		ask := func() discordgo.SessionInformation {
			t.Helper()
			d.Forget()
			answer, err := d.GatewayBot(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			return answer.SessionStartLimit
		}
		d.spend() // which the first answer counts
		ask()
		for range left {
			if limit := ask(); enoughLeft(limit, 0) != nil || limit.MaxConcurrency != 1 {
				t.Errorf("%+v", limit)
			}
			d.spend()
		}
		if limit := ask(); enoughLeft(limit, 0) == nil {
			t.Errorf("another session may be begun: %+v", limit)
		}
		<-time.After(2 * time.Hour) // of the bubble's time: they are counted anew
		if limit := ask(); enoughLeft(limit, 0) != nil {
			t.Errorf("no session may be begun on another day: %+v", limit)
		}
		refuses = false
		if limit := ask(); limit.Remaining != reservedStarts+left || d.Refused() != nil {
			t.Errorf("once Discord says it: %+v, %v", limit, d.Refused())
		}
	})
}

// TestProcessThatStartsKnowsWhatDiscordSaidToOthers, unless something else is in Redis: the token goes to Discord.
func TestProcessThatStartsKnowsWhatDiscordSaidToOthers(t *testing.T) {
	client := redistest.Connect(t, redistest.StartMiniredis(t).URL())
	const discords, proxy = "https://discord.com/api/v10", "http://127.0.0.1:8080/api/v10"
	for name, test := range map[string]struct {
		api, kept string // in the place of what another was told
		url       string // "": it waits
		shards    int
	}{
		"what another was told":      {api: proxy, url: "ws://127.0.0.1:8081", shards: 3},
		"by Discord's own API":       {api: discords, kept: `{"url":"wss://gateway.discord.gg","shards":2}`, url: "wss://gateway.discord.gg", shards: 2},
		"an address of others":       {api: proxy, kept: `{"url":"ws://evil.test","shards":3}`},
		"one of others, for Discord": {api: discords, kept: `{"url":"wss://evil.test","shards":2}`, url: usualAddress, shards: 2},
		"what makes no sense":        {api: discords, kept: `{"url":4,"shards":"`, url: usualAddress},
		"more shards than there are": {api: discords, kept: `{"url":"wss://gateway.discord.gg","shards":1000000000}`, url: usualAddress},
	} {
		t.Run(name, func(t *testing.T) {
			asks := func(answer func(int) (*discordgo.GatewayBotResponse, error)) (*discordgo.GatewayBotResponse, error) {
				return (&Discovery{REST: &fakeGateway{discover: answer}, API: test.api, Redis: client, Space: keyspace.Space(name)}).GatewayBot(t.Context())
			}
			if _, err := asks(func(int) (*discordgo.GatewayBotResponse, error) {
				return &discordgo.GatewayBotResponse{URL: "ws://127.0.0.1:8081", Shards: 3}, nil
			}); err != nil {
				t.Fatal(err)
			}
			if test.kept != "" {
				if err := client.Set(t.Context(), keyspace.Space(name).Key(keptKey), test.kept, 0).Err(); err != nil {
					t.Fatal(err)
				}
			}
			got, err := asks(func(int) (*discordgo.GatewayBotResponse, error) { return refusal() })
			if (err != nil) != (test.url == "") {
				t.Fatalf("it has %+v, %v", got, err)
			}
			if err == nil && (got.URL != test.url || got.Shards != test.shards) {
				t.Errorf("it assumes %+v", got)
			}
		})
	}
}
