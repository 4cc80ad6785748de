package loadgen

import (
	_ "embed" // the events
	"strings"
)

// eventText is an INTERACTION_CREATE of /bot list as Discord sends it, without
// what differs from one to the next.
//
//go:embed event.json
var eventText string

// pressText is the same of a press of Restart on a bot's card.
//
//go:embed press.json
var pressText string

// eventTemplate is the event in pieces. In the order of the text, its
// placeholders stand between them.
type eventTemplate struct {
	pieces       []string
	placeholders []string
}

func parseEvent(text string) eventTemplate {
	var t eventTemplate
	for {
		before, rest, found := strings.Cut(strings.TrimSpace(text), "{{")
		t.pieces = append(t.pieces, before)
		if !found {
			return t
		}
		var name string
		name, text, _ = strings.Cut(rest, "}}")
		t.placeholders = append(t.placeholders, name)
	}
}

// appendTo writes an event.
func (t eventTemplate) appendTo(b []byte, values map[string]string) []byte {
	for i, piece := range t.pieces {
		b = append(b, piece...)
		if i < len(t.placeholders) {
			b = append(b, values[t.placeholders[i]]...)
		}
	}
	return b
}
