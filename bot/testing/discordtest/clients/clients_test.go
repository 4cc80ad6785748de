//go:build integration

package clients

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"hostbot/bot/testing/discordtest"
)

// administrator is Discord's permission that includes all others.
const administrator = 1 << 3

func TestDiscordJS(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Fatal("there is no Node (node) in PATH")
	}
	if _, err := os.Stat("discordjs/node_modules/discord.js"); err != nil {
		t.Fatal("discord.js is not installed: run npm ci in the folder discordjs")
	}
	judge(t, node, "discordjs/client.js")
}

func TestDisgo(t *testing.T) {
	program := filepath.Join(t.TempDir(), "disgo")
	if output, err := exec.Command("go", "build", "-o", program, "./disgo").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	judge(t, program)
}

// judge runs a program through the scenario.
func judge(t *testing.T, name string, args ...string) {
	t.Helper()
	discord := discordtest.RunT(t)
	s := &scene{
		discord: discord,
		anna:    discord.User("anna", discordtest.Locale("de"), discordtest.Permissions(administrator)),
		ben:     discord.User("ben"),
		news:    discord.AddChannel("news"),
		staff:   discord.AddChannel("staff"),
	}
	s.staff.Allow(discordtest.MissingAccess)
	start(t, discord, name, args...)
	for _, step := range scenario {
		t.Run(step.name, func(t *testing.T) { step.run(t, s) })
	}
}

// scene is who and what takes part in the scenario.
type scene struct {
	discord     *discordtest.Server
	anna, ben   *discordtest.User
	news, staff *discordtest.Channel // the bot cannot see staff
}

// scenario is what every client is asked for, in order. The steps do not depend
// on each other.
var scenario = []struct {
	name string
	run  func(*testing.T, *scene)
}{
	{"the commands are registered", registersCommands},
	{"the client reads its commands back", readsCommandsBack},

	{"a slash command with options of each kind", takesOptions},
	{"autocomplete", completes},
	{"a command with a deferred response, in a direct message", answersInDM},
	{"a button that updates its message", updatesByButton},
	{"a select menu", updatesBySelect},
	{"follow-ups, one of which is deleted", followsUp},
	{"a modal from a button", opensModalFromButton},
	{"a modal from a command", opensModalFromCommand},
	{"a user's context menu, a direct message and a mention", greets},

	{"a message with a nonce", sendsMessage},
	{"a message in another channel", sendsMessageElsewhere},
	{"a channel that the bot cannot see", tellsRefusal},

	{"a rate limit of a route", waitsFor(false)},
	{"a global rate limit", waitsFor(true)},
	{"more follow-ups than the limit allows at once", keepsRateLimit},

	{"a connection that is lost", resumes((*discordtest.Server).Drop)},
	{"a connection that Discord closes", resumes(func(d *discordtest.Server) { d.CloseWith(4000) })},
	{"a reconnect that Discord asks for", resumes((*discordtest.Server).AskReconnect)},
	{"a session that Discord ends", startsAnew},
}
