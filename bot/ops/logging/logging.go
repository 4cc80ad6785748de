// Package logging makes the process log.
package logging

import (
	"io"
	"time"

	"github.com/rs/zerolog"

	"hostbot/configs"
)

// New returns a log that writes to out: JSON for machines, or lines for people.
func New(s configs.Log, out io.Writer) zerolog.Logger {
	if s.Format == "console" {
		out = zerolog.ConsoleWriter{Out: out, TimeFormat: time.TimeOnly}
	}
	return zerolog.New(out).Level(s.Level).With().Timestamp().Logger()
}
