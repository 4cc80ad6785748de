package e2e_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"hostbot/bot/testing/discordtest"
	"hostbot/bot/testing/e2e/world"
	"hostbot/hostapi/redistest"
)

// registered returns the names of the commands of a guild or, where guildID is
// empty, of the global ones, in alphabetical order.
func registered(w *world.World, guildID string) string {
	var names []string
	for _, c := range w.Discord.CommandsIn(guildID) {
		names = append(names, c.Name)
	}
	slices.Sort(names)
	return strings.Join(names, " ")
}

// waitForCommands waits until a list has these commands.
func waitForCommands(t *testing.T, w *world.World, guildID, names string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), world.Patience)
	defer cancel()
	if _, err := w.Discord.WaitCall(ctx, func(discordtest.Call) bool { return registered(w, guildID) == names }); err != nil {
		t.Fatalf("the list %q has %q, want %q", guildID, registered(w, guildID), names)
	}
}

const customersCommands, staffsCommands = "alerts bot help panel plan", "Hosted bots admin"

// Nobody sees a command twice, whatever guilds the configuration named before.
func TestCommandsDoNotDouble(t *testing.T) {
	t.Parallel()
	redistest.Each(t, func(t *testing.T, redis string) {
		w := world.New(t, world.Options{Redis: redis})
		anna, env := w.AddCustomer("anna", "Shop"), w.Env
		own, other := w.Discord.GuildID(), w.Discord.AddGuild()
		w.Discord.Invite(other)
		for _, step := range []struct {
			name                         string
			env                          []string
			global, ownGuild, otherGuild string
		}{
			{"everywhere", nil, customersCommands, "", ""},
			{"DISCORD_GUILD_ID set", []string{"DISCORD_GUILD_ID=" + own}, "", customersCommands, ""},
			{"DISCORD_GUILD_ID changed", []string{"DISCORD_GUILD_ID=" + other}, "", "", customersCommands},
			{"ADMIN_GUILD_ID set", []string{"ADMIN_GUILD_ID=" + other, "ADMIN_USER_IDS=1"}, customersCommands, "", staffsCommands},
			{"ADMIN_GUILD_ID changed", []string{"ADMIN_GUILD_ID=" + own, "ADMIN_USER_IDS=1"}, customersCommands, staffsCommands, ""},
			{"ADMIN_GUILD_ID unset", nil, customersCommands, "", ""},
			{"both the same", []string{"DISCORD_GUILD_ID=" + own, "ADMIN_GUILD_ID=" + own, "ADMIN_USER_IDS=1"}, "", staffsCommands + " " + customersCommands, ""},
			{"everywhere again", nil, customersCommands, "", ""},
		} {
			w.Env = append(slices.Clone(env), step.env...)
			stop := w.Start(t)
			waitForCommands(t, w, "", step.global)
			waitForCommands(t, w, own, step.ownGuild)
			waitForCommands(t, w, other, step.otherGuild)
			if step.otherGuild != customersCommands {
				anna.Types(t, "/bot list").WaitFor(t, "🟢 Shop")
			}
			if err := stop(); err != nil {
				t.Fatalf("%s: %v", step.name, err)
			}
		}
	})
}

// The staff's guild gets its commands when the bot is invited, without a restart.
func TestCommandsOfAGuildThatTheBotIsInvitedTo(t *testing.T) {
	t.Parallel()
	w := world.New(t, world.Options{})
	anna := w.AddCustomer("anna", "Shop")
	guild := w.Discord.AddGuild()
	w.Env = append(w.Env, "ADMIN_GUILD_ID="+guild, "ADMIN_USER_IDS=1")
	w.Launch(t)
	w.StaffRead(t, "rejected the commands of server "+guild, "50001", "Missing Access",
		"https://discord.com/oauth2/authorize?client_id="+w.Discord.ApplicationID()+"&scope=bot+applications.commands&permissions=274877991936&guild_id="+guild)
	anna.Types(t, "/help").WaitFor(t, "</bot list:")
	w.Discord.Invite(guild)
	waitForCommands(t, w, guild, staffsCommands)
	w.Log.WaitFor(t, "the commands are registered")
}

// Where Discord sends interactions elsewhere, staff read why nobody is answered.
func TestInteractionsThatGoElsewhere(t *testing.T) {
	t.Parallel()
	world.AboutTheGateway(t)
	w := world.New(t, world.Options{})
	w.Discord.SetApplication(discordtest.ApplicationSettings{InteractionsEndpointURL: "https://old.example.com/hook?key=1"})
	w.Start(t)
	w.StaffRead(t, "No command or button reaches this bot", "old.example.com", "Developer Portal")
	w.Log.WaitFor(t, "Interactions Endpoint URL")
	if strings.Contains(w.Log.String(), "key=1") {
		t.Error("the log has all of the address")
	}
}
