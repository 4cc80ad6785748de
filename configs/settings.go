// Package configs reads the program's settings: defaults, then a YAML file, then
// the environment.
//
// A setting has a key in the file and a variable in the environment, such as
// hostapi.timeout and HOSTAPI_TIMEOUT; the tags of Settings name both. A secret
// may also be read from a file of its own, which the variable with _FILE, or the
// key with _file, names. An empty value counts as none.
package configs

import (
	"crypto/ed25519"
	"encoding/hex"
	"errors"
	"reflect"
	"strconv"
	"time"

	"github.com/rs/zerolog"

	"hostbot/hostapi"
	"hostbot/hostapi/secret"
)

// Settings are the program's settings, complete and valid. Printing them shows no
// secret.
type Settings struct {
	Discord      Discord      `yaml:"discord"`
	Interactions Interactions `yaml:"interactions"`
	HostAPI      HostAPI      `yaml:"hostapi"`
	Redis        Redis        `yaml:"redis"`
	Cache        Cache        `yaml:"cache"`
	Watch        Watch        `yaml:"watch"`
	Languages    Languages    `yaml:"languages" env:"LANGUAGES"`
	LogChannels  LogChannels  `yaml:"log_channels"`
	Admin        Admin        `yaml:"admin"`
	Links        Links        `yaml:"links"`
	HTTP         HTTP         `yaml:"http"`
	Log          Log          `yaml:"log"`
}

// defaults returns the settings where nothing is set.
func defaults() *Settings {
	return &Settings{
		Discord:   Discord{APIURL: "https://discord.com/api/v10"},
		HostAPI:   HostAPI{Timeout: 10 * time.Second},
		Cache:     Cache{TTL: 30 * time.Second, MaxStale: 24 * time.Hour},
		Watch:     Watch{Interval: Interval(time.Minute), Rate: 10, AutoRestart: true},
		Languages: Languages{language("NODE"), language("PYTHON")},
		HTTP:      HTTP{Addr: "127.0.0.1:9090"},
		Log:       Log{Level: zerolog.InfoLevel, Format: "json", Locale: "en-US"},
	}
}

// Discord is how Discord is reached.
type Discord struct {
	Token     secret.Text `yaml:"token" env:"DISCORD_TOKEN"`
	TokenFile string      `yaml:"token_file" env:"DISCORD_TOKEN_FILE"`
	// APIURL is the base of the REST API, with its version.
	APIURL string `yaml:"api_url" env:"DISCORD_API_URL"`
	// Shards is how many sessions there are at the gateway; 0 for as many as Discord
	// recommends.
	Shards Shards `yaml:"shards" env:"DISCORD_SHARDS"`
	// GuildID is the guild in which the commands are registered; empty for all.
	GuildID string `yaml:"guild_id" env:"DISCORD_GUILD_ID"`
	// PublicKey is the application's, with which Discord signs interactions.
	PublicKey PublicKey `yaml:"public_key" env:"DISCORD_PUBLIC_KEY"`
}

// Interactions is where interactions arrive over HTTP.
type Interactions struct {
	// Addr is a host and port to listen on. Empty where they arrive over the gateway.
	Addr string `yaml:"addr" env:"INTERACTIONS_ADDR"`
}

// PublicKey is an Ed25519 key in hex. Empty for none.
type PublicKey string

// Key returns the key, which is valid.
func (k PublicKey) Key() ed25519.PublicKey {
	key, _ := hex.DecodeString(string(k))
	return key
}

// Shards is a number, or auto, which is 0.
type Shards int

// UnmarshalText reads either.
func (s *Shards) UnmarshalText(text []byte) error {
	if string(text) == "auto" {
		*s = 0
		return nil
	}
	n, err := strconv.ParseUint(string(text), 10, 15)
	if err != nil || n == 0 {
		return errors.New("is neither auto nor a number of shards, 1 or more")
	}
	*s = Shards(n)
	return nil
}

// HostAPI is how the hosting service is reached.
type HostAPI struct {
	URL        string      `yaml:"url" env:"HOSTAPI_URL"`
	Secret     secret.Text `yaml:"secret" env:"HOSTAPI_SECRET"`
	SecretFile string      `yaml:"secret_file" env:"HOSTAPI_SECRET_FILE"`
	AllowHTTP  bool        `yaml:"allow_http" env:"HOSTAPI_ALLOW_HTTP"`
	// Timeout bounds one request: 100 ms to 2 min.
	Timeout time.Duration `yaml:"timeout" env:"HOSTAPI_TIMEOUT"`
	// StatusMap says what the service's own words for a bot's state mean.
	StatusMap StatusMap `yaml:"status_map" env:"STATUS_MAP"`
	// Operations changes how operations are called. Only the file sets it.
	Operations map[hostapi.Operation]hostapi.Override `yaml:"operations"`
}

// Config returns what the service's client takes from the settings.
func (h HostAPI) Config() hostapi.Config {
	statusMap, _ := hostapi.ParseStatusMap(h.StatusMap) // which is valid
	return hostapi.Config{BaseURL: h.URL, Secret: h.Secret, AllowHTTP: h.AllowHTTP, Timeout: h.Timeout, Operations: h.Operations, StatusMap: statusMap}
}

// StatusMap is a list of word=STATE, in the file also as keys with values.
type StatusMap []string

func (m *StatusMap) set(elements []string) { *m = elements }

