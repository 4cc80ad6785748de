package commands

import (
	"context"
	"errors"
	"maps"
	"strconv"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/interaction"
	"hostbot/bot/safetext"
	"hostbot/bot/turns"
	"hostbot/hostapi"
	"hostbot/hostapi/accounts"
)

// The inputs of the modal for a new bot, beside those of the startup.
const (
	inputLanguage   = "language"
	defaultLanguage = "NODE" // the one that the service's document names
)

// fullError says that the plan has no room for another bot.
type fullError struct {
	list hostapi.List
	room room
}

func (e *fullError) Error() string { return "the plan has no room for another bot" }

// changedRoomError says that the plan has no room any more for the sizes that
// were chosen.
type changedRoomError struct{}

func (changedRoomError) Error() string { return "the plan has no room any more for what was chosen" }

// needRoom returns a *fullError where the plan has no room: that is said before
// anything is filled in.
func needRoom(l hostapi.List) (room, error) {
	left := roomOf(l)
	if left.full() {
		return left, &fullError{l, left}
	}
	return left, nil
}

// chooseSizes shows what the plan leaves and lets sizes be chosen. A select menu
// says which size it changes, and carries the others.
func (c *Commands) chooseSizes(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
	params := maps.Clone(r.Params)
	if what := params["what"]; what != "" {
		params[what] = r.Value()
	}
	return c.shown(ctx, r, func(p *page, s accounts.Snapshot) (interaction.Message, error) {
		left, err := needRoom(s.List)
		if err != nil {
			return interaction.Message{}, err
		}
		return p.sizes(s.List, left, left.read(params)), nil
	})
}

// chosenSizes returns the sizes that a request carries, where the plan still has
// room for them.
func (c *Commands) chosenSizes(ctx context.Context, r *interaction.Request) (sizes, error) {
	var chosen sizes
	err := c.read(ctx, r, func(snapshot accounts.Snapshot) error {
		left, err := needRoom(snapshot.List)
		if err != nil {
			return err
		}
		var fits bool
		if chosen, fits = left.fitting(r.Params); !fits {
			return changedRoomError{}
		}
		return nil
	})
	return chosen, err
}

func (p *page) sizes(l hostapi.List, left room, chosen sizes) interaction.Message {
	p.subject = idCreate + chosen.customID()
	embed := &discordgo.MessageEmbed{Title: p.t.Text("create.title"), Description: p.noticed(p.room(l, left)), Color: blurple}
	menu := func(what, key string, options []int, current int, say func(int) string) discordgo.MessageComponent {
		return row(p.sizeMenu(idCreate+what+"/"+chosen.customID(), key, options, current, say))
	}
	return interaction.Message{
		Embeds: []*discordgo.MessageEmbed{embed},
		Components: []discordgo.MessageComponent{
			menu("ram", "card.ram", left.ramOptions(), chosen.ramMB, p.t.Size),
			menu("disk", "card.disk", diskOptions(), chosen.diskMB, p.t.Size),
			menu("cpu", "card.cpu", cpuOptions(), chosen.cpuPercent, p.t.Percent),
			row(p.button(discordgo.PrimaryButton, "button.continue", idCreate+chosen.customID(), false)),
		},
	}
}

// room says what the plan leaves, or nothing where it names no limits.
func (p *page) room(l hostapi.List, left room) string {
	if !left.limited || l.Account.PlanRAMMB <= 0 {
		return ""
	}
	return p.t.Format("create.room", args{
		"Plan": orDash(safetext.Markdown(l.Account.PlanName, wordLimit)),
		"Bots": p.t.Count("list.count", left.bots, nil), "RAM": p.t.Size(left.ramMB),
	})
}

func (p *page) sizeMenu(customID, key string, options []int, current int, say func(int) string) discordgo.SelectMenu {
	menu := discordgo.SelectMenu{MenuType: discordgo.StringSelectMenu, CustomID: customID, Placeholder: p.t.Text(key)}
	for _, n := range options {
		menu.Options = append(menu.Options, discordgo.SelectMenuOption{
			Label: p.t.Text(key) + ": " + say(n), Value: strconv.Itoa(n), Default: n == current,
		})
	}
	return menu
}

