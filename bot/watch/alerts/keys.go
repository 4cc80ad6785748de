package alerts

import "time"

// What Redis keeps in the application's space are timedKey and records of five kinds:
//
//	settings       CUSTOMER: of what a customer is notified, or when alerts were turned off as Discord refused them
//	alerts         CUSTOMER/ALERT: an alert and its message. Its owner is the customer
//	restarts       CUSTOMER/HASH: a bot that is restarted when it crashes, and what was tried. Its owner is the customer
//	channels       PANEL: that alerts of its bots are posted in a panel's channel. All have the owner "", which counts them
//	channelalerts  PANEL/ALERT: as of alerts. Its owner is the panel
const (
	settingsKind, kind         = "settings", "alerts"
	channelsKind, channelTopic = "channels", "channelalerts"

	settingsFormat = 1 // of Settings as JSON
	channelFormat  = 1 // of a Channel as JSON
	format         = 2 // of a delivery as JSON

	// QuietFor is for how long a bot that keeps falling has to run before a message tells of its next
	// fall, and within which mostFalls of them are too many.
	QuietFor  = 10 * time.Minute
	mostFalls = 3
	// joinFor is within which time the falls of several bots, and their recoveries, are taken for one event.
	joinFor = 2 * time.Minute
	// shortFall is up to which length of a fall nobody need be disturbed by its end.
	shortFall = 2 * time.Minute
	// openFor is for how long an alert is kept while a bot of it is down, so that its message
	// can say when the bot is back, and outageFor once all are.
	openFor   = 90 * 24 * time.Hour
	outageFor = 24 * time.Hour
	// unseenFor is how long nobody may have looked before a fall for it to be taken that
	// the bot had run until then.
	unseenFor = 10 * time.Minute
	// MuteFor is for how long a bot that is muted sends no alerts.
	MuteFor = time.Hour
	// closedFor is for how long it is known why alerts are off.
	closedFor = 30 * 24 * time.Hour
	// nonceLength is in characters (see message.Wanted.Name).
	nonceLength = 20
)
