package message

import (
	"strconv"
	"time"
)

// Time shows a time as Discord does, in the reader's zone and words: T is "16:20:30", t "16:20", F a date
// and a time, and R ticks: "5 minutes ago"
// (https://discord.com/developers/docs/reference#message-formatting-timestamp-styles).
func Time(at time.Time, style string) string {
	return "<t:" + strconv.FormatInt(at.Unix(), 10) + ":" + style + ">"
}
