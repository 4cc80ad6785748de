package gateway

import (
	"context"
	"errors"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/rest"
)

// discovery answers when it is asked where the gateway is, and remembers when
// that was. n counts from 1.
type discovery struct {
	answer func(n int) (*discordgo.GatewayBotResponse, error)

	mu sync.Mutex
	at []time.Time
}

func (d *discovery) GatewayBot(context.Context) (*discordgo.GatewayBotResponse, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.at = append(d.at, time.Now())
	return d.answer(len(d.at))
}

// gaps returns the lengths of time between the questions.
func (d *discovery) gaps() []time.Duration {
	d.mu.Lock()
	defer d.mu.Unlock()
	var list []time.Duration
	for i := 1; i < len(d.at); i++ {
		list = append(list, d.at[i].Sub(d.at[i-1]))
	}
	return list
}

// run runs a gateway that asks d, for a while, and returns its error and why it
// was lost each time.
func (d *discovery) run(t *testing.T, allowPlain bool, limit time.Duration) (lost []string, err error) {
	t.Helper()
	g := New(Config{
		Token: "token", REST: d, Identifies: new(IdentifyLimiter), AllowPlain: allowPlain,
		OnLost: func(reason error) { lost = append(lost, reason.Error()) },
	})
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	return lost, g.Run(ctx)
}

// wantGrowingPauses fails where there was no pause that grows and varies between attempts.
func wantGrowingPauses(t *testing.T, gaps []time.Duration) {
	t.Helper()
	if len(gaps) < 8 || len(gaps) > 20 {
		t.Errorf("it tried %d times in 5 min", len(gaps))
	}
	longest, round := time.Duration(0), 0
	for _, gap := range gaps {
		longest = max(longest, gap)
		if gap%(50*time.Millisecond) == 0 {
			round++
		}
	}
	if longest < 30*time.Second || longest > 2*time.Minute {
		t.Errorf("the longest pause was %v", longest)
	}
	if round == len(gaps) {
		t.Errorf("the pauses do not vary: %v", gaps)
	}
}

func TestADiscordThatIsAwayIsTriedAtGrowingIntervals(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	nobody := listener.Addr().String()
	_ = listener.Close()
	for name, answer := range map[string]func(int) (*discordgo.GatewayBotResponse, error){
		"REST API": func(int) (*discordgo.GatewayBotResponse, error) {
			return nil, &rest.Error{Status: http.StatusServiceUnavailable}
		},
		"gateway": func(int) (*discordgo.GatewayBotResponse, error) {
			return &discordgo.GatewayBotResponse{URL: "ws://" + nobody}, nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := &discovery{answer: answer}
				if _, err := d.run(t, true, 5*time.Minute); err != nil {
					t.Errorf("Run() = %v", err)
				}
				wantGrowingPauses(t, d.gaps())
			})
		})
	}
}

func TestDiscordIsAskedAgainWhenItAllows(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const wait = 90500 * time.Millisecond
		d := &discovery{answer: func(n int) (*discordgo.GatewayBotResponse, error) {
			if n == 1 {
				return nil, &rest.Error{Status: http.StatusTooManyRequests, RetryAfter: wait}
			}
			return nil, &rest.Error{Status: http.StatusUnauthorized}
		}}
		_, err := d.run(t, true, 48*time.Hour)
		var final *FinalError
		if !errors.As(err, &final) || final.Code != http.StatusUnauthorized || !strings.Contains(err.Error(), "DISCORD_TOKEN") {
			t.Errorf("Run() = %v", err)
		}
		if gaps := d.gaps(); len(gaps) != 1 || gaps[0] != wait {
			t.Errorf("it asked again after %v, want %v", gaps, wait)
		}
	})
}

// TestAddressesThatAreNotUsed also has the token not sent in the clear.
func TestAddressesThatAreNotUsed(t *testing.T) {
	for _, address := range []string{"", "gateway", "https://gateway", ":", "ws://127.0.0.1:1"} {
		synctest.Test(t, func(t *testing.T) {
			d := &discovery{answer: func(n int) (*discordgo.GatewayBotResponse, error) {
				if n == 1 {
					return &discordgo.GatewayBotResponse{URL: address}, nil
				}
				return nil, &rest.Error{Status: http.StatusUnauthorized}
			}}
			if lost, _ := d.run(t, false, time.Hour); len(lost) != 1 || lost[0] != errMalformed.Error() {
				t.Errorf("%q: lost: %q", address, lost)
			}
		})
	}
}
