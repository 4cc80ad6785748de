package commands

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/interaction"
	"hostbot/bot/sanitize"
	"hostbot/hostapi"
	"hostbot/hostapi/accounts"
)

// chooseSizes lets sizes be chosen. A menu says which one it changes, and carries the
// others.
func (c *Commands) chooseSizes(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
	params := maps.Clone(r.Params)
	if what := params["what"]; what != "" {
		params[what] = r.Value()
	}
	return c.shown(func(_ context.Context, r *interaction.Request, s accounts.Snapshot) (interaction.Response, error) {
		free, err := freeRAM(s.List)
		if err != nil {
			return interaction.Response{}, err
		}
		chosen, _ := readSizes(free, params)
		return c.view(r).drawSizes(s, free, chosen), nil
	})(ctx, r)
}

// chosenSizes returns the sizes that a request carries. It refuses those for which the
// plan has no room any more: the choice is the customer's.
func (c *Commands) chosenSizes(ctx context.Context, r *interaction.Request) (sizes, error) {
	return read(ctx, c, r, func(s accounts.Snapshot) (sizes, error) {
		free, err := freeRAM(s.List)
		if err != nil {
			return sizes{}, err
		}
		chosen, fits := readSizes(free, r.Params)
		if !fits {
			return sizes{}, &refusal{reason: "the plan has no room any more for the sizes", final: true, explain: func(v view) string {
				return v.say("create.changed", nil)
			}}
		}
		return chosen, nil
	})
}

// The inputs of the form for a new bot, beside those of the startup.
const (
	inputLanguage = "language"
	inputStart    = "start"
)

// askCreate opens the form for a bot of the sizes that were chosen.
func (c *Commands) askCreate(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
	chosen, err := c.chosenSizes(ctx, r)
	if err != nil {
		return interaction.Response{}, err
	}
	v, typed := c.view(r), c.typed(ctx, r)
	languages, usual := c.languageOptions(typed.or(inputLanguage, c.forms.Languages[0].ID))
	command, entry := "modal.create.usual", "modal.create.usual"
	if !usual {
		command, entry = "modal.startup.command_hint", "modal.startup.entry_hint"
	}
	fields := []interaction.Field{
		v.formField("modal.create.name", "", interaction.TextInput(inputName, typed.or(inputName, ""), true)),
		v.formField("modal.create.language", "", interaction.ChoiceInput(inputLanguage, languages)),
		v.formField("modal.startup.command", command, interaction.TextInput(inputCommand, typed.or(inputCommand, ""), !usual)),
		v.formField("modal.startup.entry", entry, interaction.TextInput(inputEntry, typed.or(inputEntry, ""), !usual)),
	}
	if v.offers(hostapi.OpStart) {
		ticked := typed.or(inputStart, "") == interaction.Ticked
		fields = append(fields, v.formField("modal.create.start", "modal.create.start_hint", interaction.CheckboxInput(inputStart, ticked)))
	}
	return interaction.Open(&interaction.Dialog{CustomID: idCreate + chosen.customID(), Title: v.t.Text("modal.create.title"), Fields: fields}), nil
}

// languageOptions are the languages of a new bot to choose from, of which one is
// selected. usual reports whether one of them has a startup of its own.
func (c *Commands) languageOptions(selected string) (options []interaction.Option, usual bool) {
	for _, l := range c.forms.Languages {
		options = append(options, interaction.Option{
			Label: l.Label, Value: l.ID, Default: l.ID == selected,
			Description: sanitize.Plain(strings.Trim(l.Command+" · "+l.EntryFile, " ·"), maxOptionText),
		})
		usual = usual || l.Startup != hostapi.Startup{}
	}
	return options, usual
}

// maxOptionText is how many characters Discord takes as the label or the description of an
// option (https://discord.com/developers/docs/components/reference#string-select-select-option-structure).
const maxOptionText = 100

// create creates the bot that was described in the form.
func (c *Commands) create(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
	chosen, err := c.chosenSizes(ctx, r)
	if err != nil {
		return interaction.Response{}, err
	}
	wanted, err := c.described(r)
	if err != nil {
		return interaction.Response{}, err
	}
	wanted.RAMMB, wanted.DiskMB, wanted.CPUPercent = chosen.ramMB, chosen.diskMB, chosen.cpuPercent
	a := creation(wanted)
	a.starts = r.Fields[inputStart] == interaction.Ticked && c.hosting.Offers(hostapi.OpStart)
	return c.begin(ctx, r, a, bot{server: hostapi.Server{Name: wanted.Name}})
}

