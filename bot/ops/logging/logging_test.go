package logging_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"hostbot/bot/ops/logging"
	"hostbot/configs"
)

func TestLogOfEachFormat(t *testing.T) {
	for _, format := range []string{"json", "console"} {
		var out bytes.Buffer
		log := logging.New(configs.Log{Level: zerolog.InfoLevel, Format: format}, &out)
		log.Debug().Msg("not logged")
		log.Error().Err(errors.New("a\nb")).Msg("nothing is saved")
		if !strings.Contains(out.String(), "nothing is saved") || strings.Contains(out.String(), "not logged") {
			t.Errorf("%s: %s", format, out.String())
		}
		var line map[string]any
		if err := json.Unmarshal(out.Bytes(), &line); format == "json" && (err != nil || line["time"] == nil || line["error"] != "a\nb") {
			t.Errorf("%s: %v", out.String(), err)
		}
	}
}
