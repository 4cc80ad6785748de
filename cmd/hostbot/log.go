package main

import (
	"io"
	"time"

	"github.com/rs/zerolog"

	"hostbot/configs"
)

// newLogger returns the process log: JSON for machines, or lines for people.
func newLogger(s configs.Log, out io.Writer) zerolog.Logger {
	if s.Format == "console" {
		out = zerolog.ConsoleWriter{Out: out, TimeFormat: time.TimeOnly}
	}
	return zerolog.New(out).Level(s.Level).With().Timestamp().Logger()
}
