package commands_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/interaction"
	"hostbot/hostapi"
	"hostbot/locale"
)

// leaves calls use for each command that a user can give, with its full name and options.
func leaves(above string, options []*discordgo.ApplicationCommandOption, use func(name string, options []*discordgo.ApplicationCommandOption)) {
	grouped := false
	for _, o := range options {
		if o.Type == discordgo.ApplicationCommandOptionSubCommand || o.Type == discordgo.ApplicationCommandOptionSubCommandGroup {
			grouped = true
			leaves(above+" "+o.Name, o.Options, use)
		}
	}
	if !grouped {
		use(above, options)
	}
}

func TestEveryRegisteredCommandIsServed(t *testing.T) {
	c := newCommands(t, &world{})
	router := interaction.NewRouter()
	c.Route(router)
	if err := router.Err(); err != nil {
		t.Fatal(err)
	}
	wantRoute := func(r interaction.Request) {
		if router.Route(&r); r.Route == "none" {
			t.Errorf("%s %s %s: not routed", r.Kind, r.Name, r.Focused)
		}
	}
	var names []string
	customers, staff := c.Definitions()
	for _, d := range slices.Concat(customers, staff) {
		if own := (*d.NameLocalizations)[locale.Default]; own != d.Name {
			t.Errorf("%s is %q in its own language", d.Name, own)
		}
		leaves(d.Name, d.Options, func(name string, options []*discordgo.ApplicationCommandOption) {
			names = append(names, name)
			wantRoute(command(name, nil))
			for _, o := range options {
				if o.Autocomplete {
					wantRoute(interaction.Request{Kind: interaction.Autocomplete, Name: name, Focused: o.Name})
				}
				if optional := strings.Contains(" bot show, bot start, bot stop, bot restart, bot reinstall,", " "+name+","); o.Required == optional || o.Description == "" || strings.HasPrefix(o.Description, "option.") {
					t.Errorf("%s: option %+v", name, o)
				}
				if own := o.NameLocalizations[locale.Default]; own != o.Name {
					t.Errorf("%s: option %s is %q in its own language", name, o.Name, own)
				}
				if n := len(locale.DiscordLocales()); len(o.NameLocalizations) != n || len(o.DescriptionLocalizations) != n {
					t.Errorf("%s: option %s is in %d and %d languages, want %d", name, o.Name, len(o.NameLocalizations), len(o.DescriptionLocalizations), n)
				}
			}
		})
	}
	want := "bot list, bot show, bot restart, bot stop, bot start, bot reinstall, bot startup, bot delete, bot create, plan, help, " +
		"admin lookup, admin action, admin refresh, admin forget, admin reference, admin status, admin logs test, Hosted bots"
	if got := strings.Join(names, ", "); got != want {
		t.Errorf("registered: %s\nwant: %s", got, want)
	}
}

func TestOperationsThatAreOffAreNeitherRegisteredNorShown(t *testing.T) {
	w := &world{list: account(server("a", "Shop", "")), off: map[hostapi.Operation]bool{
		hostapi.OpStart: true, hostapi.OpStop: true, hostapi.OpRestart: true, hostapi.OpReinstall: true,
		hostapi.OpUpdateStartup: true, hostapi.OpDelete: true, hostapi.OpCreate: true,
	}}
	c := newCommands(t, w)
	registered := func() string {
		var names []string
		customers, staff := c.Definitions()
		for _, d := range slices.Concat(customers[:1], staff[:1]) {
			leaves(d.Name, d.Options, func(name string, _ []*discordgo.ApplicationCommandOption) { names = append(names, name) })
		}
		return strings.Join(names, ", ")
	}
	if got := registered(); got != "bot list, bot show, admin lookup, admin refresh, admin forget, admin reference, admin status, admin logs test" {
		t.Errorf("registered: %s", got)
	}
	card := answer(t, c, press("show/a"))
	if got := labels(card.Message); got != "Refresh Details All bots" {
		t.Errorf("buttons %s", got)
	}
	w.off[hostapi.OpStart] = false
	if got := labels(answer(t, c, press("show/a")).Message); got != "Start | Refresh Details All bots" {
		t.Errorf("without Restart there is %s", got)
	}
	w.off[hostapi.OpStart] = true
	w.off[hostapi.OpStop] = false
	if got := registered(); !strings.Contains(got, "bot stop") || !strings.Contains(got, "admin action") {
		t.Errorf("registered: %s", got)
	}
}

func TestHelpListsEveryCommand(t *testing.T) {
	c := newCommands(t, &world{})
	wantText(t, answer(t, c, command("help", nil)).Message, "`/bot list` · See all your bots", "`/plan` · ", "`/help` · ")
	turkish := answer(t, c, inLanguage("tr", command("help", nil)))
	wantText(t, turkish.Message, "`/bot listele` · Tüm botlarını", "`/plan` · ")

	german := answer(t, c, inLanguage("de", command("help", nil)))
	customers, _ := c.Definitions()
	for _, o := range customers[0].Options {
		wantText(t, german.Message, o.DescriptionLocalizations["de"])
	}
}
