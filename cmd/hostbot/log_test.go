package main_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"hostbot/bot/ops/logging"
	"hostbot/bot/testing/terminal"
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

// TestTimesHaveMilliseconds in either format: a machine reads UTC, and people their own time.
func TestTimesHaveMilliseconds(t *testing.T) {
	line := func(format string) string {
		var out bytes.Buffer
		log := logging.New(configs.Log{Format: format}, &out)
		log.Info().Msg("a line")
		return out.String()
	}
	before := time.Now().Truncate(time.Millisecond)
	var said struct{ Time string }
	if err := json.Unmarshal([]byte(line("json")), &said); err != nil {
		t.Fatal(err)
	}
	at, err := time.Parse("2006-01-02T15:04:05.000Z", said.Time)
	if err != nil || at.Before(before) || at.After(time.Now()) {
		t.Errorf("%s, which is read as %v: %v", said.Time, at, err)
	}
	if text := line("console"); !regexp.MustCompile(`^\d\d:\d\d:\d\d\.\d{3} INF a line\n$`).MatchString(text) {
		t.Errorf("%q", text)
	}
}

// TestColoursAreForTerminals, and for those who want them.
func TestColoursAreForTerminals(t *testing.T) {
	t.Setenv("NO_COLOR", "")
	coloured := func(out *os.File, read *os.File) bool {
		w := logging.NewWriter(out)
		log := logging.New(configs.Log{Format: "console"}, w)
		log.Warn().Int("n", 1).Msg("a line")
		w.Close()
		text := make([]byte, 1000)
		n, err := read.Read(text)
		if err != nil || !bytes.Contains(text[:n], []byte("a line")) {
			t.Fatalf("%q, %v", text[:n], err)
		}
		return bytes.ContainsRune(text[:n], '\x1b')
	}
	reader, pipe, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _, _ = reader.Close(), pipe.Close() }()
	if coloured(pipe, reader) {
		t.Error("colours go through a pipe")
	}
	screen, device := terminal.Open(t)
	if !coloured(device, screen) {
		t.Error("a terminal shows no colours")
	}
	t.Setenv("NO_COLOR", "1")
	if coloured(device, screen) {
		t.Error("colours, although NO_COLOR is set")
	}
}

// TestLinesThatAreNotWantedCostNothing.
func TestLinesThatAreNotWantedCostNothing(t *testing.T) {
	level := logging.NewLevel(zerolog.InfoLevel)
	log := level.Gate(logging.New(configs.Log{Level: zerolog.InfoLevel, Format: "json"}, &bytes.Buffer{}))
	if n := testing.AllocsPerRun(100, func() { log.Debug().Str("a", "b").Dur("took_ms", time.Second).Msg("a detail") }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}
