package commands

import (
	"context"
	"time"

	"hostbot/bot/interaction"
	"hostbot/bot/watch/alerts"
	"hostbot/bot/watch/history"
	"hostbot/bot/watch/notify"
	"hostbot/bot/watch/outages"
	"hostbot/bot/watch/panel"
	"hostbot/bot/watch/schedule"
	"hostbot/hostapi/accounts"
)

// Alerts keep who wants to be told when a bot stops by itself, as package alerts says.
type Alerts interface {
	Offered() bool
	Settings(ctx context.Context, customerID string) (alerts.Settings, error)
	// TurnOn sends a first message to somebody new, and returns whether that was needed.
	TurnOn(ctx context.Context, to notify.Recipient, change func(*alerts.Settings)) (now alerts.Settings, reached notify.Reached, err error)
	TurnOff(ctx context.Context, customerID string, change func(*alerts.Settings)) (alerts.Settings, error)
	Mute(ctx context.Context, customerID, serverID string, until time.Time) error
	SetTiming(ctx context.Context, customerID string, delay time.Duration, quiet alerts.QuietHours) (now alerts.Settings, err error)
	// BotsOf returns the IDs of the bots of which an alert tells; none if it is not kept any more.
	BotsOf(ctx context.Context, customerID, alertID string) ([]string, error)
}

// History is what is kept of the states of bots.
type History interface {
	// Of returns a bot's states from since until now, without holes between, and none
	// where nothing is kept of the bot.
	Of(ctx context.Context, customerID, serverID string, since time.Time) ([]history.Span, error)
	// Bots returns what is kept of those of a customer's bots that something is kept of.
	Bots(ctx context.Context, customerID string, since time.Time, serverIDs ...string) (map[string]history.Past, error)
}

// Panels are customers' public messages about their bots.
type Panels interface {
	// Create reports whether the panel is there, or about to be.
	Create(ctx context.Context, p panel.Panel) (posted bool, err error)
	Of(ctx context.Context, customerID string) ([]panel.Panel, error)
	// Change changes a panel of a customer's, and returns it; nil where there is none.
	Change(ctx context.Context, customerID, id string, change func(*panel.Panel)) (*panel.Panel, error)
	Remove(ctx context.Context, customerID, id string) (panel.Removal, error)
	// Retry has a customer's panels tried again.
	Retry(ctx context.Context, customerID string) error
}

// Following keeps who follows which public panel, as package following says.
type Following interface {
	// Follow reports whether somebody follows a panel who did not before.
	Follow(ctx context.Context, ownerID, panelID string, to notify.Recipient) (began bool, err error)
	Unfollow(ctx context.Context, userID, panelID string) error
	Of(ctx context.Context, userID string) ([]panel.Panel, error)
	// Followers returns how many people follow a panel.
	Followers(ctx context.Context, panelID string) (int, error)
}

// Notices are what the company says of bots, as package outages keeps it.
type Notices interface {
	// Notices returns what is in force or to come.
	Notices() []outages.Notice
	SaveNotice(ctx context.Context, n outages.Notice) error
}

// Restarts keep which bots the program restarts by itself when they crash, as package alerts says.
type Restarts interface {
	// Of returns those of a customer's bots, by server ID.
	Of(ctx context.Context, customerID string) (map[string]alerts.AutoRestart, error)
	TurnOn(ctx context.Context, customerID, serverID string, notify bool) error
	TurnOff(ctx context.Context, customerID, serverID string) error
}

// Schedules keep when bots are restarted by the clock, as package schedule says.
type Schedules interface {
	// Get returns a bot's schedule; nil if it has none.
	Get(ctx context.Context, customerID, serverID string) (*schedule.Schedule, error)
	// Set may return schedule.ErrTooMany.
	Set(ctx context.Context, customerID string, wanted schedule.Schedule) error
	Remove(ctx context.Context, customerID, serverID string) error
}

// Channels post alerts in the channels of panels, as package alerts says.
type Channels interface {
	// Of returns what is posted in a panel's channel; nil for nothing.
	Of(ctx context.Context, panelID string) (*alerts.Channel, error)
	Begin(ctx context.Context, p panel.Panel, change func(*alerts.Channel)) (*alerts.Channel, error)
	End(ctx context.Context, panelID string) error
}

// Watch is what commands need of those who watch accounts.
type Watch struct {
	Alerts Alerts
	// NoteAction is told of an action that is about to be sent to the service.
	NoteAction func(ctx context.Context, customerID, serverID, action string)

	History   History
	Panels    Panels
	Channels  Channels
	Following Following
	// AutoRestart says that Restarts are offered.
	AutoRestart bool
	Restarts    Restarts
	Schedules   Schedules
	// Known returns what is known of an account without asking the service.
	Known func(ctx context.Context, customerID string) (accounts.Snapshot, error)
	// Refused returns since when somebody takes no messages from the bot; zero where they do.
	Refused func(ctx context.Context, userID string) (time.Time, error)
	// Zone returns the time zone that somebody has named; "" if none.
	Zone func(ctx context.Context, userID string) (string, error)
	// KeepZone keeps it; "" changes nothing.
	KeepZone func(ctx context.Context, userID, zone string) error
	// Outage returns the outage of many bots that goes on or was lately; of none if there is none. It may be nil.
	Outage func() outages.Outage
	// Notices are what the company says. It may be nil.
	Notices Notices
	// Unwatched reports whether an account is not looked at although it should be.
	Unwatched func(ctx context.Context, customerID string) bool
	// Interval returns at which interval accounts are looked at now.
	Interval func() time.Duration
}

func (w Watch) offered() bool { return w.Alerts != nil && w.Alerts.Offered() }

// watching serves what takes watching, unless that is off, which the text off says.
func (c *Commands) watching(off string, h interaction.Handler) interaction.Handler {
	return func(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
		if !c.watch.offered() {
			return interaction.Response{}, refuse("accounts are not watched", off)
		}
		return h(ctx, r)
	}
}
