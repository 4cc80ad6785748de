package commands

import (
	"slices"
	"strconv"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/interaction"
	"hostbot/bot/sanitize"
	"hostbot/hostapi"
	"hostbot/hostapi/accounts"
)

// sizes are what a new bot is given of its plan.
type sizes struct{ ramMB, diskMB, cpuPercent int }

// customID returns the sizes as custom IDs carry them.
func (s sizes) customID() string {
	return strconv.Itoa(s.ramMB) + "/" + strconv.Itoa(s.diskMB) + "/" + strconv.Itoa(s.cpuPercent)
}

// unlimitedRAM stands for a plan that names no memory, in megabytes.
const unlimitedRAM = 16 << 10

// freeRAM returns the memory that a plan leaves for a new bot, in megabytes. It
// refuses a plan without room for one before the customer fills anything in. A plan
// without a limit is not limited here.
func freeRAM(l hostapi.List) (int, error) {
	a, free := l.Account, unlimitedRAM
	if a.PlanRAMMB > 0 {
		free = a.PlanRAMMB - allocatedRAM(l.Servers)
	}
	if free > 0 && (a.MaxServers <= 0 || a.ServerCount < a.MaxServers) {
		return free, nil
	}
	ways := func(v view) []discordgo.Button { return []discordgo.Button{v.toBots(), v.toUpgrade()} }
	return 0, &refusal{reason: "the plan has no room for another bot", ways: ways, final: true, explain: func(v view) string {
		key := "create.full"
		if a.MaxServers <= 0 {
			key = "create.full_ram"
		}
		return v.t.Format(key, args{
			"Plan": orDash(sanitize.Markdown(a.PlanName, wordLimit)), "Bots": a.ServerCount, "Max": a.MaxServers,
			"RAM": v.t.Size(max(0, free)), "Granted": v.t.Size(a.PlanRAMMB),
		})
	}}
}

// ramOptions are the usual sizes of memory that fit, and all that is left.
func ramOptions(free int) []int {
	options := slices.DeleteFunc([]int{128, 256, 512, 1024, 2048, 4096, 8192, 16384}, func(mb int) bool { return mb >= free })
	return append(options, free)
}

func diskOptions() []int { return []int{1024, 2048, 5120, 10240, 20480} }
func cpuOptions() []int  { return []int{50, 100, 150, 200, 400} }

// readSizes takes sizes from a request's parameters, and tells whether all of them
// are there and fit. In place of one that is not or does not, it takes the largest up
// to the ordinary one.
func readSizes(free int, params map[string]string) (chosen sizes, fits bool) {
	fits = true
	read := func(name string, options []int, ordinary int) int {
		if n, err := strconv.Atoi(params[name]); err == nil && slices.Contains(options, n) {
			return n
		}
		fits = false
		larger := slices.IndexFunc(options[1:], func(n int) bool { return n > ordinary })
		if larger < 0 {
			return options[len(options)-1]
		}
		return options[larger]
	}
	return sizes{read("ram", ramOptions(free), 512), read("disk", diskOptions(), 2048), read("cpu", cpuOptions(), 100)}, fits
}

// drawSizes lets the sizes of a new bot be chosen.
func (v view) drawSizes(s accounts.Snapshot, free int, chosen sizes) interaction.Response {
	room := ""
	if s.List.Account.MaxServers > 0 && s.List.Account.PlanRAMMB > 0 {
		room = v.t.Count("create.room", s.List.Account.MaxServers-s.List.Account.ServerCount, args{
			"Plan": orDash(sanitize.Markdown(s.List.Account.PlanName, wordLimit)), "RAM": v.t.Size(free),
		})
	}
	// A menu chooses one of the sizes, which is a parameter of custom IDs.
	menu := func(size string, options []int, selected int, say func(int) string) discordgo.MessageComponent {
		label := v.t.Text("card." + size)
		var offered []discordgo.SelectMenuOption
		for _, n := range options {
			option := v.t.Format("create.size", args{"What": label, "Size": say(n)})
			offered = append(offered, discordgo.SelectMenuOption{Label: option, Value: strconv.Itoa(n), Default: n == selected})
		}
		return v.menu(idCreate+size+"/"+chosen.customID(), label, offered)
	}
	embed := &discordgo.MessageEmbed{Title: v.t.Text("create.title"), Description: paragraphs(v.heading(s, ""), room, v.updated(s.FetchedAt)), Color: blurple}
	return v.draw(idCreate+chosen.customID(), embed,
		menu("ram", ramOptions(free), chosen.ramMB, v.t.Size),
		menu("disk", diskOptions(), chosen.diskMB, v.t.Size),
		menu("cpu", cpuOptions(), chosen.cpuPercent, v.t.CPU),
		row(v.button(discordgo.PrimaryButton, "button.continue", idCreate+chosen.customID(), false)),
	)
}