// described returns the bot that was described in the form, without its sizes. How it
// is started follows from the language where the form does not say it.
func (c *Commands) described(r *interaction.Request) (hostapi.NewServer, error) {
	name := strings.TrimSpace(r.Fields[inputName])
	i := slices.IndexFunc(c.forms.Languages, func(l hostapi.Language) bool { return l.ID == r.Fields[inputLanguage] })
	switch {
	case name == "":
		return hostapi.NewServer{}, missing("modal.create.name")
	case i < 0:
		return hostapi.NewServer{}, missing("modal.create.language")
	}
	startup, usual := enteredStartup(r), c.forms.Languages[i].Startup
	startup = hostapi.Startup{Command: cmp.Or(startup.Command, usual.Command), EntryFile: cmp.Or(startup.EntryFile, usual.EntryFile)}
	return hostapi.NewServer{
		Name: name, Language: c.forms.Languages[i].ID, EntryFile: startup.EntryFile, StartupCommand: startup.Command,
	}, checkStartup(startup)
}

// creation creates a bot from a draft that has no ID.
func creation(wanted hostapi.NewServer) action {
	return action{name: "create", op: hostapi.OpCreate, do: func(ctx context.Context, h Hosting, userID string, _ hostapi.Server) (hostapi.Server, error) {
		return h.Create(ctx, userID, wanted)
	}}
}

// startCreated tells of a creation, and starts the bot where it is there and at rest.
func (c *Commands) startCreated(ctx context.Context, r *interaction.Request, created result) interaction.Response {
	start, _ := actionNamed("start")
	v, state := c.view(r), conditionOf(created.server).state
	switch {
	case created.outcome() == interaction.Failed, created.outcome() == interaction.Refused, created.err == nil && state == up:
		return c.told(ctx, r, created)
	case created.err != nil || !start.in.has(state):
		created.note = v.t.Text("create.not_started")
		return c.told(ctx, r, created)
	}
	second := *r
	second.ID += "/start" // an interaction acts once, and this is its second action
	response, err := c.begin(ctx, &second, start, created.bot)
	if err != nil {
		created.note = v.t.Text("create.not_started") + "\n" + v.explain(err).text
		return c.told(ctx, r, created)
	}
	before := func(response interaction.Response) interaction.Response {
		embed := response.Message.Embeds[0]
		embed.Description = paragraphs(v.ending(created), embed.Description)
		return response
	}
	work := response.Then.Run
	response.Then.Run = func(ctx context.Context) (interaction.Response, error) {
		end, err := work(ctx)
		return before(end), err
	}
	response.Action = created.forStaff()
	return before(response)
}

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
		used, _ := l.RAM()
		free = a.PlanRAMMB - used
	}
	if free > 0 && (a.MaxServers <= 0 || a.ServerCount < a.MaxServers) {
		return free, nil
	}
	links := func(v view) []discordgo.Button { return []discordgo.Button{v.toBots(), v.toUpgrade()} }
	return 0, &refusal{reason: "the plan has no room for another bot", links: links, final: true, explain: func(v view) string {
		key, left := "create.full", orDash("")
		if a.MaxServers <= 0 {
			key = "create.full_ram"
		}
		if a.PlanRAMMB > 0 {
			left = v.t.Size(max(0, free))
		}
		return v.t.Format(key, args{
			"Plan": orDash(sanitize.Markdown(a.PlanName, wordLimit)), "Bots": a.ServerCount, "Max": a.MaxServers,
			"RAM": left, "Granted": v.t.Size(a.PlanRAMMB),
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

// readSizes takes sizes from a request's parameters, and reports whether all of them
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
	return v.drawOf(s, idCreate+chosen.customID(), embed,
		menu("ram", ramOptions(free), chosen.ramMB, v.t.Size),
		menu("disk", diskOptions(), chosen.diskMB, v.t.Size),
		menu("cpu", cpuOptions(), chosen.cpuPercent, v.t.CPU),
		row(v.button(discordgo.PrimaryButton, "button.continue", idCreate+chosen.customID(), false)),
	)
}
