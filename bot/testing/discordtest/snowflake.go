package discordtest

import (
	"encoding/json"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"hostbot/hostapi/testclock"
)

// epoch is the first millisecond of Discord's ids, 2015-01-01 UTC
// (docs:reference#snowflakes).
const epoch = 1420070400000

// snowflakes hands out ids: 42 bits of time, 10 of origin, 12 counted.
type snowflakes struct {
	clock testclock.Clock
	count atomic.Uint64
}

// next returns an id that no other has.
func (s *snowflakes) next() string {
	// The count runs over into the bits of origin and time, so that ids differ
	// even where a manual clock stands still.
	ms := uint64(s.clock.Now().UnixMilli() - epoch)
	return strconv.FormatUint(ms<<22+s.count.Add(1), 10)
}

// isSnowflake reports whether text is an id.
func isSnowflake(text string) bool {
	n, err := strconv.ParseUint(text, 10, 64)
	return err == nil && n > 0
}

// sentID is an id in a body from the bot. Discord keeps ids as integers and writes
// them as strings (docs:reference#id-serialization); discord.py sends integers, for
// example in start_private_message of discord/http.py.
type sentID string

// UnmarshalJSON takes an id as a string or as an integer.
func (id *sentID) UnmarshalJSON(data []byte) error {
	if number, err := strconv.ParseUint(string(data), 10, 64); err == nil {
		*id = sentID(strconv.FormatUint(number, 10))
		return nil
	}
	return json.Unmarshal(data, (*string)(id))
}

// shardOf tells which of shards serves a guild, or a DM where guildID is empty
// (docs:events/gateway#sharding).
func shardOf(guildID string, shards int) int {
	id, err := strconv.ParseUint(guildID, 10, 64)
	if err != nil || shards < 2 {
		return 0
	}
	return int((id >> 22) % uint64(shards))
}

// SetZonelessEmbeds has the times of embeds written without a zone, as it was seen in 2017
// (#291). Messages and their embeds differ in that.
func (s *Server) SetZonelessEmbeds(on bool) { s.zonelessEmbeds.Store(on) }

// embedTime is how the time of an embed that a bot has sent is read back.
func (s *Server) embedTime(sent string) string {
	at, err := time.Parse(time.RFC3339, sent)
	switch {
	case err != nil: // there is none
		return sent
	case s.zonelessEmbeds.Load():
		return strings.TrimSuffix(timestamp(at), "+00:00")
	}
	return timestamp(at)
}

// timestamp is how Discord writes a time: as Python does, which leaves out
// microseconds of zero (both forms: #291, twilight-model datetime/mod.rs).
func timestamp(t time.Time) string {
	if t.Nanosecond() < int(time.Microsecond) {
		return t.UTC().Format("2006-01-02T15:04:05-07:00")
	}
	return t.UTC().Format("2006-01-02T15:04:05.000000-07:00")
}
