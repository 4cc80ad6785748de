package commands_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"hostbot/bot/interaction"
	"hostbot/hostapi/accounts"
)

// moving is a world whose bot changes its status as time goes by.
type moving struct {
	world
	started time.Time
	after   map[time.Duration]string // since the start; the latest counts, and "" is no bot
	err     error
	looks   int
}

func (m *moving) Account(ctx context.Context, userID string, by time.Time) (accounts.Snapshot, error) {
	s := server("a", "Shop", "STARTING")
	latest := time.Duration(-1)
	for at, status := range m.after {
		if at <= time.Since(m.started) && at > latest {
			s.Status, latest = status, at
		}
	}
	if m.looks++; m.looks > 1 && m.err != nil {
		return accounts.Snapshot{}, m.err
	}
	if s.Status == "" {
		return accounts.Snapshot{List: account()}, nil
	}
	return accounts.Snapshot{List: account(s)}, nil
}

func TestBotIsFollowedUntilItsStatusIsSettled(t *testing.T) {
	tests := map[string]struct {
		after   map[time.Duration]string
		err     error
		want    []string
		outcome interaction.Outcome
		took    time.Duration // at most
	}{
		"it comes up": {
			after: map[time.Duration]string{0: "STARTING", 5 * time.Second: "RUNNING"},
			want:  []string{"**Shop** was started", "🟢 Running"}, outcome: interaction.Done, took: 15 * time.Second,
		},
		"it crashes": {
			after: map[time.Duration]string{0: "STARTING", 5 * time.Second: "CRASHED"},
			want:  []string{"⚠️ **Shop** was started", "🔴 Crashed", "🔴 Shop"}, outcome: interaction.Done, took: 15 * time.Second,
		},
		"it hangs": {
			after: map[time.Duration]string{0: "STARTING"},
			want:  []string{"has not come to rest", "🟡 Starting", "REF1234"}, outcome: interaction.Unconfirmed, took: time.Minute,
		},
		"it is deleted meanwhile": {
			after: map[time.Duration]string{0: "STARTING", 5 * time.Second: ""},
			want:  []string{"not confirmed whether **Shop** was started", "REF1234"}, outcome: interaction.Unconfirmed, took: 15 * time.Second,
		},
		"the service falls silent": {
			after: map[time.Duration]string{0: "STARTING"}, err: errors.New("down"),
			want: []string{"has not come to rest", "REF1234"}, outcome: interaction.Unconfirmed, took: time.Minute,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := &moving{started: time.Now(), after: test.after, err: test.err}
				m.action = func() (string, error) { return "STARTING", nil }
				c := newCommandsWith(t, m, m)
				last := ending(t, c, onBot("bot start", "a"))
				wantText(t, last.Message, test.want...)
				if last.Action.Outcome != test.outcome {
					t.Errorf("outcome %s, want %s", last.Action.Outcome, test.outcome)
				}
				if took := time.Since(m.started); took > test.took {
					t.Errorf("it was followed for %v", took)
				}
				if m.looks > 12 {
					t.Errorf("the service was asked %d times", m.looks)
				}
			})
		})
	}
}

func TestBotIsNotFollowedPastTheEndOfTheInteraction(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &moving{started: time.Now(), after: map[time.Duration]string{0: "STOPPING"}}
		m.action = func() (string, error) { return "STOPPING", nil }
		c := newCommandsWith(t, m, m)
		first := answer(t, c, onBot("bot stop", "a"))
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		last := must(t)(first.Then(ctx))
		if last.Action.Outcome != interaction.Unconfirmed || time.Since(m.started) != 3*time.Second {
			t.Errorf("outcome %s after %v", last.Action.Outcome, time.Since(m.started))
		}
	})
}

func TestStatusThatTheServiceDoesNotNameIsLookedUp(t *testing.T) {
	tests := map[string]struct {
		command string
		after   map[time.Duration]string
		err     error // of the look
		want    []string
		not     string
	}{
		"started at once": {
			command: "bot start", after: map[time.Duration]string{time.Second: "RUNNING"},
			want: []string{"**Shop** was started", "🟢 Running"}, not: "Stopped",
		},
		"starting for a while": {
			command: "bot start", after: map[time.Duration]string{time.Second: "STARTING", 8 * time.Second: "RUNNING"},
			want: []string{"**Shop** was started", "🟢 Running"}, not: "Stopped",
		},
		"installing for a while": {
			command: "bot reinstall", after: map[time.Duration]string{time.Second: "INSTALLING", 20 * time.Second: "STOPPED"},
			want: []string{"were reinstalled", "⚫ Stopped"}, not: "Installing",
		},
		"nobody knows": {
			command: "bot start", err: errors.New("down"), want: []string{"**Shop** was started", "⚪ Shop"}, not: "Stopped",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := &moving{started: time.Now(), after: map[time.Duration]string{0: "STOPPED"}, err: test.err}
				m.action = func() (string, error) { return "", nil } // as some paths of the service are not known to
				c := newCommandsWith(t, m, m)
				first := answer(t, c, onBot(test.command, "a"))
				m.after = test.after
				<-time.After(time.Second)
				last := must(t)(first.Then(t.Context()))
				wantText(t, last.Message, test.want...)
				if strings.Contains(text(last.Message), test.not) {
					t.Errorf("the card shows what was before:\n%s", text(last.Message))
				}
				if last.Action.Outcome != interaction.Done {
					t.Errorf("outcome %s", last.Action.Outcome)
				}
			})
		})
	}
}
