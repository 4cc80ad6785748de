// Package clients lets other Discord libraries judge the server of package
// discordtest. A bot written with a library in wide use connects to the server,
// and its library reads the server's answers and events as it would read
// Discord's. If a library cannot read something, the server is wrong.
//
// The same small bot for orders exists twice, as a program of its own, each
// written the way its library's guide recommends:
//
//	discordjs   discord.js 14, in Node (npm ci installs it)
//	disgo       disgo, in Go
//
// A library is set up as for Discord except for the address. The programs read
// these variables:
//
//	DISCORD_TOKEN         the bot's token
//	DISCORD_API_URL       the REST API, without a version: each library asks for its own
//	DISCORD_GATEWAY_URL   the gateway, for a library that does not ask the API for it
//
// A program registers its commands with one bulk overwrite, answers interactions
// until it is interrupted, and then leaves the gateway and exits with status 0.
// These are its commands:
//
//	/order create   a message with buttons and a select menu
//	/order status   a deferred, ephemeral response, edited to an embed
//	/announce       a message with a nonce in a channel
//	/feedback       a modal
//	/count          a response and many follow-ups
//	/help           the commands as Discord lists them
//	Greet           in a user's context menu: a direct message to that user
//
// Each test runs one of the programs through the scenario, which is the same for
// all of them. It drives the people who use the bot and compares what they see.
// The tests have the build tag "integration". A test fails where its library is
// not installed. The schemas that package discordtest can check against are used
// where the environment names them.
//
// The package is a module of its own, so that no library of a test's becomes a
// dependency of the bot.
package clients
