package discordtest

import (
	"slices"
	"strconv"
	"strings"
)

// Bounds of how many messages a call may ask for
// (docs:resources/message#get-channel-messages).
const (
	defaultPage = 50
	maxPage     = 100
)

// page says which of a channel's messages a call asks for.
type page struct {
	limit         int
	before, after uint64 // ids; 0 where none is given
}

func readPage(c *call) (page, *refusal) {
	query := c.r.URL.Query()
	asked, p := page{limit: defaultPage}, &problems{}
	if text := query.Get("limit"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > maxPage {
			p.add("limit", "NUMBER_TYPE_MAX", "int value should be between 1 and %d.", maxPage)
		}
		asked.limit = n
	}
	for name, id := range map[string]*uint64{"before": &asked.before, "after": &asked.after} {
		if text := query.Get(name); text != "" {
			n, err := strconv.ParseUint(text, 10, 64)
			if err != nil {
				p.add(name, "NUMBER_TYPE_COERCE", "Value %q is not snowflake.", text)
			}
			*id = n
		}
	}
	if asked.before != 0 && asked.after != 0 {
		p.add("after", "BASE_TYPE_EXCLUSIVE", "before and after are mutually exclusive.")
	}
	if query.Has("around") {
		p.add("around", "NOT_SIMULATED", "This server does not know around.")
	}
	return asked, p.refusal()
}

// of returns the messages asked for, newest first. Of those after an id it is
// the oldest that are returned, otherwise the newest.
func (p page) of(messages []*message) []*message {
	fitting := slices.DeleteFunc(slices.Clone(messages), func(m *message) bool {
		id, _ := strconv.ParseUint(m.wire.ID, 10, 64) // the server's own
		return m.visibleTo != "" || p.before != 0 && id >= p.before || id <= p.after
	})
	surplus := max(len(fitting)-p.limit, 0)
	if p.after != 0 {
		fitting = fitting[:len(fitting)-surplus]
	} else {
		fitting = fitting[surplus:]
	}
	slices.Reverse(fitting)
	return fitting
}

// read is a message as the bot may read it. Without the intent for messages'
// content it reads that of its own, of those that mention it, and in DMs
// (docs:events/gateway#message-content-intent).
func (s *Server) read(m *message) wireMessage {
	shown := m.wire
	if m.wire.Author.ID != s.app.id && m.channel.guildID != "" && !strings.Contains(m.wire.Content, "<@"+s.app.id+">") {
		shown.Content = ""
	}
	return shown
}
