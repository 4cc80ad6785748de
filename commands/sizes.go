package commands

import (
	"slices"
	"strconv"

	"hostbot/hostapi"
)

// sizes are what a new bot is given of its plan.
type sizes struct{ ramMB, diskMB, cpuPercent int }

// customID returns the sizes as custom IDs carry them.
func (s sizes) customID() string {
	return strconv.Itoa(s.ramMB) + "/" + strconv.Itoa(s.diskMB) + "/" + strconv.Itoa(s.cpuPercent)
}

// room is what a plan leaves for a new bot. What the service does not limit is
// not limited here.
type room struct {
	bots    int
	limited bool // the plan names how many bots it allows
	ramMB   int
}

// unlimitedRAM stands for a plan that names no memory, in megabytes.
const unlimitedRAM = 16 << 10

func roomOf(l hostapi.List) room {
	r := room{bots: l.Account.MaxServers - l.Account.ServerCount, limited: l.Account.MaxServers > 0, ramMB: unlimitedRAM}
	if l.Account.PlanRAMMB > 0 {
		r.ramMB = l.Account.PlanRAMMB - allocatedRAM(l.Servers)
	}
	return r
}

// full tells whether there is no room for another bot.
func (r room) full() bool { return r.limited && r.bots <= 0 || r.ramMB <= 0 }

// ramOptions are the sizes of memory that fit, the whole of what is left among
// them; 25 at most, as a select menu holds.
func (r room) ramOptions() []int {
	var fit []int
	for _, mb := range []int{128, 256, 512, 1024, 2048, 4096, 8192, 16384} {
		if mb < r.ramMB {
			fit = append(fit, mb)
		}
	}
	return append(fit, r.ramMB)
}

func diskOptions() []int { return []int{1024, 2048, 5120, 10240, 20480} }
func cpuOptions() []int  { return []int{50, 100, 150, 200, 400} }

// read takes sizes from a request's parameters. Whatever those say, the sizes
// are among the options: the ordinary ones where nothing else was chosen.
func (r room) read(params map[string]string) sizes {
	return sizes{
		ramMB:      among(r.ramOptions(), params["ram"], 512),
		diskMB:     among(diskOptions(), params["disk"], 2048),
		cpuPercent: among(cpuOptions(), params["cpu"], 100),
	}
}

// fitting takes sizes from a request's parameters as read does, and tells whether
// they fit: the choice is the customer's, and not to be changed behind their back.
func (r room) fitting(params map[string]string) (chosen sizes, fits bool) {
	ram, err := strconv.Atoi(params["ram"])
	chosen = r.read(params)
	chosen.ramMB = ram
	fits = err == nil && ram > 0 && ram <= r.ramMB &&
		params["disk"] == strconv.Itoa(chosen.diskMB) && params["cpu"] == strconv.Itoa(chosen.cpuPercent)
	return chosen, fits
}

// among returns the option that text names, or the largest up to ordinary.
func among(options []int, text string, ordinary int) int {
	if n, err := strconv.Atoi(text); err == nil && slices.Contains(options, n) {
		return n
	}
	best := options[0]
	for _, n := range options {
		if n <= ordinary {
			best = n
		}
	}
	return best
}
