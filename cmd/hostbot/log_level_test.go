package main_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"hostbot/bot/ops/logging"
	"hostbot/bot/testing/patience"
	"hostbot/configs"
)

func TestLevelIsRaisedForTenMinutes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out patience.Log
		seen := 0
		take := func() string { // what was written since
			text := out.String()[seen:]
			seen += len(text)
			return text
		}
		level := logging.NewLevel(zerolog.WarnLevel)
		log := level.Gate(logging.New(configs.Log{Level: zerolog.WarnLevel, Format: "json"}, &out))
		part := log.With().Str("part", "of it").Logger()
		shows := func() bool {
			take()
			part.Debug().Msg("a detail")
			part.Warn().Msg("a warning")
			text := take()
			if !strings.Contains(text, "a warning") {
				t.Errorf("no warning: %s", text)
			}
			return strings.Contains(text, "a detail")
		}
		if shows() {
			t.Error("details, before anybody asked")
		}
		level.Raise(log)
		if text := take(); !strings.Contains(text, "is raised") {
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
		take()
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		if text := take(); strings.Count(text, "is as it was") != 1 {
			t.Errorf("the log says %s", text)
		}
		if shows() {
			t.Error("details after 11 minutes")
		}
	})
}
