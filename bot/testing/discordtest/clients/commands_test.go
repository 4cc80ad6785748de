//go:build integration

package clients

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"hostbot/bot/testing/discordtest"
)

// Types of options.
const (
	optionSubcommand = 1
	optionString     = 3
	optionInteger    = 4
	optionBoolean    = 5
	optionUser       = 6
	optionChannel    = 7
)

func registersCommands(t *testing.T, s *scene) {
	// Libraries differ in what they say of the rest.
	unsaid := cmpopts.IgnoreFields(discordtest.Command{}, "ID", "Version", "DMPermission", "Contexts", "IntegrationTypes")
	sorted := cmpopts.SortSlices(func(a, b discordtest.Command) bool { return a.Name < b.Name })
	if diff := cmp.Diff(registered(), s.discord.Commands(), unsaid, sorted, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("registered (-want +got):\n%s", diff)
	}
}

func registered() []discordtest.Command {
	manageGuild := "32"
	return []discordtest.Command{
		{Type: discordtest.ChatCommand, Name: "order", Description: "Your orders", Options: []discordtest.CommandOption{
			{Type: optionSubcommand, Name: "create", Description: "Order something", Options: []discordtest.CommandOption{
				{Type: optionString, Name: "item", Description: "What to order", Required: true, Autocomplete: true},
				{Type: optionInteger, Name: "amount", Description: "How many", MinValue: pointer(1.0), MaxValue: pointer(10.0)},
				{Type: optionBoolean, Name: "express", Description: "Send it today"},
				{Type: optionUser, Name: "recipient", Description: "Who gets it"},
			}},
			{Type: optionSubcommand, Name: "status", Description: "Ask where an order is", Options: []discordtest.CommandOption{
				{Type: optionInteger, Name: "number", Description: "Number of the order", Required: true, MinValue: pointer(1.0)},
			}},
		}},
		{
			Type: discordtest.ChatCommand, Name: "announce", Description: "Write to a channel",
			DefaultMemberPermissions: &manageGuild,
			Options: []discordtest.CommandOption{
				{Type: optionString, Name: "text", Description: "What to write", Required: true, MaxLength: pointer(200)},
				{Type: optionChannel, Name: "channel", Description: "Where to write it", ChannelTypes: []int{0, 5}},
			},
		},
		{Type: discordtest.ChatCommand, Name: "feedback", Description: "Tell us what you think"},
		{Type: discordtest.ChatCommand, Name: "count", Description: "Count in messages", Options: []discordtest.CommandOption{
			{Type: optionInteger, Name: "to", Description: "The last number", Required: true, MinValue: pointer(1.0), MaxValue: pointer(20.0)},
		}},
		{Type: discordtest.ChatCommand, Name: "help", Description: "List the commands"},
		{Type: discordtest.UserCommand, Name: "Greet"},
	}
}

func pointer[T any](value T) *T { return &value }

func readsCommandsBack(t *testing.T, s *scene) {
	want := []string{"Greet", "announce text channel", "count to", "feedback", "help", "order create status"}
	v := s.anna.Types(t, "/help").WaitFor(t, "help")
	lines := strings.Split(v.Content, "\n")
	slices.Sort(lines)
	if !slices.Equal(lines, want) {
		t.Errorf("read back %q, want %q", lines, want)
	}
}
