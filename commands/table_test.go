package commands_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/interaction"
	"hostbot/commands"
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
	want := "bot list, bot show, bot restart, bot start, bot stop, bot reinstall, bot startup, bot delete, bot create, plan, help, " +
		"admin lookup, admin action, admin refresh, admin forget, admin reference, admin status, admin logs test, Hosted bots"
	if got := strings.Join(names, ", "); got != want {
		t.Errorf("registered: %s\nwant: %s", got, want)
	}
}

// TestWhoIsOfferedACommand: Discord offers it to nobody who lacks its permission.
func TestWhoIsOfferedACommand(t *testing.T) {
	customers, staff := watching(t, &watched{w: &world{}}).Definitions()
	for i, d := range slices.Concat(customers, staff) {
		want := int64(0)
		switch {
		case i >= len(customers):
			want = discordgo.PermissionManageGuild
		case d.Name == "panel":
			want = discordgo.PermissionManageMessages
		}
		if got := d.DefaultMemberPermissions; (got == nil) != (want == 0) || got != nil && *got != want {
			t.Errorf("%s is offered to those with %v, want %d", d.Name, got, want)
		}
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

// TestHelpListsEveryCommandByPurpose has every command in the help that customers can type, but itself.
func TestHelpListsEveryCommandByPurpose(t *testing.T) {
	c := newCommands(t, &world{})
	help := answer(t, c, command("help", nil)).Message
	wantText(t, help, "Start with `/bot list`", "**View** · `/bot list` `/bot show` `/plan`",
		"**Manage** · `/bot restart` `/bot start` `/bot stop` `/bot reinstall` `/bot startup` `/bot delete` `/bot create`")
	if strings.Contains(text(help), "Get notified") {
		t.Errorf("nothing is watched, and it says\n%s", text(help))
	}
	wantText(t, answer(t, watching(t, &watched{w: &world{}}), command("help", nil)).Message, "`/bot history`", "**Get notified** · `/alerts` `/panel`")
	wantText(t, answer(t, c, inLanguage("tr", command("help", nil))).Message, "`/bot listele`", "`/plan`")
}

// TestHelpBeginsWithTheWayToAnAccount is for somebody whom the hosting service does not know.
func TestHelpBeginsWithTheWayToAnAccount(t *testing.T) {
	w := &world{
		links: commands.Links{Panel: "https://host.example", SignUp: "https://host.example/new"},
		err:   &hostapi.Error{Code: hostapi.CodeNotFound, Op: hostapi.OpList},
	}
	help := answer(t, newCommands(t, w), command("help", nil))
	sendable(t, help)
	wantText(t, help.Message, "What I can do\nℹ️ No hosting account is linked", "**View** ·")
	if got := labels(help.Message); !strings.HasPrefix(got, "Create an account") {
		t.Errorf("the way is %s", got)
	}
	w.err = &hostapi.Error{Code: hostapi.CodeUnavailable, Op: hostapi.OpList}
	if help := answer(t, newCommands(t, w), command("help", nil)).Message; strings.Contains(text(help), "ℹ️") {
		t.Errorf("while the service is away it says\n%s", text(help))
	}
}
