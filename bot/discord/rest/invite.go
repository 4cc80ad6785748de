package rest

// invited are the permissions with which the bot is invited, as Discord's bits: View Channel,
// Send Messages, Embed Links, Read Message History and Send Messages in Threads.
// https://discord.com/developers/docs/topics/permissions#permissions-bitwise-permission-flags
const invited = "274877991936"

// invitedToSupport adds Create Public Threads, as Tell support opens threads in the host's guild.
const invitedToSupport = "309237730304"

// InviteURL returns the address at which the bot is invited to a guild, with the permissions that commands,
// panels and log channels need; in the host's guild it may open threads for support as well.
// https://discord.com/developers/docs/topics/oauth2#bot-authorization-flow
func InviteURL(applicationID, guildID string, support bool) string {
	permissions := invited
	if support {
		permissions = invitedToSupport
	}
	return "https://discord.com/oauth2/authorize?client_id=" + applicationID +
		"&scope=bot+applications.commands&permissions=" + permissions + "&guild_id=" + guildID
}
