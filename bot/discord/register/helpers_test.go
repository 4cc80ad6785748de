package register_test

import (
	"flag"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bwmarrin/discordgo"
	"github.com/redis/go-redis/v9"
	"github.com/rs/zerolog"
	"go.uber.org/goleak"

	"hostbot/bot/discord/register"
	"hostbot/bot/discord/rest"
	"hostbot/bot/store/redisclient"
	"hostbot/bot/testing/discordtest"
	"hostbot/hostapi/redistest"
	"hostbot/hostapi/secret"
)

// Words of these tests:
//
//	stage      a Discord and a Redis at which the program is started again and again
//	sync       one start, which registers what is wanted
//	writes     how many lists of commands were overwritten so far
//	customers  the commands of customers; staffs are those of staff

func TestMain(m *testing.M) {
	redisclient.RedirectLibraryLog(zerolog.Nop())
	if err := flag.Set("test.parallel", "8"); err != nil { // as the tests mostly wait for room under the limit on requests
		panic(err)
	}
	goleak.VerifyTestMain(m)
}

// stage is a Discord and a Redis at which the program is started again and again.
type stage struct {
	discord *discordtest.Server
	redis   *redistest.Server
	client  redis.UniversalClient
	rest    *rest.Client
	staff   *staff
}

func newStage(t *testing.T) *stage {
	t.Helper()
	discord := discordtest.RunT(t, discordtest.Config{NoRateLimits: true})
	server := redistest.StartMiniredis(t)
	client := redis.NewClient(&redis.Options{Addr: server.Addr(), MaxRetries: -1, DialerRetries: 1, DialTimeout: time.Second})
	t.Cleanup(func() { _ = client.Close() })
	api := rest.New(secret.Text(discord.Token()), discord.URL())
	t.Cleanup(api.Close)
	return &stage{discord, server, client, api, &staff{}}
}

// registrar returns that of a new start.
func (s *stage) registrar() *register.Registrar { return register.New(s.config()) }

func (s *stage) config() register.Config {
	return register.Config{
		Session: s.rest.Session(), Redis: s.client,
		Staff: s.staff, Log: zerolog.Nop(), Timing: register.Timing{First: time.Millisecond, Longest: 20 * time.Millisecond},
	}
}

// sync starts anew and tries once.
func (s *stage) sync(t *testing.T, wanted ...register.Scope) {
	t.Helper()
	if err := s.registrar().Sync(t.Context(), wanted); err != nil {
		t.Fatal(err)
	}
}

// writes counts the overwrites so far.
func (s *stage) writes() int {
	n := 0
	for _, call := range s.discord.Calls() {
		if call.Method == http.MethodPut {
			n++
		}
	}
	return n
}

// names returns the names of the commands of a guild or, where guildID is empty,
// of the global ones, in alphabetical order.
func (s *stage) names(guildID string) string {
	var names []string
	for _, c := range s.discord.CommandsIn(guildID) {
		names = append(names, c.Name)
	}
	slices.Sort(names)
	return strings.Join(names, " ")
}

// staff notes what staff are told.
type staff struct{ told []string }

func (s *staff) CommandsUpdated()             { s.note("updated") }
func (s *staff) CommandsRefused(reason error) { s.note("refused: " + reason.Error()) }
func (s *staff) LocalizationsRefused(which []string) {
	s.note("left out: " + strings.Join(which, "; "))
}
func (s *staff) GuildRefused(guildID, inviteURL string, reason error) {
	s.note("refused in " + guildID + ": " + reason.Error() + " " + inviteURL)
}
func (s *staff) note(text string) { s.told = append(s.told, text) }

// customers returns commands as customers have them.
func customers() []*discordgo.ApplicationCommand {
	return []*discordgo.ApplicationCommand{
		{
			Type: discordgo.ChatApplicationCommand, Name: "bot", Description: "Your bots",
			NameLocalizations: &map[discordgo.Locale]string{"de": "bot"},
			Options: []*discordgo.ApplicationCommandOption{{
				Type: discordgo.ApplicationCommandOptionSubCommand, Name: "show", Description: "Show one",
				NameLocalizations: map[discordgo.Locale]string{"tr": "göster"},
				Options: []*discordgo.ApplicationCommandOption{{
					Type: discordgo.ApplicationCommandOptionString, Name: "bot", Description: "Which", Required: true, Autocomplete: true,
				}},
			}, {
				Type: discordgo.ApplicationCommandOptionSubCommand, Name: "list", Description: "List them",
			}},
		},
		{
			Type: discordgo.ChatApplicationCommand, Name: "plan", Description: "Your plan 👍",
		},
	}
}

// staffs returns commands as staff have them.
func staffs() []*discordgo.ApplicationCommand {
	manage := int64(discordgo.PermissionManageGuild)
	return []*discordgo.ApplicationCommand{
		{
			Type: discordgo.ChatApplicationCommand, Name: "admin", Description: "For staff", DefaultMemberPermissions: &manage,
			Options: []*discordgo.ApplicationCommandOption{{
				Type: discordgo.ApplicationCommandOptionString, Name: "do", Description: "What",
				Choices: []*discordgo.ApplicationCommandOptionChoice{
					{Name: "Start", NameLocalizations: map[discordgo.Locale]string{"de": "Starten"}, Value: "start"},
				},
			}},
		},
		{Type: discordgo.UserApplicationCommand, Name: "Hosted bots", DefaultMemberPermissions: &manage},
	}
}

func in(guildID string, commands []*discordgo.ApplicationCommand) register.Scope {
	return register.Scope{GuildID: guildID, Commands: commands}
}
