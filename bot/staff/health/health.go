// Package health says how the program fares, and what it depends on. Each thing is an item
// with a name, a state, a text and a cure. The command /admin status draws the items for
// staff, /healthz?verbose writes them for operators, and so does "hostbot check" with those
// that it finds.
package health

import (
	"cmp"
	"strings"
	"time"

	"hostbot/bot/discord/recent"
	"hostbot/bot/discord/register"
	"hostbot/bot/discord/shards"
	"hostbot/bot/leader"
	"hostbot/bot/staff/logchannel"
	"hostbot/bot/watch/notify"
	"hostbot/bot/watch/outages"
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
	Name string `json:"name"`
	// Title is what staff read in the place of the name. Items of one title that follow each other are
	// shown as one, unless they are about channels. If it is empty, they read of the item only if something
	// is wrong.
	Title string `json:"-"`
	// Verdict says in one line what is wrong, or was until lately, since when and why; empty if
	// there is nothing of note.
	Verdict string `json:"-"`
	State   State  `json:"result"`
	Text    string `json:"found"` // may be empty
	Cure    string `json:"cure"`  // what to do; empty if nothing is to be done
	// ChannelID is the log channel that the item is about; empty for none.
	ChannelID string `json:"-"`
	Short     bool   `json:"-"` // the item can be shown beside another one
}

// Line returns the item as a line of text.
func (i Item) Line() string {
	line := map[State]string{OK: "✓ ", Warning: "! ", Failure: "✗ "}[i.State] + i.Name
	if i.Text != "" {
		line += ": " + strings.NewReplacer("\n", " ", "\u00a0", " ").Replace(i.Text) // no terminal breaks lines at spaces
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
	// LostSince is since when a connection of this replica to Discord is lost, and LostReason why it cannot
	// be made; zeros if none is.
	LostSince  time.Time
	LostReason error
	// Unlocated is why Discord refuses to say where the gateway is, so that an address is used that it named
	// before; nil while it does not refuse.
	Unlocated error
	// Arrival is whether Discord sends interactions to where the bot takes them.
	Arrival register.Arrival

	Answered, Unanswered int64 // interactions since it started
	// Responses is how interactions were answered within Window: those failed that were not
	// answered in time. P95 is within which 95 of 100 first responses were there; 0 if there were none.
	Responses recent.Summary
	P95       time.Duration

	// Service is how calls to the hosting service fared within Window. Those failed that the
	// service or the network did. DownSince is since when it is taken to be away; zero while
	// it is not.
	Service   recent.Summary
	Window    time.Duration
	DownSince time.Time
	Missing   Missing

	// Discord is how requests to Discord's REST API fared within Window.
	Discord recent.Summary
	// Of Requests that Discord answered within rest.InvalidWindow, Invalid ones count towards
	// a ban of the machine's address.
	Requests, Invalid int
	// PausedUntil is until when Discord lets all requests wait, which may be over.
	PausedUntil time.Time

	Leader string          // the name of the replica that leads; "" if none does
	Queues []leader.Queue  // what it has to do
	Dead   []leader.Letter // what it cannot deal with, the oldest first

	RedisEmbedded bool           // in the process: no other Redis is configured
	RedisErr      error          // of a write
	Redis         recent.Summary // when it was lost, and back
	RedisLatency  time.Duration  // of that write

	Log []logchannel.Status

	Watching bool // accounts are watched at all
	Watch    watcher.Status
	Alerts   notify.Status
	Outage   outages.Outage // of many bots; of none if there is none
	Use      Use
}

// Use is how much is made of what customers and staff may turn on.
type Use struct {
	Restarts  int // bots that are restarted automatically
	Scheduled int // bots that are restarted by the clock
	Timed     int // customers with a delay or quiet hours
	Channels  int // in which outages are said
	Answers   int // of support, in all
	Notices   int // that are in force or to come
}

// Missing is that the hosting service does not find most of the accounts that it is asked for, or
// several that it found before.
type Missing struct {
	Accounts, Of int       // zeros while it does; Of is 0 for accounts that it found before
	Since        time.Time // when that began
}

// Items returns how each thing fares, for Discord. t has the texts in the language of those who read them.
func (r Report) Items(t *locale.Texts) []Item { return describer{r, t, false, time.Now()}.items() }

func (d describer) items() []Item {
	items := d.interactions()
	items = append(items, d.responses(), d.service(), d.requests())
	items = append(items, d.refusals()...)
	items = append(items, d.redis(), d.leader())
	items = append(items, d.queues()...)
	items = append(items, d.deadLetters()...)
	items = append(items, d.massOutage()...)
	items = append(items, d.watching()...)
	items = append(items, d.use()...)
	for _, ch := range d.Log {
		items = append(items, d.logChannel(ch))
	}
	return items
}

// Lines returns the items as lines of text, below one with the verdict on all of them.
func (r Report) Lines(t *locale.Texts) string {
	d := describer{r, t, true, time.Now()}
	items := append([]Item{d.program()}, d.items()...)
	return verdict(items).Line() + Lines(items)
}

// verdict returns what is wrong in one line, or what was until lately.
func verdict(items []Item) Item {
	v := Item{Name: "verdict", State: OK}
	var wrong, recovered []string
	for _, i := range items {
		switch {
		case i.State == Failure:
			v.State = Failure
			wrong = append(wrong, cmp.Or(i.Verdict, i.Name))
		case i.Verdict != "":
			recovered = append(recovered, i.Verdict)
		}
	}
	if v.State == OK {
		wrong = []string{"all is well"}
	}
	v.Text = strings.Join(append(wrong, recovered...), "; ")
	return v
}
