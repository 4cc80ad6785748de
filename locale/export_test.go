package locale

// LoadFrom reads text files other than the embedded ones.
var LoadFrom = load

// DiscordLocales is the list of locales that Discord knows.
var DiscordLocales = discordLocales
