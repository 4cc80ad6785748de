package loadgen

import (
	"math"
	"math/rand/v2"
	"strconv"
	"time"
)

// Crowd is the customers of a company: so many accounts at the hosting service, of which
// some ask, in so many guilds.
type Crowd struct{ Accounts, Asking, Guilds int }

// Users returns so many customers in one guild, all of whom ask.
func Users(n int) Crowd { return Crowd{n, n, 1} }

// The ID of the first user, which those of others follow, and the number in the first
// guild's ID, by which its shard is found.
const (
	firstUser  = 200_000_000_000_000_000
	firstGuild = 280_000_000_000
)

// ID returns the snowflake of somebody who asks, counted from 0 and past the last from 0
// again.
func (c Crowd) ID(n int) string { return strconv.Itoa(firstUser + n%c.Asking*(c.Accounts/c.Asking)) }

// customer is somebody who asks, in a guild.
type customer struct {
	user, locale string
	guild        int
	restarts     string // the bot on whose card Restart is pressed; "" where /bot list is typed
}

// customer returns somebody who asks. A third of them each reads English, German, Turkish.
func (c Crowd) customer(n int) customer {
	who := n % c.Asking
	return customer{user: c.ID(n), locale: [...]string{"en-US", "de", "tr"}[who%3], guild: (firstGuild + who%c.Guilds) << 22}
}

// presser returns a customer who restarts a bot that runs, each time another one.
func (c Crowd) presser(n, bots int) customer {
	who := c.customer(n)
	who.restarts = botID(who.user, n/c.Asking*2%bots)
	return who
}

// skew and flat are how much more often one customer asks than another: the busiest
// tenth of 100,000 asks three times in five, and nobody asks as often as once in 3,000.
const skew, flat = 1.1, 1000

// Day has customers ask by a day's curve that takes so long: it begins and ends at
// night with a tenth of the noon's rate. It returns how many asked.
func (c Crowd) Day(d *Discord, noon float64, takes time.Duration) (*Latencies, int, error) {
	draw := rand.NewZipf(rand.New(rand.NewPCG(1, 1)), skew, flat, uint64(c.Asking-1))
	began, next, asked := time.Now(), time.Duration(0), 0
	latencies, err := load(d, func(int) customer { return c.customer(int(draw.Uint64())) }, maxUnderWay, func() bool {
		height := (1 - math.Cos(2*math.Pi*next.Seconds()/takes.Seconds())) / 2
		next += time.Duration(float64(time.Second) / (noon * (.1 + .9*height)))
		if next > takes {
			return false
		}
		time.Sleep(time.Until(began.Add(next)))
		asked++
		return true
	})
	return latencies, asked, err
}
