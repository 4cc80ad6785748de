package configs

import "strings"

// Error is every mistake that was found in the settings. It repeats no value: a
// secret may stand where another setting was meant.
type Error struct {
	lines []string
}

// Error returns a line for each mistake.
func (e *Error) Error() string { return strings.Join(e.lines, "\n") }

// Lines returns the mistakes, each of which names the variable and, where the
// value came from the file, its place there.
func (e *Error) Lines() []string { return e.lines }

// mistakes collects what is wrong.
type mistakes struct {
	lines []string
	wrong map[string]bool // variables that are not to be looked at any further
}

func newMistakes() *mistakes { return &mistakes{wrong: make(map[string]bool)} }

// add notes what is wrong with a setting's value.
func (m *mistakes) add(variable, source, what string) {
	m.lines = append(m.lines, source+" "+what)
	m.wrong[variable] = true
}

// addLine notes what is wrong with no setting in particular.
func (m *mistakes) addLine(line string) { m.lines = append(m.lines, line) }

func (m *mistakes) err() error {
	if len(m.lines) == 0 {
		return nil
	}
	return &Error{lines: m.lines}
}
