package configs

import (
	"crypto/ed25519"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"hostbot/configs/redisurl"
	"hostbot/hostapi"
	"hostbot/hostapi/secret"
	"hostbot/locale"
)

// off silences a log channel or the operators' pages, or ends watching.
const off = "off"

// levels returns the levels that the process log can have.
func levels() []string { return []string{"trace", "debug", "info", "warn", "error"} }

// validate notes every value that could be read and is wrong all the same.
func (l *loader) validate(s *Settings) {
	l.check("discord.token", token(s.Discord.Token))
	l.check("discord.api_url", discordAPI(s.Discord.APIURL))
	l.check("discord.guild_id", snowflake(s.Discord.GuildID))
	l.checkInteractions(s)

	for _, wrong := range s.HostAPI.Config().Validate() {
		l.check("hostapi."+wrong.Field, errors.New(wrong.Problem))
	}
	_, err := hostapi.ParseStatusMap(s.HostAPI.StatusMap)
	l.check("hostapi.status_map", err)
	l.check("hostapi.timeout", between(s.HostAPI.Timeout, 100*time.Millisecond, 2*time.Minute))

	if s.Redis.URL != "" {
		_, err := redisurl.Parse(s.Redis.URL)
		l.check("redis.url", err)
	}

	l.check("cache.ttl", between(s.Cache.TTL, time.Second, time.Hour))
	l.check("cache.max_stale", between(s.Cache.MaxStale, time.Second, 30*24*time.Hour))
	if s.Cache.TTL > s.Cache.MaxStale && !l.wrong[l.name("cache.ttl")] {
		l.check("cache.max_stale", errors.New("is shorter than CACHE_TTL"))
	}

	if s.Watch.Interval != 0 {
		l.check("watch.interval", between(time.Duration(s.Watch.Interval), 10*time.Second, time.Hour))
	}
	if s.Watch.Rate < 1 || s.Watch.Rate > 1000 {
		l.check("watch.rate", errors.New("is not between 1 and 1000"))
	}

	l.check("languages", languages(s.Languages))

	l.check("log_channels.default", snowflake(s.LogChannels.Default))
	channels := s.LogChannels.ByCategory()
	for _, category := range slices.Sorted(maps.Keys(channels)) {
		l.check("log_channels."+category, channel(*channels[category]))
	}

	l.check("admin.guild_id", snowflake(s.Admin.GuildID))
	l.check("admin.user_ids", snowflakes(s.Admin.UserIDs))
	l.check("admin.role_ids", snowflakes(s.Admin.RoleIDs))
	l.check("admin.support_channel_id", snowflake(s.Admin.SupportChannelID))

	l.check("links.panel_url", webPage(s.Links.Panel))
	l.check("links.panel_bot_url", botPage(s.Links.PanelBot))
	l.check("links.signup_url", webPage(s.Links.SignUp))
	l.check("links.upgrade_url", webPage(s.Links.Upgrade))
	l.check("links.support_url", webPage(s.Links.Support))
	l.check("links.status_url", webPage(s.Links.Status))

	l.check("http.addr", listenAddress(s.HTTP.Addr))
	l.check("http.pprof_addr", profiles(s.HTTP.PprofAddr))
	l.checkAddresses(s)

	l.check("log.level", oneOf(s.Log.Level.String(), levels()...))
	l.check("log.format", oneOf(s.Log.Format, "json", "console"))
	l.check("log.locale", oneOf(s.Log.Locale, locale.DiscordLocales()...))
}

// checkInteractions checks the two settings that belong together.
func (l *loader) checkInteractions(s *Settings) {
	addr, key := s.Interactions.Addr, s.Discord.PublicKey
	if addr == "" && key == "" {
		return
	}
	switch {
	case addr == "":
		l.check("interactions.addr", errors.New("is missing, as DISCORD_PUBLIC_KEY is set"))
	case !isHostPort(addr):
		l.check("interactions.addr", errors.New("is not a host and port such as :8080"))
	}
	switch {
	case key == "":
		l.check("discord.public_key", errors.New("is missing, as INTERACTIONS_ADDR is set"))
	case len(key.Key()) != ed25519.PublicKeySize:
		l.check("discord.public_key", fmt.Errorf("is not a public key: %d digits and letters from a to f", hex.EncodedLen(ed25519.PublicKeySize)))
	case strings.Trim(string(key), "0") == "": // with which anybody could sign: crypto/ed25519 takes it
		l.check("discord.public_key", errors.New("is not a public key, but a placeholder: copy Public Key from the Developer Portal, General Information"))
	}
}

