package clients

import (
	"testing"

	"hostbot/bot/discordtest"
)

// administrator is Discord's permission that includes all others.
const administrator = 1 << 3

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
	{"a slash command with what is required alone", takesRequiredOptions},
	{"autocomplete", completes},
	{"a deferred response", defers},
	{"a command in a direct message", answersInDM},
	{"a button that updates its message", updatesByButton},
	{"a select menu", updatesBySelect},
	{"follow-ups, one of which is deleted", followsUp},
	{"a modal from a button", opensModalFromButton},
	{"a modal from a command", opensModalFromCommand},
	{"a user's context menu, a direct message and a mention", greets},

	{"a message with a nonce", sendsMessage},
	{"a message in another channel", sendsMessageElsewhere},
	{"a channel that the bot cannot see", tellsRefusal},

	{"a rate limit of a route", waitsForRoute},
	{"a global rate limit", waitsForAll},
	{"more follow-ups than the limit allows at once", keepsRateLimit},

	{"a connection that is lost", resumesAfterLoss},
	{"a connection that Discord closes", resumesAfterClose},
	{"a reconnect that Discord asks for", resumesAsAsked},
	{"a session that Discord ends", startsAnew},
}
