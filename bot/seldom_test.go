package bot_test

import (
	"bytes"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"hostbot/bot/seldom"
)

func TestOneLineAMinuteIsAtItsLevel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		log := zerolog.New(&out).Level(zerolog.InfoLevel)
		var failed seldom.Line
		for range 150 {
			failed.Begin(&log, zerolog.InfoLevel).Msg("it failed")
			time.Sleep(time.Second)
		}
		want := `{"level":"info","message":"it failed"}` + "\n" + strings.Repeat(`{"level":"info","left_out":59,"message":"it failed"}`+"\n", 2)
		if out.String() != want {
			t.Errorf("the log says\n%swant\n%s", &out, want)
		}
		out.Reset()
		log = log.Level(zerolog.DebugLevel)
		failed.Begin(&log, zerolog.InfoLevel).Msg("it failed")
		if out.String() != `{"level":"debug","message":"it failed"}`+"\n" {
			t.Errorf("who looks for a mistake reads %s", &out)
		}
	})
}