// checkAddresses notes an address at which the bot is to listen twice: it would end by an error that names a
// port alone.
func (l *loader) checkAddresses(s *Settings) {
	listeners := []struct{ key, addr string }{{"http.addr", s.HTTP.Addr}, {"interactions.addr", s.Interactions.Addr}, {"http.pprof_addr", s.HTTP.PprofAddr}}
	for i, one := range listeners {
		for _, other := range listeners[:i] {
			if sameAddress(one.addr, other.addr) {
				l.check(one.key, fmt.Errorf("is the address of %s as well: each needs one of its own", variable(other.key)))
			}
		}
	}
}

// discordAPI returns what is wrong with the base of Discord's REST API.
func discordAPI(address string) error {
	u, err := hostapi.ParseURL(address, true)
	if err == nil && u.Scheme == "http" && !hostapi.IsLoopback(u.Hostname()) {
		return errors.New("is plain http to another machine, which shows the token to everyone between; use https")
	}
	return err
}

// Each function below returns the mistake in a value, or nil.

func token(t secret.Text) error {
	if value := strings.ToLower(strings.TrimSpace(t.Reveal())); strings.HasPrefix(value, "bot ") {
		return errors.New("must be the token alone, without Bot before it")
	}
	return t.CheckHeader()
}

func between(d, least, most time.Duration) error {
	if d < least || d > most {
		return fmt.Errorf("is not between %s and %s", brief(least), brief(most))
	}
	return nil
}

// brief is a duration without parts that are zero.
func brief(d time.Duration) string {
	return strings.NewReplacer("m0s", "m", "h0m0s", "h").Replace(d.String())
}

func snowflake(id string) error {
	if n, err := strconv.ParseUint(id, 10, 64); id != "" && (err != nil || n == 0 || id[0] == '0') {
		return errors.New("is not an ID of Discord's, which is a long number")
	}
	return nil
}

func snowflakes(ids []string) error {
	for _, id := range ids {
		if id == "" || snowflake(id) != nil {
			return errors.New("is not a list of Discord's IDs with commas between them")
		}
	}
	return nil
}

func channel(id string) error {
	if id != off && snowflake(id) != nil {
		return errors.New("is neither a channel's ID nor " + off)
	}
	return nil
}

// webPage takes what Discord takes as the address of a link button, which is 512
// characters at most (documentation, "Component Reference: Button").
func webPage(address string) error {
	const most = 512
	if address == "" {
		return nil
	}
	page, err := url.Parse(address)
	if err != nil || page.Scheme != "https" || page.Hostname() == "" || strings.ContainsFunc(address, unicode.IsSpace) || utf8.RuneCountInString(address) > most {
		return fmt.Errorf("is not the address of a page: https://… of at most %d characters", most)
	}
	return nil
}

// botPage is webPage for an address with a place for a bot's ID.
func botPage(address string) error {
	if err := webPage(address); err != nil {
		return err
	}
	if address != "" && !strings.Contains(address, "{id}") {
		return errors.New("has no {id}, which stands for a bot's ID")
	}
	return nil
}

func listenAddress(value string) error {
	if value == off {
		return nil
	}
	if !isHostPort(value) {
		return errors.New("is neither a host and port such as 127.0.0.1:9090 nor " + off)
	}
	return nil
}

func isHostPort(value string) bool {
	host, port, err := net.SplitHostPort(value)
	if err == nil {
		_, err = strconv.ParseUint(port, 10, 16)
	}
	return err == nil && !strings.ContainsFunc(host, unicode.IsSpace)
}

// profiles takes an address of this machine's own.
func profiles(addr string) error {
	if host, _, _ := net.SplitHostPort(addr); addr != "" && (!isHostPort(addr) || !hostapi.IsLoopback(host)) {
		return errors.New("is not a loopback address such as 127.0.0.1:6060: profiles show what is in memory")
	}
	return nil
}

// sameAddress reports whether nobody can listen at both addresses: one port, of one host or of all. Port 0 is
// any that is free.
func sameAddress(one, other string) bool {
	host, port, err := net.SplitHostPort(strings.Replace(one, "localhost:", "127.0.0.1:", 1))
	otherHost, otherPort, otherErr := net.SplitHostPort(strings.Replace(other, "localhost:", "127.0.0.1:", 1))
	isEvery := func(host string) bool { return host == "" || host == "0.0.0.0" || host == "::" }
	return err == nil && otherErr == nil && port == otherPort && port != "0" && (host == otherHost || isEvery(host) || isEvery(otherHost))
}

func oneOf(value string, allowed ...string) error {
	if !slices.Contains(allowed, value) {
		return errors.New("is none of " + strings.Join(allowed, ", "))
	}
	return nil
}
