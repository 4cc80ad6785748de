package discordtest_test

import (
	"strings"
	"testing"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/discordtest"
)

// respond answers an interaction and reports a failure to the test.
func respond(t *testing.T, s *discordgo.Session, i *discordgo.InteractionCreate, kind discordgo.InteractionResponseType, data *discordgo.InteractionResponseData) {
	if err := s.InteractionRespond(i.Interaction, &discordgo.InteractionResponse{Type: kind, Data: data}); err != nil {
		t.Errorf("respond: %v", err)
	}
}

func row(components ...discordgo.MessageComponent) discordgo.MessageComponent {
	return discordgo.ActionsRow{Components: components}
}

func card(text string) *discordgo.InteractionResponseData {
	return &discordgo.InteractionResponseData{
		Flags:  discordgo.MessageFlagsEphemeral,
		Embeds: []*discordgo.MessageEmbed{{Title: "Shop", Description: text, Color: 0x00ff00}},
		Components: []discordgo.MessageComponent{
			row(discordgo.Button{Label: "Restart", Style: discordgo.PrimaryButton, CustomID: "restart"},
				discordgo.Button{Label: "Stop", Style: discordgo.DangerButton, CustomID: "stop", Disabled: true},
				discordgo.Button{Label: "Rename", Style: discordgo.SecondaryButton, CustomID: "rename"}),
			row(discordgo.SelectMenu{CustomID: "open", Placeholder: "Open a bot", Options: []discordgo.SelectMenuOption{
				{Label: "Shop", Value: "1"}, {Label: "Music", Value: "2"},
			}}),
		},
	}
}

// hosting answers as a hosting bot would.
func hosting(t *testing.T) func(*discordgo.Session, *discordgo.InteractionCreate) {
	return func(s *discordgo.Session, i *discordgo.InteractionCreate) {
		switch i.Type {
		case discordgo.InteractionApplicationCommand:
			data := i.ApplicationCommandData()
			if data.Options[0].Name == "list" {
				respond(t, s, i, discordgo.InteractionResponseDeferredChannelMessageWithSource, &discordgo.InteractionResponseData{Flags: discordgo.MessageFlagsEphemeral})
				content := "two bots"
				if _, err := s.InteractionResponseEdit(i.Interaction, &discordgo.WebhookEdit{Content: &content}); err != nil {
					t.Errorf("edit: %v", err)
				}
				return
			}
			respond(t, s, i, discordgo.InteractionResponseChannelMessageWithSource, card("Online: "+data.Options[0].Options[0].StringValue()))
		case discordgo.InteractionApplicationCommandAutocomplete:
			typed := i.ApplicationCommandData().Options[0].Options[0]
			if !typed.Focused {
				t.Errorf("option %q is not focused", typed.Name)
			}
			respond(t, s, i, discordgo.InteractionApplicationCommandAutocompleteResult, &discordgo.InteractionResponseData{
				Choices: []*discordgo.ApplicationCommandOptionChoice{{Name: typed.StringValue() + "op", Value: "1"}},
			})
		case discordgo.InteractionMessageComponent:
			switch data := i.MessageComponentData(); data.CustomID {
			case "restart":
				respond(t, s, i, discordgo.InteractionResponseUpdateMessage, card("Restarting"))
				if _, err := s.FollowupMessageCreate(i.Interaction, true, &discordgo.WebhookParams{Content: "Restarted", Flags: discordgo.MessageFlagsEphemeral}); err != nil {
					t.Errorf("follow-up: %v", err)
				}
			case "open":
				respond(t, s, i, discordgo.InteractionResponseChannelMessageWithSource, &discordgo.InteractionResponseData{Content: "opened " + data.Values[0]})
			case "rename":
				respond(t, s, i, discordgo.InteractionResponseModal, &discordgo.InteractionResponseData{
					CustomID: "name", Title: "Rename", Components: []discordgo.MessageComponent{
						row(discordgo.TextInput{CustomID: "to", Label: "New name", Style: discordgo.TextInputShort, Required: true, MaxLength: 10}),
					},
				})
			}
		case discordgo.InteractionModalSubmit:
			input := i.ModalSubmitData().Components[0].(*discordgo.ActionsRow).Components[0].(*discordgo.TextInput)
			respond(t, s, i, discordgo.InteractionResponseUpdateMessage, card("Named "+input.Value))
		}
	}
}

