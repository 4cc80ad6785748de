package rest

import "time"

// EmbedTime returns the time of an embed as Discord reads it back, and whether there is
// one. It was sent with a zone; Discord writes it in another way than it was sent, and in
// 2017 at times without a zone, which is UTC then. Microseconds may be missing (discord-api-docs#291).
func EmbedTime(text string) (time.Time, bool) {
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		at, err = time.Parse("2006-01-02T15:04:05", text) // which takes fractions of seconds as well
	}
	return at, err == nil
}
