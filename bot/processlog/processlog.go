// Package processlog writes the process's log, and shows its warnings and errors
// to whoever should see them elsewhere, too.
package processlog

import (
	"encoding/json"
	"io"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"hostbot/configs"
)

// Log is the process's log.
type Log struct {
	zerolog.Logger
	tap *tap
}

// New returns a log that writes to out: JSON for machines, or lines for people.
func New(s configs.Log, out io.Writer) *Log {
	if s.Format == "console" {
		out = zerolog.ConsoleWriter{Out: out, TimeFormat: time.TimeOnly}
	}
	t := &tap{out: out}
	return &Log{Logger: zerolog.New(t).Level(s.Level).With().Timestamp().Logger(), tap: t}
}

// Line is a warning or an error.
type Line struct {
	Level   zerolog.Level
	Message string
	Error   string // empty where there is none
}

// Show has show called for each warning and error that is logged, beginning with
// the first of those that were logged before; not for those that staff read of
// otherwise: what happened in an interaction, what belongs to the delivery of
// entries, and what Told marks. It is called by whoever logs, so it must return
// at once and not log.
func (l *Log) Show(show func(Line)) { l.tap.showTo(show) }

// The fields that say of a line that staff read of it otherwise. An interaction
// has its own entry, which leads to all of its lines by the reference; an account
// is asked for in an interaction; and the delivery of entries can not tell of its
// own trouble by an entry.
type fields struct {
	Message     string `json:"message"`
	Error       string `json:"error"`
	Interaction string `json:"interaction"`
	Reference   string `json:"reference"`
	User        string `json:"user"`
	Part        string `json:"part"`
	Told        bool   `json:"told"`
}

func (f fields) told() bool {
	return f.Told || f.Interaction != "" || f.Reference != "" || f.User != "" || f.Part == "logchannel"
}

// Told marks a line of which staff read otherwise.
func Told(e *zerolog.Event) *zerolog.Event { return e.Bool("told", true) }

// maxEarly is how many lines are kept until somebody is to be shown them.
const maxEarly = 20

// tap writes lines on, and looks at those that warn.
type tap struct {
	out io.Writer

	mu    sync.Mutex
	show  func(Line)
	early []Line
}

// Write is called for what has no level.
func (t *tap) Write(p []byte) (int, error) { return t.out.Write(p) }

// WriteLevel is called for a line.
func (t *tap) WriteLevel(level zerolog.Level, p []byte) (int, error) {
	if level >= zerolog.WarnLevel && level <= zerolog.PanicLevel {
		t.look(level, p)
	}
	return t.out.Write(p)
}

func (t *tap) look(level zerolog.Level, p []byte) {
	var f fields
	if json.Unmarshal(p, &f) != nil || f.told() {
		return
	}
	line := Line{Level: level, Message: f.Message, Error: f.Error}
	t.mu.Lock()
	show := t.show
	if show == nil && len(t.early) < maxEarly {
		t.early = append(t.early, line)
	}
	t.mu.Unlock()
	if show != nil {
		show(line)
	}
}

func (t *tap) showTo(show func(Line)) {
	t.mu.Lock()
	early := t.early
	t.show, t.early = show, nil
	t.mu.Unlock()
	for _, line := range early {
		show(line)
	}
}