func TestPeopleUseABot(t *testing.T) {
	discord := discordtest.RunT(t, discordtest.Config{Clock: still()})
	bot(t, discord, show(), hosting(t))
	anna, ben := discord.User("anna", discordtest.Locale("de")), discord.User("ben")

	reply := anna.Types(t, "/bot zeigen", discordtest.Options{"bot": "shop"})
	if v := reply.WaitFor(t, "Online: shop"); !v.Ephemeral || v.Version != 1 {
		t.Errorf("seen %+v, want the first version of an ephemeral message", v)
	}
	if n := len(anna.Messages()); n != 1 {
		t.Errorf("anna sees %d messages, want her own", n)
	}
	if n := len(ben.Messages()); n != 0 {
		t.Errorf("ben sees %d messages of anna's", n)
	}

	press := reply.Press(t, "Restart")
	press.WaitFor(t, "Restarting")
	if v := reply.View(); v.Version != 2 || v.ID != press.View().ID {
		t.Errorf("the press should have updated the message, seen %+v", v)
	}
	press.WaitForFollowUp(t, "Restarted")
	if n := len(press.FollowUps()); n != 1 {
		t.Errorf("%d follow-ups, want 1", n)
	}
	if h := reply.History(); len(h) != 2 || !h[0].Contains("Online") || !h[1].Contains("Restarting") {
		t.Errorf("history %+v", h)
	}

	opened := reply.Choose(t, "Open a bot", "Music").WaitFor(t, "opened 2")
	if opened.Ephemeral || len(ben.Messages()) != 1 {
		t.Errorf("ben should see the message for all: %+v", ben.Messages())
	}

	asked := reply.Press(t, "Rename")
	if v := asked.View(); v.State != discordtest.Asking || v.Modal.Title != "Rename" {
		t.Fatalf("seen %+v, want a modal", v)
	}
	asked.Submit(t, discordtest.Fields{"New name": "Store"}).WaitFor(t, "Named Store")
	reply.WaitFor(t, "Named Store")

	if got := anna.Completes(t, "/bot show", "bot", "sh"); len(got) != 1 || got[0].Name != "shop" {
		t.Errorf("suggested %+v, want shop", got)
	}
	list := ben.InDM().Types(t, "/bot list").WaitFor(t, "two bots")
	if list.State != discordtest.Shown || list.Version != 2 {
		t.Errorf("seen %+v, want the second version", list)
	}
}

func TestWhatAUserCanNotDo(t *testing.T) {
	discord := discordtest.RunT(t, discordtest.Config{Clock: still()})
	bot(t, discord, show(), hosting(t))
	anna := discord.User("anna")
	reply := anna.Types(t, "/bot show", discordtest.Options{"bot": "shop"})
	ctx := limit(t)
	modal := reply.Press(t, "Rename")

	for name, tc := range map[string]struct {
		do   func() error
		want string
	}{
		"unknown command":    {func() error { _, err := anna.Command(ctx, "/plan", nil); return err }, "/bot"},
		"unknown subcommand": {func() error { _, err := anna.Command(ctx, "/bot stop", nil); return err }, `"show", "list"`},
		"no subcommand":      {func() error { _, err := anna.Command(ctx, "/bot", nil); return err }, "needs a subcommand"},
		"missing option":     {func() error { _, err := anna.Command(ctx, "/bot show", nil); return err }, `"bot" is required`},
		"unknown option": {func() error {
			_, err := anna.Command(ctx, "/bot list", discordtest.Options{"page": 1})
			return err
		}, `no option "page"`},
		"wrong type": {func() error {
			_, err := anna.Command(ctx, "/bot show", discordtest.Options{"bot": 7})
			return err
		}, "no string"},
		"missing button":  {func() error { _, err := reply.Click(ctx, "Start"); return err }, `there: "Restart", "Stop" (disabled)`},
		"disabled button": {func() error { _, err := reply.Click(ctx, "Stop"); return err }, `disabled`},
		"missing choice":  {func() error { _, err := reply.Pick(ctx, "Open a bot", "Web"); return err }, `"Shop", "Music"`},
		"too many": {func() error {
			_, err := reply.Pick(ctx, "Open a bot", "Shop", "Music")
			return err
		}, "1 to 1"},
		"long field": {func() error {
			_, err := modal.Fill(ctx, discordtest.Fields{"to": strings.Repeat("x", 11)})
			return err
		}, "1 to 10"},
		"somebody else's message": {func() error {
			_, err := discord.User("ben").Click(ctx, reply.View().ID, "restart")
			return err
		}, "sees no message"},
	} {
		t.Run(name, func(t *testing.T) {
			if err := tc.do(); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v, want an error with %q", err, tc.want)
			}
		})
	}
	if err := anna.Dismiss(reply.View().ID); err != nil {
		t.Error(err)
	}
	if v := reply.View(); v.State != discordtest.Deleted {
		t.Errorf("state %v after it was dismissed", v.State)
	}
}
