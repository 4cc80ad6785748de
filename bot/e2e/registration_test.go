package e2e_test

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"hostbot/bot/discordtest"
	"hostbot/hostapi/redistest"
)

// registered returns the names of the commands of a guild or, where guildID is
// empty, of the global ones, in alphabetical order.
func (w *world) registered(guildID string) string {
	var names []string
	for _, c := range w.discord.CommandsIn(guildID) {
		names = append(names, c.Name)
	}
	slices.Sort(names)
	return strings.Join(names, " ")
}

// waitForCommands waits until a list has these commands.
func (w *world) waitForCommands(t *testing.T, guildID, names string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	if _, err := w.discord.WaitCall(ctx, func(discordtest.Call) bool { return w.registered(guildID) == names }); err != nil {
		t.Fatalf("the list %q has %q, want %q", guildID, w.registered(guildID), names)
	}
}

// overwrites counts the lists of commands that were sent so far.
func (w *world) overwrites() int {
	n := 0
	for _, call := range w.discord.Calls() {
		if call.Method == http.MethodPut {
			n++
		}
	}
	return n
}

const customersCommands, staffsCommands = "bot help plan", "Hosted bots admin"

// Nobody sees a command twice, whatever guilds the configuration named before.
func TestCommandsDoNotDouble(t *testing.T) {
	t.Parallel()
	redistest.Each(t, func(t *testing.T, redis string) {
		t.Parallel()
		w := newWorld(t, redis)
		anna := w.addAnna(t, "Shop")
		own, other := w.discord.GuildID(), w.discord.AddGuild()
		w.discord.Invite(other)
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
		} {
			w.env, w.log = step.env, &logBuffer{}
			stop := w.start(t)
			w.waitForCommands(t, "", step.global)
			w.waitForCommands(t, own, step.ownGuild)
			w.waitForCommands(t, other, step.otherGuild)
			if step.otherGuild != customersCommands {
				anna.Types(t, "/bot list").WaitFor(t, "🟢 Shop")
			}
			if err := stop(); err != nil {
				t.Fatalf("%s: %v", step.name, err)
			}
		}
	})
}

// A second start sends nothing, in whatever way Discord reads the commands back.
func TestCommandsAsDiscordReadsThemBack(t *testing.T) {
	t.Parallel()
	for name, readBack := range discordtest.ReadBacks() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, _, _ := newStaffedWorld(t, "")
			w.discord.SetReadBack(readBack)
			w.discord.SetApplication(discordtest.ApplicationSettings{Installs: []int{0, 1}, Activities: true})
			for range 2 {
				w.log = &logBuffer{}
				if err := w.start(t)(); err != nil {
					t.Fatal(err)
				}
			}
			if n := w.overwrites(); n != 2 {
				t.Errorf("two starts overwrote %d lists, want the global one and staff's once", n)
			}
			if got, want := w.registered(""), "bot help launch plan"; got != want {
				t.Errorf("the global list has %q, want %q", got, want)
			}
		})
	}
}

// An application that only guilds may install gets its commands all the same.
func TestAnApplicationWithoutUserInstall(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	anna := w.addAnna(t, "Shop")
	w.discord.SetApplication(discordtest.ApplicationSettings{Installs: []int{discordtest.GuildInstall}})
	w.start(t)
	anna.Types(t, "/bot list").WaitFor(t, "🟢 Shop")
	anna.InDM().Types(t, "/bot list").WaitFor(t, "🟢 Shop")
}

// The staff's guild gets its commands when the bot is invited, without a restart.
func TestTheBotIsInvitedToTheStaffsGuild(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	anna := w.addAnna(t, "Shop")
	guild := w.discord.AddGuild()
	w.env = append(w.env, "ADMIN_GUILD_ID="+guild, "ADMIN_USER_IDS=1")
	w.launch(t)
	w.waitForLog(t, "does not take the commands of guild "+guild, "50001", "Missing Access",
		"https://discord.com/oauth2/authorize?client_id="+w.discord.ApplicationID()+"&scope=bot+applications.commands&guild_id="+guild)
	anna.Types(t, "/help").WaitFor(t, "</bot list:")
	w.discord.Invite(guild)
	w.waitForCommands(t, guild, staffsCommands)
	w.log.waitFor(t, "the commands are registered")
}

// Where Discord sends interactions elsewhere, staff read why nobody is answered.
func TestInteractionsThatGoElsewhere(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	w.discord.SetApplication(discordtest.ApplicationSettings{InteractionsEndpointURL: "https://old.example.com/hook?key=1"})
	w.start(t)
	w.waitForLog(t, "No command or button reaches this bot", "old.example.com", "Developer Portal")
	w.log.waitFor(t, "Interactions Endpoint URL")
	if strings.Contains(w.log.String(), "key=1") {
		t.Error("the log has all of the address")
	}
}
