package processlog_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rs/zerolog"

	"hostbot/bot/processlog"
	"hostbot/configs"
)

func TestWarningsAreShown(t *testing.T) {
	for _, format := range []string{"json", "console"} {
		t.Run(format, func(t *testing.T) {
			var out bytes.Buffer
			log := processlog.New(configs.Log{Level: zerolog.InfoLevel, Format: format}, &out)
			log.Warn().Msg("early")
			var shown []processlog.Line
			log.Show(func(l processlog.Line) { shown = append(shown, l) })
			log.Debug().Msg("not logged")
			log.Info().Msg("all is well")
			log.Error().Err(errors.New("disk full")).Msg("nothing is saved")
			log.Warn().Str("interaction", "1").Msg("one customer's")
			log.Warn().Str("reference", "ABC").Msg("one customer's")
			log.Error().Str("user", "42").Msg("one customer's")
			part := log.With().Str("part", "logchannel").Logger()
			part.Error().Msg("the delivery's own")
			processlog.Told(log.Warn()).Msg("told otherwise")
			want := []processlog.Line{
				{Level: zerolog.WarnLevel, Message: "early"},
				{Level: zerolog.ErrorLevel, Message: "nothing is saved", Error: "disk full"},
			}
			if diff := cmp.Diff(want, shown); diff != "" {
				t.Errorf("shown (-want +got):\n%s", diff)
			}
			for _, text := range []string{"early", "all is well", "disk full", "one customer's", "the delivery's own", "told otherwise"} {
				if !strings.Contains(out.String(), text) {
					t.Errorf("the log lacks %q:\n%s", text, out.String())
				}
			}
			if strings.Contains(out.String(), "not logged") {
				t.Error("the log says what is below its level")
			}
		})
	}
}

func TestLinesAreJSON(t *testing.T) {
	var out bytes.Buffer
	log := processlog.New(configs.Log{Level: zerolog.InfoLevel, Format: "json"}, &out)
	log.Error().Err(errors.New("a\nb")).Msg("two")
	var line map[string]any
	if err := json.Unmarshal(out.Bytes(), &line); err != nil || line["time"] == nil || line["error"] != "a\nb" {
		t.Errorf("%s: %v", out.String(), err)
	}
}

func TestWhatWarnsEarlyIsBounded(t *testing.T) {
	log := processlog.New(configs.Log{Level: zerolog.InfoLevel, Format: "json"}, &bytes.Buffer{})
	for i := range 1000 {
		log.Warn().Msg(fmt.Sprint(i))
	}
	shown := 0
	log.Show(func(processlog.Line) { shown++ })
	if shown == 0 || shown > 100 {
		t.Errorf("%d lines were kept", shown)
	}
}