// Redis is where the program keeps what must outlive an interaction.
type Redis struct {
	// URL has a form that package redisurl documents; it may hold a password.
	// Empty for a Redis inside the process.
	URL     secret.Text `yaml:"url" env:"REDIS_URL"`
	URLFile string      `yaml:"url_file" env:"REDIS_URL_FILE"`
}

// Cache is how long accounts are kept.
type Cache struct {
	// TTL is how long an account is shown as it is: 1 s to 1 h.
	TTL time.Duration `yaml:"ttl" env:"CACHE_TTL"`
	// MaxStale is how long it is kept to be shown with its age: TTL to 30 days.
	MaxStale time.Duration `yaml:"max_stale" env:"CACHE_MAX_STALE"`
}

// Watch is how often accounts are looked at that have alerts or panels.
type Watch struct {
	// Interval is the time between two looks at an account, 10 s to 1 h; or 0, which
	// turns alerts, panels and history off.
	Interval Interval `yaml:"interval" env:"WATCH_INTERVAL"`
	// Rate is how many looks a second there may be over all processes, 1 to 1000.
	Rate int `yaml:"rate" env:"WATCH_RATE"`
	// AutoRestart says whether customers may have crashed bots restarted by the program itself.
	AutoRestart Switch `yaml:"auto_restart" env:"AUTO_RESTART"`
}

// Switch is true or false, which are written as on and off.
type Switch bool

// UnmarshalText reads either.
func (s *Switch) UnmarshalText(text []byte) error {
	*s = string(text) == "on"
	if !*s && string(text) != off {
		return errors.New("is neither on nor " + off)
	}
	return nil
}

// Interval is a duration, or 0, which is written as off.
type Interval time.Duration

// UnmarshalText reads either.
func (i *Interval) UnmarshalText(text []byte) error {
	if string(text) == off {
		*i = 0
		return nil
	}
	d, err := time.ParseDuration(string(text))
	if err != nil {
		return errors.New("is neither a duration such as 60s nor " + off)
	}
	*i = Interval(max(d, 1)) // 0 must not be taken for off by mistake
	return nil
}

// LogChannels are the channels that staff read, by category. Empty for none.
type LogChannels struct {
	// Default is the channel of the categories that have none of their own.
	Default   string `yaml:"default" env:"LOG_CHANNEL_ID"`
	Actions   string `yaml:"actions" env:"LOG_CHANNEL_ACTIONS"`
	Errors    string `yaml:"errors" env:"LOG_CHANNEL_ERRORS"`
	Lifecycle string `yaml:"lifecycle" env:"LOG_CHANNEL_LIFECYCLE"`
	Staff     string `yaml:"staff" env:"LOG_CHANNEL_STAFF"`
}

// ByCategory lists the channels by the categories of their entries, which are those
// of package logchannel: each field is one, but for the default.
func (c *LogChannels) ByCategory() map[string]*string {
	channels := make(map[string]*string)
	for field, value := range reflect.ValueOf(c).Elem().Fields() {
		if channel, ok := value.Addr().Interface().(*string); ok && channel != &c.Default {
			channels[field.Tag.Get("yaml")] = channel
		}
	}
	return channels
}

// Admin is who may use staff's own commands, and where staff are told of failures.
type Admin struct {
	GuildID string `yaml:"guild_id" env:"ADMIN_GUILD_ID"` // empty: there are none
	UserIDs IDs    `yaml:"user_ids" env:"ADMIN_USER_IDS"`
	RoleIDs IDs    `yaml:"role_ids" env:"ADMIN_ROLE_IDS"`
	// SupportChannelID is the channel in which customers' failures get a thread. Empty for none.
	SupportChannelID string `yaml:"support_channel_id" env:"SUPPORT_CHANNEL_ID"`
	// Brand is the company's name, as customers read it above an answer or an announcement. Empty: "Our team".
	Brand string `yaml:"brand" env:"BRAND"`
}

// IDs is a list of Discord's IDs.
type IDs []string

func (ids *IDs) set(elements []string) { *ids = elements }

// Links are pages of the host's that customers are sent to. Empty for none.
type Links struct {
	Panel string `yaml:"panel_url" env:"PANEL_URL"`
	// PanelBot is a bot's own page, with {id} in the place of its ID.
	PanelBot string `yaml:"panel_bot_url" env:"PANEL_BOT_URL"`
	SignUp   string `yaml:"signup_url" env:"SIGNUP_URL"`
	Upgrade  string `yaml:"upgrade_url" env:"UPGRADE_URL"`
	Support  string `yaml:"support_url" env:"SUPPORT_URL"`
	Status   string `yaml:"status_url" env:"STATUS_URL"`
}

// HTTP is where operators see how the program fares.
type HTTP struct {
	// Addr is a host and port to listen on. Empty for none.
	Addr string `yaml:"addr" env:"HTTP_ADDR"`
	// PprofAddr is where Go's profiles are served, which only this machine may read. Empty for nowhere.
	PprofAddr string `yaml:"pprof_addr" env:"HTTP_PPROF_ADDR"`
}

// Log is the process log on stderr, and the language of the log channels.
type Log struct {
	Level  zerolog.Level `yaml:"level" env:"LOG_LEVEL"`
	Format string        `yaml:"format" env:"LOG_FORMAT"` // json or console
	Locale string        `yaml:"locale" env:"LOG_LOCALE"`
}
