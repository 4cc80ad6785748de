package commands

import (
	"context"
	"slices"
	"time"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/interaction"
	"hostbot/bot/watch/alerts"
	"hostbot/bot/watch/history"
	"hostbot/hostapi"
)

const (
	// storyLimit bounds what is read for a story: a card is shown without one.
	storyLimit = 250 * time.Millisecond
	// stuckAfter is after how long a bot that starts or installs is said to take long.
	stuckAfter = 5 * time.Minute
	// oftenCrashed is how many crashes in a day make the way a bot is started suspect.
	oftenCrashed = 3
)

// story is how a bot came to be in its state, as far as it is watched. It is read for a bot that has
// crashed, or is on the way to another state: its owner asks why.
type story struct {
	alerting bool // the customer is told when the bot goes down
	// since is when the bot was first seen in its state; zero if nobody saw it come there.
	since time.Time
	// ran is for how long the bot ran before, at least so where nobody saw it start; 0 if it is not known.
	ran     time.Duration
	atLeast bool
	crashes int  // within a day
	many    bool // it is down as many bots are, for which its host is the reason
	// autoRestarts is how the customer's bots are restarted automatically; nil if that is not offered.
	autoRestarts map[string]alerts.AutoRestart
}

// storyOf reads a bot's story. Where Redis does not tell, there is none.
func (c *Commands) storyOf(ctx context.Context, r *interaction.Request, b bot) (told story) {
	s, customerID := b.server, r.CustomerID
	now := conditionOf(s).state
	if !c.watch.offered() {
		return story{}
	}
	told.many = c.fellWithMany(ctx, r, b.known, s)
	if now != broken && !now.moving() {
		return told
	}
	ctx, cancel := context.WithTimeout(ctx, storyLimit)
	defer cancel()
	if now == broken {
		settings, err := c.watch.Alerts.Settings(ctx, customerID)
		told.alerting = err != nil || settings.For(s.ID) // nobody is offered what may be on
		told.autoRestarts = c.viewAutoRestarts(ctx, r).autoRestarts
	}
	states, err := c.watch.History.Of(ctx, customerID, s.ID, time.Now().Add(-periods()[2]))
	if err != nil || len(states) == 0 {
		return told
	}
	looked := states[len(states)-1].To
	fared := history.Stretches(states, states[0].From, looked)
	last := len(fared) - 1
	if last < 0 || fared[last].Kind != history.KindOf(s.State()) || fared[last].To.Before(looked) {
		return told // the state is newer than what was seen
	}
	if last > 0 {
		told.since = fared[last].From
	}
	for _, stretch := range fared {
		if stretch.Kind == history.Out && stretch.From.After(looked.Add(-day)) {
			told.crashes++
		}
	}
	if now == broken && last > 0 && fared[last-1].Kind == history.Running {
		ran := fared[last-1]
		told.ran = ran.To.Sub(ran.From)
		told.atLeast = last == 1 || !fared[last-2].To.Equal(ran.From)
	}
	return told
}

// why are lines on how a bot that has crashed came to it, and what was different.
func (c card) why() (lines []string) {
	if ran := c.ran(c.story.ran, c.story.atLeast, time.Minute); ran != "" && (c.saysSince || c.fellAfter() == 0) { // otherwise the line of the state says as much
		lines = append(lines, ran)
	}
	if c.story.crashes > 1 {
		lines = append(lines, c.t.Count("card.crashes", c.story.crashes, nil))
	}
	if changed := c.known.Notes[c.server.ID].StartupAt; !changed.IsZero() && time.Since(changed) < day {
		lines = append(lines, c.t.Format("card.startup_changed", args{"When": relative(changed)}))
	}
	is, on := c.story.autoRestarts[c.server.ID]
	return append(lines, c.view.autoRestartLine(is, on))
}

// onward are the ways on for the owner of a bot that has crashed: its output, and a message the next time, or, if there
// will be one, an automatic restart, or, if it crashes often, those who can help. A phone shows two in a line.
func (c card) onward() []discordgo.Button {
	ways := []discordgo.Button{c.toConsole(c.server.ID)}
	if c.asked.ByStaff() {
		return ways
	}
	key := botKey(c.server.ID)
	often := c.story.crashes >= oftenCrashed
	switch support := c.support(idTellCrashes + key); {
	case often && support.CustomID+support.URL != "":
		ways = append(ways, support)
	case c.commands.watch.offered() && !c.story.alerting:
		ways = append(ways, c.button(discordgo.SecondaryButton, "button.tell_me", idTell+key, false))
	case c.story.autoRestarts != nil:
		c.autoRestarts = c.story.autoRestarts
		ways = append(ways, c.autoRestartButton(idAutoRestartCard, c.server.ID))
	}
	return ways
}

// movingSince is since when a bot has been on the way to another state; zero if that is not known.
func (b bot) movingSince(told story) time.Time {
	note := b.known.Notes[b.server.ID]
	if a, ok := actionNamed(note.Action); ok && !note.Settled && note.At.After(told.since) && hostapi.StateOf(a.transitional) == b.server.State() {
		return note.At
	}
	return told.since
}

// isStuck reports whether a bot has been starting, restarting or installing for so long that its owner
// may want to stop it.
func (b bot) isStuck(told story) bool {
	stuck := []hostapi.State{hostapi.StateStarting, hostapi.StateRestarting, hostapi.StateInstalling}
	since := b.movingSince(told)
	return slices.Contains(stuck, b.server.State()) && !since.IsZero() && time.Since(since) >= stuckAfter
}

// mayStop reports whether an action stops a bot that is stuck, which it may though the bot is busy.
func (c *Commands) mayStop(ctx context.Context, r *interaction.Request, a action, b bot) bool {
	return a.op == hostapi.OpStop && conditionOf(b.server).state.moving() && b.isStuck(c.storyOf(ctx, r, b))
}

// stuckLine says for how long a bot has been in its state, and what to do.
func (c card) stuckLine() string {
	key := "card.stuck"
	if c.offers(hostapi.OpStop) {
		key = "card.stuck_stop"
	}
	lasts := c.t.DurationWithin(time.Since(c.movingSince(c.story)), time.Minute)
	return c.t.Format(key, args{"Status": c.status(c.server), "Duration": lasts})
}
