package commands

import (
	"context"
	"maps"
	"strings"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/interaction"
	"hostbot/hostapi"
	"hostbot/hostapi/accounts"
)

// chooseSizes shows what the plan leaves and lets sizes be chosen. A select menu
// says which size it changes, and carries the others.
func (c *Commands) chooseSizes(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
	params := maps.Clone(r.Params)
	if what := params["what"]; what != "" {
		params[what] = r.Value()
	}
	return c.shown(ctx, r, func(l hostapi.List, a age) (interaction.Response, error) {
		free, err := freeRAM(l)
		if err != nil {
			return interaction.Response{}, err
		}
		chosen, _ := readSizes(free, params)
		return c.view(r).drawSizes(l, a, free, chosen), nil
	})
}

// chosenSizes returns the sizes that a request carries. It refuses those for which
// the plan has no room any more: the choice is the customer's, and not to be changed
// behind their back.
func (c *Commands) chosenSizes(ctx context.Context, r *interaction.Request) (sizes, error) {
	return read(ctx, c, r, func(s accounts.Snapshot) (sizes, error) {
		free, err := freeRAM(s.List)
		if err != nil {
			return sizes{}, err
		}
		chosen, fits := readSizes(free, r.Params)
		if !fits {
			return sizes{}, refuse("the plan has no room any more for the sizes", "create.changed")
		}
		return chosen, nil
	})
}

// The input of the modal for a new bot, beside those of the startup.
const (
	inputLanguage   = "language"
	defaultLanguage = "NODE" // the one that the service's document names
)

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

// create creates the bot that was described in the form.
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
		return interaction.Response{}, badInput()
	}
	return c.begin(ctx, r, creation(wanted), bot{server: hostapi.Server{Name: wanted.Name}})
}

// creation creates a bot from a draft that has no ID.
func creation(wanted hostapi.NewServer) action {
	return action{name: "create", op: hostapi.OpCreate, do: func(ctx context.Context, h Hosting, userID string, _ hostapi.Server) (hostapi.Server, error) {
		return h.Create(ctx, userID, wanted)
	}}
}