// askCreate opens the form for a bot of the sizes that were chosen.
func (c *Commands) askCreate(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
	chosen, err := c.chosenSizes(ctx, r)
	if err != nil {
		return interaction.Response{}, err
	}
	t := c.texts.For(r.Locale)
	return interaction.Open(&interaction.Dialog{
		CustomID: idCreate + chosen.customID(),
		Title:    t.Text("modal.create.title"),
		Components: []discordgo.MessageComponent{
			input(inputName, t.Text("modal.create.name"), ""),
			input(inputLanguage, t.Text("modal.create.language"), defaultLanguage),
			input(inputEntry, t.Text("modal.startup.entry"), "index.js"),
			input(inputCommand, t.Text("modal.startup.command"), "node index.js"),
		},
	}), nil
}

// create makes the bot that was described in the form.
func (c *Commands) create(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
	chosen, err := c.chosenSizes(ctx, r)
	if err != nil {
		return interaction.Response{}, err
	}
	entered := func(input string) string { return strings.TrimSpace(r.Fields[input]) }
	wanted := hostapi.NewServer{
		Name: entered(inputName), Language: strings.ToUpper(entered(inputLanguage)),
		EntryFile: entered(inputEntry), StartupCommand: entered(inputCommand),
		RAMMB: chosen.ramMB, DiskMB: chosen.diskMB, CPUPercent: chosen.cpuPercent,
	}
	if wanted.Name == "" || wanted.Language == "" || wanted.EntryFile == "" || wanted.StartupCommand == "" {
		return interaction.Response{}, badInputError{}
	}
	making := action{name: "create", op: hostapi.OpCreate}
	draft := hostapi.Server{Name: wanted.Name}
	end, err := c.turn(ctx, r, making, draft)
	if err != nil {
		return interaction.Response{}, err
	}

	p := c.page(r)
	p.notice = underWay(p.t, turns.Turn{Action: making.name, Since: time.Now()}, name(draft))
	response := p.respond(p.made(yellow))
	response.Then = func(ctx context.Context) (interaction.Response, error) {
		defer end()
		return c.finishCreate(ctx, r, making, wanted), nil
	}
	return response, nil
}

// finishCreate has the service create a bot, follows that until it has come to
// rest, and says how it ended.
func (c *Commands) finishCreate(ctx context.Context, r *interaction.Request, a action, wanted hostapi.NewServer) interaction.Response {
	started := time.Now()
	server, err := c.hosting.Create(ctx, r.CustomerID, wanted)
	made := err == nil
	c.accounts.Expire(ctx, r.CustomerID)
	if made {
		var bot known
		bot, err = c.follow(ctx, r.CustomerID, known{server: server})
		server = bot.server
		if errors.Is(err, goneError{}) {
			err = nil // it was made, though it is not listed yet
		}
	} else {
		server = hostapi.Server{Name: wanted.Name}
		err = c.missing(ctx, r.CustomerID, "", a.op, err)
	}
	took := time.Since(started)

	p := c.page(r)
	result := interaction.Action{Name: a.name, BotID: server.ID, BotName: server.Name, Duration: took, Outcome: outcome(err)}
	p.notice = p.ending(a, server, took, err)
	if err == nil && p.offers(hostapi.OpStart) && conditionOf(server.Status).offers("start") {
		p.notice += "\n" + p.t.Text("create.next")
	}
	color := orange
	if result.Outcome == interaction.Failed {
		color = red
		p.notice += p.reason(err)
	}
	response := p.respond(p.made(color))
	if made {
		response = p.respond(p.card(server))
	}
	response.Action, response.Failure, response.Told = &result, err, c.lacks.again(err)
	return response
}

// reason is why the service refused, in its own words, where it has any.
func (p *page) reason(err error) string {
	var service *hostapi.Error
	if isLacking(err) || !errors.As(err, &service) || service.Status >= 500 {
		return ""
	}
	words := safetext.Markdown(service.Detail, commandLimit)
	if words == "" {
		return ""
	}
	return "\n" + p.t.Format("create.reason", args{"Reason": words})
}

// made is the message while a bot is being made, and where it could not be.
func (p *page) made(color int) interaction.Message {
	p.subject = idCreate
	return interaction.Message{
		Embeds:     []*discordgo.MessageEmbed{{Title: p.t.Text("create.title"), Description: p.notice, Color: color}},
		Components: []discordgo.MessageComponent{row(p.button(discordgo.SecondaryButton, "button.back", idPage+"0", false))},
	}
}
