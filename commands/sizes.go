package commands

import (
	"slices"
	"strconv"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/interaction"
	"hostbot/bot/sanitize"
	"hostbot/hostapi"
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
	return 0, &refusal{"the plan has no room for another bot", func(v view) string {
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

// ramOptions are the sizes of memory to choose from: the usual ones that fit, all
// that is left, and the chosen one, which was an option of an account that has
// changed since.
func ramOptions(free, chosen int) []int {
	var options []int
	for _, mb := range []int{chosen, free, 128, 256, 512, 1024, 2048, 4096, 8192, 16384} {
		if mb > 0 && mb <= free {
			options = append(options, mb)
		}
	}
	slices.Sort(options)
	return slices.Compact(options)
}

func diskOptions() []int { return []int{1024, 2048, 5120, 10240, 20480} }
func cpuOptions() []int  { return []int{50, 100, 150, 200, 400} }

// readSizes takes sizes from a request's parameters, and tells whether all of them
// are there and fit. One that is not or does not is the ordinary one instead.
func readSizes(free int, params map[string]string) (chosen sizes, fits bool) {
	ramMB, _ := strconv.Atoi(params["ram"])
	ramMB, ramFits := among(ramOptions(free, ramMB), params["ram"], 512)
	diskMB, diskFits := among(diskOptions(), params["disk"], 2048)
	cpuPercent, cpuFits := among(cpuOptions(), params["cpu"], 100)
	return sizes{ramMB, diskMB, cpuPercent}, ramFits && diskFits && cpuFits
}

// among returns the option that text names, and otherwise the largest up to ordinary.
func among(options []int, text string, ordinary int) (option int, named bool) {
	if n, err := strconv.Atoi(text); err == nil && slices.Contains(options, n) {
		return n, true
	}
	option = options[0]
	for _, n := range options {
		if n <= ordinary {
			option = n
		}
	}
	return option, false
}

// sizesForm lets the sizes of a new bot be chosen.
type sizesForm struct {
	view
	age     age
	account hostapi.Account
	free    int // megabytes of memory
	chosen  sizes
}

func (f sizesForm) draw() interaction.Response {
	embed := &discordgo.MessageEmbed{
		Title: f.t.Text("create.title"), Description: paragraphs(f.heading(f.age, ""), f.room()), Color: blurple,
	}
	return f.view.draw(idCreate+f.chosen.customID(), embed,
		f.menu("ram", ramOptions(f.free, f.chosen.ramMB), f.chosen.ramMB, f.t.Size),
		f.menu("disk", diskOptions(), f.chosen.diskMB, f.t.Size),
		f.menu("cpu", cpuOptions(), f.chosen.cpuPercent, f.t.Percent),
		row(f.button(discordgo.PrimaryButton, "button.continue", idCreate+f.chosen.customID(), false)),
	)
}

// room says what the plan leaves, or nothing where it names no limits.
func (f sizesForm) room() string {
	a := f.account
	if a.MaxServers <= 0 || a.PlanRAMMB <= 0 {
		return ""
	}
	return f.t.Format("create.room", args{
		"Plan": orDash(sanitize.Markdown(a.PlanName, wordLimit)),
		"Bots": f.t.Count("list.count", a.MaxServers-a.ServerCount, nil), "RAM": f.t.Size(f.free),
	})
}

// menu chooses one of the sizes, which is a parameter of custom IDs.
func (f sizesForm) menu(size string, options []int, chosen int, say func(int) string) discordgo.MessageComponent {
	label := f.t.Text("card." + size)
	menu := discordgo.SelectMenu{
		MenuType: discordgo.StringSelectMenu, CustomID: idCreate + size + "/" + f.chosen.customID(), Placeholder: label,
	}
	for _, n := range options {
		menu.Options = append(menu.Options, discordgo.SelectMenuOption{
			Label: label + ": " + say(n), Value: strconv.Itoa(n), Default: n == chosen,
		})
	}
	return row(menu)
}
