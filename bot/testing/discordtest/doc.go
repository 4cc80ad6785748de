// Package discordtest is Discord as one in-process server: the REST API and
// the gateway as a bot meets them, and the people who use the bot.
//
// The server refuses what Discord would refuse, with Discord's codes: a first
// response after 3 s or a second one, text that is too long, custom ids that
// are not unique, a callback that does not fit its interaction, and so on. It
// resumes and replays gateway sessions, and it has controls to drop, silence
// and slow things. A test reads like a person using Discord:
//
//	discord := discordtest.RunT(t)
//	// … start the bot against discord.URL() with discord.Token() …
//	anna := discord.User("anna", discordtest.Locale("de"))
//	reply := anna.Types(t, "/bot show", discordtest.Options{"bot": "shop"})
//	reply.Press(t, "Restart").WaitFor(t, "Restarted")
//
// Everything works without a testing.TB as well: Start returns a server, and
// each action of a User has a form that takes a context and returns an error.
//
// A comment beside each rule names its source, so that knowledge can be told from
// belief:
//
//   - docs:PAGE is https://docs.discord.com/developers/PAGE, or developers/PAGE.mdx
//     in the repository discord/discord-api-docs, as it was in August 2026.
//   - #N is an issue or pull request of that repository, owner/name#N one of another.
//   - userdoccers:PAGE is pages/PAGE.mdx in discord-userdoccers/discord-userdoccers,
//     which others than Discord write.
//   - A library's file is one of its newest version at that time.
//   - Where the comment says that no source knows, what the server does is a
//     guess, and it is lenient: no bot should rely on it.
//
// In tests with the build tag "integration" two files make the server stricter, if the environment
// names them: DISCORD_OPENAPI, Discord's OpenAPI description, against which each body from the bot
// is checked, and DISCORD_EVENT_SCHEMA, a JSON Schema against which the server checks each
// INTERACTION_CREATE that it sends.
//
// Voice, reactions and components v2 are not simulated, nor are commands that are
// registered one by one, their options from roles on, and select menus but of strings and roles.
// Of threads there is what they do to a channel
// (MissingThreadPermission, Archived, Locked, LockedOpen, NewPost). There are no gateway events about messages,
// and of those about the guild GUILD_CREATE alone, for a bot with the intent.
package discordtest
