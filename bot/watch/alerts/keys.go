package alerts

import "time"

// What Redis keeps in the application's space. The names have one hash tag, so that a
// Cluster has them in one place.
//
//	{alerts}:customer:ID    a customer's settings, locale and DM channel, or when alerts were turned off as Discord
//	                        refused them; of one who turned them off the channel, and of one whose
//	                        first message may be there when it was sent
//	{alerts}:counts         hash: how much was sent and refused
//	{alerts}:told:HOLD:CODE staff were told that Discord refuses with a code
//
// Alerts are records of a kind, whose IDs are CUSTOMER/ALERT and whose owner is the customer. Of
// other kinds are the holds, and the line of those to whom a DM is opened.
const (
	kind   = "alerts"
	format = 2 // of a delivery as JSON

	customerVersion = 1

	countsKey = "{alerts}:counts" // that of the kind
	sentCount = "sent"
	toldKey   = "{alerts}:told:"

	holdKind, allHold, newHold = "holds", "all", "new"
	lineKind, lineID           = "opening", "line"

	// QuietFor is for how long a bot that keeps falling has to run before a message tells of its next
	// fall, and within which mostFalls of them are too many.
	QuietFor  = 10 * time.Minute
	mostFalls = 3
	// joinFor is within which time the falls of several bots are taken for one event.
	joinFor = 2 * time.Minute
	// openFor is for how long an alert is kept while a bot of it is down, so that its message
	// can say when the bot is back, and outageFor once all are.
	openFor   = 90 * 24 * time.Hour
	outageFor = 24 * time.Hour
	// unseenFor is how long nobody may have looked before a fall for it to be taken that
	// the bot had run until then.
	unseenFor = 10 * time.Minute
	// MuteFor is for how long a bot that is muted sends no alerts.
	MuteFor = time.Hour
	// longestLine is for how long the line of those to whom a DM is opened may be held up. The
	// longest pause that was seen of Discord is an hour (discord-api-docs#5385).
	longestLine = 2 * time.Hour
	// closedFor is for how long it is known why alerts are off.
	closedFor = 30 * 24 * time.Hour
	// channelFor is for how long a customer's DM channel is known once alerts are off.
	channelFor = 30 * 24 * time.Hour
	// heldFor is for how long a hold whose pause is over is remembered while nothing is tried.
	heldFor = 24 * time.Hour
	// callLimit bounds one use of Redis.
	callLimit = time.Second
	// nonceLength is in characters (see message.Wanted.Name).
	nonceLength = 20
)

func (a *Alerts) customerKey(customerID string) string {
	return a.Space.Key("{alerts}:customer:" + customerID)
}
