package gateway_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"hostbot/bot/gateway"
)

// asked notes when Discord was asked where its gateway is, and answers as it is
// told.
type asked struct {
	answer func(n int) (status int, body string)

	mu sync.Mutex
	at []time.Time
}

func (a *asked) RoundTrip(req *http.Request) (*http.Response, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.at = append(a.at, time.Now())
	status, body := a.answer(len(a.at))
	header := http.Header{}
	if status == http.StatusTooManyRequests {
		header.Set("Retry-After", "90.5")
	}
	return &http.Response{
		StatusCode: status, Status: http.StatusText(status), Header: header, Request: req,
		Body: io.NopCloser(strings.NewReader(body)),
	}, nil
}

// gaps returns the lengths of time between the questions.
func (a *asked) gaps() []time.Duration {
	a.mu.Lock()
	defer a.mu.Unlock()
	var list []time.Duration
	for i := 1; i < len(a.at); i++ {
		list = append(list, a.at[i].Sub(a.at[i-1]))
	}
	return list
}

// run runs a gateway that asks a, for a while, and returns its error and why it
// was lost each time.
func run(t *testing.T, a *asked, limit time.Duration) (lost []string, err error) {
	t.Helper()
	g := gateway.New(gateway.Config{
		Token: "token", HTTP: &http.Client{Transport: a}, AllowPlain: true,
		OnLost: func(reason error) { lost = append(lost, reason.Error()) },
	})
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	err = g.Run(ctx)
	if g.Ready() {
		t.Error("it is ready without a connection")
	}
	return lost, err
}

// spare fails where there was no pause that grows and varies between attempts.
func spare(t *testing.T, gaps []time.Duration) {
	t.Helper()
	if len(gaps) < 8 || len(gaps) > 20 {
		t.Errorf("it tried %d times in 5 min", len(gaps))
	}
	longest, rounds := time.Duration(0), 0
	for _, gap := range gaps {
		longest = max(longest, gap)
		if gap%(50*time.Millisecond) == 0 {
			rounds++
		}
	}
	if longest < 30*time.Second || longest > 2*time.Minute {
		t.Errorf("the longest pause was %v", longest)
	}
	if rounds == len(gaps) {
		t.Errorf("the pauses do not vary: %v", gaps)
	}
}

func TestADiscordThatIsAwayForMinutesIsSpared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := &asked{answer: func(int) (int, string) { return http.StatusServiceUnavailable, "<h1>oh</h1>" }}
		lost, err := run(t, a, 5*time.Minute)
		if err != nil {
			t.Errorf("Run returned %v", err)
		}
		spare(t, a.gaps())
		if !strings.Contains(lost[0], "status 503") {
			t.Errorf("lost: %s", lost[0])
		}
	})
}

func TestAGatewayThatRefusesConnectionsForMinutesIsSpared(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	nobody := listener.Addr().String()
	_ = listener.Close()
	synctest.Test(t, func(t *testing.T) {
		a := &asked{answer: func(int) (int, string) { return http.StatusOK, `{"url":"ws://` + nobody + `"}` }}
		if _, err := run(t, a, 5*time.Minute); err != nil {
			t.Errorf("Run returned %v", err)
		}
		spare(t, a.gaps())
	})
}

func TestDiscordIsAskedAgainWhenItAllows(t *testing.T) {
	tests := map[string]struct {
		status int
		body   string
		wait   time.Duration
		lost   string
	}{
		"no session left": {
			http.StatusOK, `{"url":"ws://127.0.0.1:1","session_start_limit":{"total":1000,"remaining":0,"reset_after":600000}}`,
			10 * time.Minute, "no further session for 10m0s",
		},
		"no session left, and an absurd wait": {
			http.StatusOK, `{"url":"ws://127.0.0.1:1","session_start_limit":{"remaining":-1,"reset_after":900000000000}}`,
			24 * time.Hour, "no further session",
		},
		"too many requests": {http.StatusTooManyRequests, `{"retry_after":90.5}`, 90500 * time.Millisecond, "status 429"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a := &asked{answer: func(n int) (int, string) {
					if n == 1 {
						return test.status, test.body
					}
					return http.StatusUnauthorized, ""
				}}
				lost, err := run(t, a, 48*time.Hour)
				var final *gateway.FinalError
				if !errors.As(err, &final) || final.Code != http.StatusUnauthorized || !strings.Contains(err.Error(), "DISCORD_TOKEN") {
					t.Errorf("Run returned %v", err)
				}
				if gaps := a.gaps(); len(gaps) != 1 || gaps[0] != test.wait {
					t.Errorf("it asked again after %v, want %v", gaps, test.wait)
				}
				if len(lost) != 1 || !strings.Contains(lost[0], test.lost) {
					t.Errorf("lost: %q", lost)
				}
			})
		})
	}
}

func TestAnAddressThatMakesNoSenseIsNotUsed(t *testing.T) {
	for _, body := range []string{``, `null`, `{}`, `[]`, `{"url":""}`, `{"url":"gateway"}`, `{"url":"https://gateway"}`, `{"url":":"}`, `{"url":7}`} {
		synctest.Test(t, func(t *testing.T) {
			a := &asked{answer: func(n int) (int, string) {
				if n == 1 {
					return http.StatusOK, body
				}
				return http.StatusUnauthorized, ""
			}}
			lost, _ := run(t, a, time.Hour)
			if len(lost) != 1 || !strings.Contains(lost[0], "makes no sense") {
				t.Errorf("%s: lost: %q", body, lost)
			}
		})
	}
}

func TestTheTokenIsNotSentInTheClear(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := &asked{answer: func(int) (int, string) { return http.StatusOK, `{"url":"ws://127.0.0.1:1"}` }}
		var lost []string
		g := gateway.New(gateway.Config{
			Token: "token", HTTP: &http.Client{Transport: a},
			OnLost: func(reason error) { lost = append(lost, reason.Error()) },
		})
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		_ = g.Run(ctx)
		if len(lost) == 0 || !strings.Contains(lost[0], "makes no sense") {
			t.Errorf("lost: %q", lost)
		}
	})
}
