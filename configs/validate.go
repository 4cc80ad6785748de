package configs

import (
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/rs/zerolog"

	"hostbot/configs/redisurl"
	"hostbot/configs/secret"
)

// off silences a log channel, or the operators' pages.
const off = "off"

// Bounds of durations.
const (
	minTimeout, maxTimeout = 100 * time.Millisecond, 2 * time.Minute
	minFresh, maxFresh     = time.Second, time.Hour
	maxKeep                = 30 * 24 * time.Hour
)

// maxSecret bounds a token or shared secret, in bytes: it goes into a header.
const maxSecret = 1024

// validate notes every value that was read and is wrong all the same.
func (l *loader) validate(s *Settings) {
	l.check("DISCORD_TOKEN", token(s.Discord.Token))
	l.check("DISCORD_API_URL", baseURL(s.Discord.APIURL, true))
	l.check("DISCORD_GUILD_ID", snowflake(s.Discord.GuildID))

	l.check("HOSTAPI_URL", baseURL(s.HostAPI.URL, s.HostAPI.AllowHTTP))
	l.check("HOSTAPI_SECRET", header(s.HostAPI.Secret))
	l.check("HOSTAPI_TIMEOUT", between(s.HostAPI.Timeout, minTimeout, maxTimeout))

	l.check("REDIS_URL", redisURL(s.Redis.URL))

	l.check("CACHE_FRESH", between(s.Cache.Fresh, minFresh, maxFresh))
	l.check("CACHE_KEEP", between(s.Cache.Keep, minFresh, maxKeep))
	if s.Cache.Fresh > s.Cache.Keep && !l.mistakes.wrong["CACHE_FRESH"] {
		l.check("CACHE_KEEP", "is shorter than CACHE_FRESH")
	}

	l.check("LOG_CHANNEL_ID", snowflake(s.LogChannelID))
	l.check("LOG_CHANNEL_ACTIONS", channel(s.LogChannels.Actions))
	l.check("LOG_CHANNEL_ERRORS", channel(s.LogChannels.Errors))
	l.check("LOG_CHANNEL_LIFECYCLE", channel(s.LogChannels.Lifecycle))

	l.check("ADMIN_GUILD_ID", snowflake(s.Admin.GuildID))
	l.check("ADMIN_USER_IDS", snowflakes(s.Admin.UserIDs))
	l.check("ADMIN_ROLE_IDS", snowflakes(s.Admin.RoleIDs))

	l.check("HTTP_ADDR", address(s.HTTP.Addr))

	l.check("LOG_LEVEL", level(s.Log.Level))
	l.check("LOG_FORMAT", oneOf(s.Log.Format, "json", "console"))
	l.check("LOG_LOCALE", locale(s.Log.Locale))
}

// check notes what is wrong with a setting, if anything is. Of a setting about
// which something was said already it says no more.
func (l *loader) check(variable, wrong string) {
	if wrong != "" && !l.mistakes.wrong[variable] {
		l.mistakes.add(variable, l.sources[variable], wrong)
	}
}

// What follows says what is wrong with a value, or returns nothing.

const missing = "is missing"

func token(t secret.Text) string {
	if value := strings.ToLower(strings.TrimSpace(t.Reveal())); strings.HasPrefix(value, "bot ") {
		return "must be the token alone, without Bot before it"
	}
	return header(t)
}

func header(t secret.Text) string {
	value := t.Reveal()
	switch {
	case value == "":
		return missing
	case len(value) > maxSecret:
		return fmt.Sprintf("is longer than %d bytes", maxSecret)
	case strings.ContainsFunc(value, func(r rune) bool { return r <= ' ' || r > '~' }):
		return "holds white space, or a character that is not printable ASCII"
	}
	return ""
}

func baseURL(value string, allowHTTP bool) string {
	if value == "" {
		return missing
	}
	u, err := url.Parse(value)
	switch {
	case err != nil, u.Hostname() == "", u.Scheme != "http" && u.Scheme != "https":
		return "is not an http or https address"
	case u.User != nil:
		return "must not hold a user name or password"
	case u.RawQuery != "" || u.ForceQuery || u.Fragment != "":
		return "must end with its path, without ? or #"
	case u.Scheme == "http" && !allowHTTP && !isLoopback(u.Hostname()):
		return "is plain http to another machine, which shows the secret to everyone between; use https, or set HOSTAPI_ALLOW_HTTP=true"
	}
	return ""
}

func isLoopback(host string) bool {
	addr, err := netip.ParseAddr(host)
	return strings.EqualFold(host, "localhost") || (err == nil && addr.Unmap().IsLoopback())
}

func redisURL(address secret.Text) string {
	if address == "" {
		return ""
	}
	if _, err := redisurl.Parse(address); err != nil {
		return err.Error()
	}
	return ""
}

func between(d, least, most time.Duration) string {
	if d < least || d > most {
		return fmt.Sprintf("is not between %s and %s", brief(least), brief(most))
	}
	return ""
}

// brief is a duration without parts that are zero.
func brief(d time.Duration) string {
	return strings.TrimSuffix(strings.TrimSuffix(d.String(), "0s"), "0m")
}

func snowflake(id string) string {
	if n, err := strconv.ParseUint(id, 10, 64); id != "" && (err != nil || n == 0 || id[0] == '0') {
		return "is not an ID of Discord's, which is a long number"
	}
	return ""
}

func snowflakes(ids []string) string {
	for _, id := range ids {
		if id == "" || snowflake(id) != "" {
			return "is not a list of Discord's IDs with commas between them"
		}
	}
	return ""
}

func channel(id string) string {
	if id != off && snowflake(id) != "" {
		return "is neither a channel's ID nor " + off
	}
	return ""
}

func address(value string) string {
	if value == off {
		return ""
	}
	_, port, err := net.SplitHostPort(value)
	if err == nil {
		_, err = strconv.ParseUint(port, 10, 16)
	}
	if err != nil {
		return "is neither a host and port such as 127.0.0.1:9090 nor " + off
	}
	return ""
}

func level(l zerolog.Level) string {
	if l < zerolog.TraceLevel || l > zerolog.ErrorLevel {
		return "is none of trace, debug, info, warn, error"
	}
	return ""
}

func oneOf(value string, allowed ...string) string {
	if !slices.Contains(allowed, value) {
		return "is none of " + strings.Join(allowed, ", ")
	}
	return ""
}

// locale checks against the locales that Discord knows, from
// https://discord.com/developers/docs/reference#locales.
func locale(value string) string {
	return oneOf(value,
		"bg", "cs", "da", "de", "el", "en-GB", "en-US", "es-419", "es-ES", "fi", "fr", "hi", "hr", "hu", "id", "it", "ja",
		"ko", "lt", "nl", "no", "pl", "pt-BR", "ro", "ru", "sv-SE", "th", "tr", "uk", "vi", "zh-CN", "zh-TW")
}
