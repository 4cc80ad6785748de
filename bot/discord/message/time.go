package message

import (
	"strconv"
	"time"
)

// Time returns markup that Discord shows as a time in the reader's zone and language. Of the styles, T is
// "16:20:30", t "16:20", F a date and a time, and R "5 minutes ago"
// (https://discord.com/developers/docs/reference#message-formatting-timestamp-styles).
func Time(at time.Time, style string) string {
	return "<t:" + strconv.FormatInt(at.Unix(), 10) + ":" + style + ">"
}
