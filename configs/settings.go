// Package configs reads the program's settings: defaults, then a YAML file, then
// the environment.
//
// A setting has a key in the file and a variable in the environment, such as
// hostapi.timeout and HOSTAPI_TIMEOUT; the tags of Settings name both, and the
// default. A secret may also be read from a file of its own, which the variable
// with _FILE, or the key with _file, names. An empty value counts as none.
package configs

import (
	"time"

	"github.com/rs/zerolog"

	"hostbot/configs/secret"
)

// Settings are the program's settings, complete and valid. Printing them shows no
// secret.
type Settings struct {
	Discord Discord
	HostAPI HostAPI
	Redis   Redis
	Cache   Cache
	// LogChannelID is the channel of the categories that have none of their
	// own. LogChannels is what comes of it.
	LogChannelID string `key:"log_channels.default" env:"LOG_CHANNEL_ID"`
	LogChannels  LogChannels
	Admin        Admin
	HTTP         HTTP
	Log          Log
}

// Discord is how Discord is reached.
type Discord struct {
	Token secret.Text `key:"discord.token" env:"DISCORD_TOKEN"`
	// APIURL is the base of the REST API, with its version.
	APIURL string `key:"discord.api_url" env:"DISCORD_API_URL" envDefault:"https://discord.com/api/v9"`
	// GuildID is the guild in which the commands are registered; empty for all.
	GuildID string `key:"discord.guild_id" env:"DISCORD_GUILD_ID"`
}

// HostAPI is how the hosting service is reached.
type HostAPI struct {
	URL       string      `key:"hostapi.url" env:"HOSTAPI_URL"`
	Secret    secret.Text `key:"hostapi.secret" env:"HOSTAPI_SECRET"`
	AllowHTTP bool        `key:"hostapi.allow_http" env:"HOSTAPI_ALLOW_HTTP" envDefault:"false"`
	// Timeout bounds one request: 100 ms to 2 min.
	Timeout time.Duration `key:"hostapi.timeout" env:"HOSTAPI_TIMEOUT" envDefault:"10s"`
	// Operations are changes to the service's operations, by their names in
	// package hostapi. The file alone sets them, under hostapi.operations.
	Operations map[string]Operation
}

// Operation changes how an operation of the service is called. What is empty
// stays as the service's document has it.
type Operation struct {
	Enabled    bool // true, unless the file says otherwise
	Method     string
	Path       string // with :id in the server's place
	ChatUserID string // where the user's ID goes: "query" or "body"
}

// Redis is where the program keeps what must outlive an interaction.
type Redis struct {
	// URL has a form that package redisurl documents; it may hold a password.
	// Empty for a Redis inside the process.
	URL secret.Text `key:"redis.url" env:"REDIS_URL"`
}

// Cache is how long accounts are kept.
type Cache struct {
	// Fresh is how long an account is shown as it is: 1 s to 1 h.
	Fresh time.Duration `key:"cache.fresh" env:"CACHE_FRESH" envDefault:"30s"`
	// Keep is how long it is kept to be shown with its age: Fresh to 30 days.
	Keep time.Duration `key:"cache.keep" env:"CACHE_KEEP" envDefault:"24h"`
}

// LogChannels are the channels that staff read, by category. Empty for none.
type LogChannels struct {
	Actions   string `key:"log_channels.actions" env:"LOG_CHANNEL_ACTIONS"`
	Errors    string `key:"log_channels.errors" env:"LOG_CHANNEL_ERRORS"`
	Lifecycle string `key:"log_channels.lifecycle" env:"LOG_CHANNEL_LIFECYCLE"`
}

// Admin is who may use staff's own commands, and where.
type Admin struct {
	GuildID string   `key:"admin.guild_id" env:"ADMIN_GUILD_ID"` // empty: there are none
	UserIDs []string `key:"admin.user_ids" env:"ADMIN_USER_IDS"`
	RoleIDs []string `key:"admin.role_ids" env:"ADMIN_ROLE_IDS"`
}

// HTTP is where operators see how the program fares.
type HTTP struct {
	// Addr is a host and port to listen on. Empty for none.
	Addr string `key:"http.addr" env:"HTTP_ADDR" envDefault:"127.0.0.1:9090"`
}

// Log is the process log on stderr, and the language of the log channels.
type Log struct {
	Level  zerolog.Level `key:"log.level" env:"LOG_LEVEL" envDefault:"info"`
	Format string        `key:"log.format" env:"LOG_FORMAT" envDefault:"json"` // or "console"
	Locale string        `key:"log.locale" env:"LOG_LOCALE" envDefault:"en-US"`
}
