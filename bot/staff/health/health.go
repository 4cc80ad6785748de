// Package health says how the program fares, and what it depends on. Each thing is an item
// with a name, a state, a text and a cure. The command /admin status draws the items for
// staff, /healthz?verbose writes them for operators, and so does "hostbot check" with those
// that it finds.
package health

import (
	"strings"
	"time"

	"hostbot/bot/discord/shards"
	"hostbot/bot/staff/logchannel"
	"hostbot/bot/watch/alerts"
	"hostbot/bot/watch/watcher"
	"hostbot/locale"
)

// State is how well an item is.
type State string

// The states of an item.
const (
	OK      State = "ok"
	Warning State = "warning" // the bot works, and lacks something
	Failure State = "failure"
)

// Item is how one thing fares that the bot needs.
type Item struct {
	Name  string `json:"name"`
	State State  `json:"result"`
	Text  string `json:"found"` // one line, in English
	Cure  string `json:"cure"`  // what to do; empty if nothing is to be done
	Staff Staff  `json:"-"`
}

// Staff is what staff read of an item on Discord: in their language, and in its markdown.
type Staff struct {
	Title string // items of one title that follow each other are shown as one, unless they are about channels
	Text  string // empty: the item is shown only if something is wrong, by its English text
	// ChannelID is the log channel that the item is about; empty for none.
	ChannelID string
	Short     bool // the item can be shown beside another one
}

// Line returns the item as a line of text.
func (i Item) Line() string {
	line := map[State]string{OK: "✓ ", Warning: "! ", Failure: "✗ "}[i.State] + i.Name
	if i.Text != "" {
		line += ": " + strings.ReplaceAll(i.Text, "\n", " ")
	}
	if i.Cure != "" {
		line += " → " + i.Cure
	}
	return line + "\n"
}

// Lines returns items as lines of text.
func Lines(items []Item) string {
	var lines strings.Builder
	for _, i := range items {
		lines.WriteString(i.Line())
	}
	return lines.String()
}

// Report is what is known of the program and of what it depends on, at one moment.
type Report struct {
	Version string
	Started time.Time

	Ready   bool            // interactions are being served
	Standby bool            // other replicas serve them all
	Shards  []shards.Status // that this replica holds; nil if interactions arrive over HTTP

	Answered, Unanswered int64 // interactions since it started

	// Of Calls to the hosting service within Window, Failed were failed by the service
	// or the network. DownSince is since when it is taken to be away; zero while it is
	// not.
	Calls, Failed int
	Window        time.Duration
	DownSince     time.Time

	// Of Requests that Discord answered within rest.InvalidWindow, Invalid ones count towards
	// a ban of the machine's address.
	Requests, Invalid int
	// PausedUntil is until when Discord lets all requests wait, which may be over.
	PausedUntil time.Time

	Leader string // the name of the replica that leads; "" if none does

	RedisEmbedded bool // in the process: no other Redis is configured
	RedisErr      error
	RedisLatency  time.Duration // of one round trip

	Log []logchannel.Status

	Watching bool // accounts are watched at all
	Watch    watcher.Status
	Alerts   alerts.Status
}

// Items returns how each thing fares. t has the texts in the language of those who read them.
func (r Report) Items(t *locale.Texts) []Item {
	d := describer{r, t}
	items := []Item{d.program()}
	items = append(items, d.interactions()...)
	items = append(items, d.redis(), d.leader(), d.service())
	items = append(items, d.discord()...)
	items = append(items, d.watching()...)
	for _, ch := range r.Log {
		items = append(items, d.logChannel(ch))
	}
	return items
}
