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
// The rules are those of Discord's documentation (2026-08). Two files make the
// server stricter, if the environment names them: DISCORD_OPENAPI, Discord's
// OpenAPI description, against which each body from the bot is checked, and
// DISCORD_EVENT_SCHEMA, a JSON Schema against which the server checks each
// INTERACTION_CREATE that it sends. Attachments, voice, reactions and components
// v2 are not simulated; of threads there is what their end does to a
// channel (Archived, Locked), and there are no gateway events about messages.
package discordtest
