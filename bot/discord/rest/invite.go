package rest

// invited are the permissions with which the bot is invited, as Discord's bits: View Channel,
// Send Messages, Embed Links, Read Message History and Send Messages in Threads.
// https://discord.com/developers/docs/topics/permissions#permissions-bitwise-permission-flags
const invited = "274877991936"

// InviteURL returns the address at which the bot is invited to a guild, with what commands,
// panels and log channels take.
// https://discord.com/developers/docs/topics/oauth2#bot-authorization-flow
func InviteURL(applicationID, guildID string) string {
	return "https://discord.com/oauth2/authorize?client_id=" + applicationID +
		"&scope=bot+applications.commands&permissions=" + invited + "&guild_id=" + guildID
}
