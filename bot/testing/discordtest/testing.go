package discordtest

import (
	"context"
	"maps"
	"testing"
	"time"

	"hostbot/hostapi/testclock"
)

// ManualClock is a clock that only tests move.
type ManualClock = testclock.Manual

// NewManualClock returns a clock that shows now.
func NewManualClock(now time.Time) *ManualClock { return testclock.NewManual(now) }

// testLimit bounds each wait of a test: much longer than what should come at once takes on
// a slow machine.
const testLimit = 2 * time.Minute

// RunT starts a server that ends with the test. Rules that the bot broke fail
// the test then, unless ExpectFailures was called.
func RunT(t testing.TB, config ...Config) *Server {
	t.Helper()
	var cfg Config
	if len(config) > 0 {
		cfg = config[0]
	}
	s, err := Start(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
		if s.recorder.expected.Load() {
			return
		}
		for _, failure := range s.Failures() {
			t.Errorf("the bot broke a rule of Discord's: %v", failure)
		}
	})
	return s
}

// ExpectFailures says that the test makes the bot break rules.
func (s *Server) ExpectFailures() { s.recorder.expected.Store(true) }

// Types is Command for tests.
func (u *User) Types(t testing.TB, command string, options ...Options) *Reply {
	t.Helper()
	return must(t, func(ctx context.Context) (*Reply, error) { return u.Command(ctx, command, merged(options)) })
}

// Uses is Menu for tests.
func (u *User) Uses(t testing.TB, name string, target *User) *Reply {
	t.Helper()
	return must(t, func(ctx context.Context) (*Reply, error) { return u.Menu(ctx, name, target) })
}

// Completes is Complete for tests.
func (u *User) Completes(t testing.TB, command, option, part string, others ...Options) []Choice {
	t.Helper()
	return must(t, func(ctx context.Context) ([]Choice, error) {
		return u.Complete(ctx, command, option, part, merged(others))
	})
}

func merged(options []Options) Options {
	all := Options{}
	for _, some := range options {
		maps.Copy(all, some)
	}
	return all
}

// Press is Click for tests. It waits until the button is there, as the bot may answer the interaction before it draws that.
func (r *Reply) Press(t testing.TB, label string) *Reply {
	t.Helper()
	r.waitUntil(t, "the button "+label, func(v View) bool {
		button, err := v.Button(label)
		return err == nil && !button.Disabled
	})
	return must(t, func(ctx context.Context) (*Reply, error) { return r.Click(ctx, label) })
}

// Choose is Pick for tests. It waits until the menu is there, as Press does.
func (r *Reply) Choose(t testing.TB, placeholder string, labels ...string) *Reply {
	t.Helper()
	r.waitUntil(t, "the menu "+placeholder, func(v View) bool {
		_, err := v.Select(placeholder)
		return err == nil
	})
	return must(t, func(ctx context.Context) (*Reply, error) { return r.Pick(ctx, placeholder, labels...) })
}

// Submit is Fill for tests.
func (r *Reply) Submit(t testing.TB, fields Fields) *Reply {
	t.Helper()
	return must(t, func(ctx context.Context) (*Reply, error) { return r.Fill(ctx, fields) })
}

// WaitFor waits until text is anywhere in the message.
func (r *Reply) WaitFor(t testing.TB, text string) View {
	t.Helper()
	return r.waitUntil(t, "the text "+text, func(v View) bool { return v.State != Failed && v.Contains(text) })
}

// WaitUntil waits until the user sees what done is content with.
func (r *Reply) WaitUntil(t testing.TB, done func(View) bool) View {
	t.Helper()
	return r.waitUntil(t, "the condition", done)
}

func (r *Reply) waitUntil(t testing.TB, what string, done func(View) bool) View {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), testLimit)
	defer cancel()
	v, err := r.Await(ctx, done)
	if err != nil {
		t.Fatalf("waiting for %s: %v; seen: %s\n%s", what, err, v.State, v.Text())
	}
	return v
}

// WaitForFollowUp waits for a further message with text anywhere in it.
func (r *Reply) WaitForFollowUp(t testing.TB, text string) *Reply {
	t.Helper()
	return must(t, func(ctx context.Context) (*Reply, error) { return r.AwaitFollowUp(ctx, text) })
}

// WaitFor waits until text is anywhere in a message of the channel that
// everybody sees.
func (ch *Channel) WaitFor(t testing.TB, text string) View {
	t.Helper()
	return must(t, func(ctx context.Context) (View, error) {
		return ch.Await(ctx, func(v View) bool { return v.Contains(text) })
	})
}

// Sees waits until the user sees a message with text anywhere in it.
func (u *User) Sees(t testing.TB, text string) View {
	t.Helper()
	return must(t, func(ctx context.Context) (View, error) {
		return u.Await(ctx, func(v View) bool { return v.Contains(text) })
	})
}

// Presses is Click for tests, by the label of a button of a message.
func (u *User) Presses(t testing.TB, v View, label string) *Reply {
	t.Helper()
	button, err := v.Button(label)
	if err != nil {
		t.Fatal(err)
	}
	return must(t, func(ctx context.Context) (*Reply, error) { return u.Click(ctx, v.ID, button.CustomID) })
}

// must fails the test where f returns an error.
func must[T any](t testing.TB, f func(context.Context) (T, error)) T {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), testLimit)
	defer cancel()
	value, err := f(ctx)
	if err != nil {
		t.Fatal(err)
	}
	return value
}
