package logging_test

import (
	"bytes"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"hostbot/bot/logging"
	"hostbot/configs"
)

// shared is what a log wrote, in goroutines of its own too.
type shared struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (s *shared) Write(line []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(line)
}

// take returns what was written since it was called last.
func (s *shared) take() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer s.text.Reset()
	return s.text.String()
}

func TestLevelIsRaisedForTenMinutes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out shared
		level := logging.NewLevel(zerolog.WarnLevel)
		log := level.Gate(logging.New(configs.Log{Level: zerolog.WarnLevel, Format: "json"}, &out))
		part := log.With().Str("part", "of it").Logger()
		shows := func() bool {
			out.take()
			part.Debug().Msg("a detail")
			part.Warn().Msg("a warning")
			text := out.take()
			if !strings.Contains(text, "a warning") {
				t.Errorf("no warning: %s", text)
			}
			return strings.Contains(text, "a detail")
		}
		if shows() {
			t.Error("details, before anybody asked")
		}
		level.Raise(log)
		if text := out.take(); !strings.Contains(text, "is raised") {
			t.Errorf("the log says %s", text)
		}
		time.Sleep(9 * time.Minute)
		if !shows() {
			t.Error("no details after 9 minutes")
		}
		level.Raise(log)
		time.Sleep(9 * time.Minute)
		if !shows() {
			t.Error("no details 9 minutes after it was raised again")
		}
		out.take()
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		if text := out.take(); strings.Count(text, "is as it was") != 1 {
			t.Errorf("the log says %s", text)
		}
		if shows() {
			t.Error("details after 11 minutes")
		}
	})
}
