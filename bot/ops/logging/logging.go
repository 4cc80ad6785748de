// Package logging makes the process log.
package logging

import (
	"io"
	"os"
	"time"

	"github.com/mattn/go-isatty"
	"github.com/rs/zerolog"

	"hostbot/configs"
)

// New returns a log that writes to out: JSON for machines, or lines for people. These have colours
// if out is a terminal, or a Writer to one, and NO_COLOR is empty (https://no-color.org).
func New(s configs.Log, out io.Writer) zerolog.Logger {
	if s.Format == "console" {
		out = zerolog.ConsoleWriter{Out: out, TimeFormat: "15:04:05.000", NoColor: !isTerminal(out)} // which reads NO_COLOR
	}
	return zerolog.New(out).Level(s.Level).Hook(clock{})
}

func isTerminal(out io.Writer) bool {
	if w, ok := out.(*Writer); ok {
		out = w.out
	}
	file, ok := out.(*os.File)
	return ok && isatty.IsTerminal(file.Fd())
}

// clock adds the time to each line, to the millisecond and in UTC. zerolog's own clock has one
// format for the whole process.
type clock struct{}

// Run adds the time.
func (clock) Run(e *zerolog.Event, _ zerolog.Level, _ string) {
	const format = "2006-01-02T15:04:05.000Z07:00"
	var text [len(format)]byte
	e.Bytes(zerolog.TimestampFieldName, time.Now().UTC().AppendFormat(text[:0], format))
}
