package loadgen

import (
	"strconv"
)

// Crowd is so many customers, in one guild.
type Crowd int

// Users returns so many customers.
func Users(n int) Crowd { return Crowd(n) }

// The ID of the first user, which those of others follow, and the number in the
// guild's ID, by which its shard is found.
const (
	firstUser  = 200_000_000_000_000_000
	firstGuild = 280_000_000_000
)

// ID returns the snowflake of a customer, counted from 0 and past the last from 0 again.
func (c Crowd) ID(n int) string { return strconv.Itoa(firstUser + n%int(c)) }

// customer is somebody who asks, in a guild.
type customer struct {
	user, locale string
	guild        int
	restarts     string // the bot on whose card Restart is pressed; "" where /bot list is typed
}

// customer returns somebody who asks. A third of them each reads English, German, Turkish.
func (c Crowd) customer(n int) customer {
	who := n % int(c)
	return customer{user: c.ID(n), locale: [...]string{"en-US", "de", "tr"}[who%3], guild: firstGuild << 22}
}

// presser returns a customer who restarts a bot that runs, each time another one.
func (c Crowd) presser(n, bots int) customer {
	who := c.customer(n)
	who.restarts = botID(who.user, n/int(c)*2%bots)
	return who
}
