package discordtest_test

import (
	"encoding/json"
	"testing"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/discordtest"
)

func TestMenuCommandsAreRegistered(t *testing.T) {
	discord := discordtest.RunT(t)
	c := newClient(t, discord)
	got := c.register(`[{"name":"a","description":"d"},{"type":2,"name":"a","description":""},{"type":3,"name":"a"},
		{"type":2,"name":"Hosted Bots","name_localizations":{"tr":"Barındırılan Botlar"},"default_member_permissions":"32"}]`)
	got.want(t, 200, 0)
	var list []struct {
		Type        int
		Name        string
		Description *string
	}
	if err := json.Unmarshal([]byte(got.text), &list); err != nil || len(list) != 4 {
		t.Fatalf("%v, answered %s", err, got.text)
	}
	for i, want := range []int{discordtest.ChatCommand, discordtest.UserCommand, discordtest.MessageCommand, discordtest.UserCommand} {
		if list[i].Type != want {
			t.Errorf("command %d has the type %d, want %d", i, list[i].Type, want)
		}
		if described := list[i].Description == nil || *list[i].Description != ""; described != (i == 0) {
			t.Errorf("command %d has the description %v", i, list[i].Description)
		}
	}
}

func TestAUsersContextMenu(t *testing.T) {
	discord := discordtest.RunT(t, discordtest.Config{Clock: still()})
	staff := discord.AddRole("Staff")
	sam, anna := discord.User("sam", discordtest.Locale("tr")), discord.User("anna", discordtest.Roles(staff.ID))
	commands := []*discordgo.ApplicationCommand{{
		Type: discordgo.UserApplicationCommand, Name: "Hosted Bots",
		NameLocalizations: &map[discordgo.Locale]string{discordgo.Turkish: "Barındırılan Botlar"},
	}}
	bot(t, discord, commands, func(s *discordgo.Session, i *discordgo.InteractionCreate) {
		data := i.ApplicationCommandData()
		text := "nobody"
		if user := data.Resolved.Users[data.TargetID]; user != nil && data.CommandType == discordgo.UserApplicationCommand {
			text = "a look at " + user.Username
		}
		if member := data.Resolved.Members[data.TargetID]; member != nil && len(member.Roles) == 1 && member.Roles[0] == staff.ID {
			text += ", one of the staff"
		}
		respond(t, s, i, discordgo.InteractionResponseChannelMessageWithSource, &discordgo.InteractionResponseData{Content: text})
	})

	sam.Uses(t, "Hosted Bots", anna).WaitFor(t, "a look at anna, one of the staff")
	sam.Uses(t, "Barındırılan Botlar", sam).WaitFor(t, "a look at sam")
	if v := sam.InDM().Uses(t, "Hosted Bots", anna).WaitFor(t, "a look at anna"); v.Contains("staff") {
		t.Errorf("in a DM nobody is a member: %s", v.Text())
	}
	if _, err := sam.Menu(limit(t), "hosted bots", anna); err == nil {
		t.Error("a command was found by a name that it does not have")
	}
	if _, err := sam.Start("/Hosted", nil); err == nil {
		t.Error("a command of the menu was typed")
	}
}
