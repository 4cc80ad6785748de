package rest

import "time"

// EmbedTime parses the timestamp of an embed as Discord returns it, and reports whether there is one. Discord
// does not return it as it was sent: microseconds may be missing, and in 2017 the zone was at times, for UTC
// (discord-api-docs#291).
func EmbedTime(text string) (time.Time, bool) {
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		at, err = time.Parse("2006-01-02T15:04:05", text) // fractions of seconds are accepted as well
	}
	return at, err == nil
}
