package hostapi

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// StatusMap says what a service's own words mean. It goes before their common meaning (StateOf). Its keys are words as
// foldStatus returns them. It may be nil.
type StatusMap map[string]State

// ParseStatusMap reads entries of the form word=STATE. The error does not repeat them.
func ParseStatusMap(entries []string) (StatusMap, error) {
	states := map[string]State{
		"RUNNING": StateRunning, "STOPPED": StateStopped, "STARTING": StateStarting, "STOPPING": StateStopping,
		"CRASHED": StateCrashed, "SUSPENDED": StateSuspended, "INSTALLING": StateInstalling,
	}
	var words []string // by their entries
	parsed := make(StatusMap, len(entries))
	for i, entry := range entries {
		at := strings.LastIndex(entry, "=") // a word may have one itself
		word, named := foldStatus(entry[:max(at, 0)]), strings.ToUpper(strings.TrimSpace(entry[at+1:]))
		state, known := states[named]
		before := slices.Index(words, word)
		switch {
		case at < 0:
			return nil, fmt.Errorf("has no = in entry %d, which must be word=STATE", i+1)
		case word == "":
			return nil, fmt.Errorf("has no word before the = in entry %d, which must be word=STATE", i+1)
		case named == "":
			return nil, fmt.Errorf("has no state behind the = in entry %d, which must be word=STATE", i+1)
		case !known:
			return nil, fmt.Errorf("names a state in entry %d that is none of RUNNING, STOPPED, STARTING, STOPPING, CRASHED, SUSPENDED, INSTALLING", i+1)
		case before >= 0:
			return nil, fmt.Errorf("has the word of entry %d again in entry %d: capitals, spaces, dashes and underscores make no difference", before+1, i+1)
		}
		words, parsed[word] = append(words, word), state
	}
	return parsed, nil
}

// foldStatus returns a status in the form in which statuses are compared: in capitals, without spaces and punctuation. So
// OOMKilled, OOM_KILLED and "oom killed" are one word.
func foldStatus(status string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || unicode.IsPunct(r) {
			return -1
		}
		return r
	}, strings.ToUpper(status))
}
