package gateway

import (
	"net"
	"net/url"
	"strings"

	"golang.org/x/net/publicsuffix"
)

// isDiscords reports whether the bot's token may be sent to an address that came from Discord, but over
// Redis, where others may write. It has the host of the gateway's usual address, of the address that
// Discord names or of the API, or one under the same registered domain, as gateway-us-east1-b.discord.gg
// is, which novicezk/midjourney-proxy has in its settings.
func (d *Discovery) isDiscords(address string) bool {
	if last := d.Last(); last != nil && sameDomain(address, last.URL) {
		return true
	}
	return sameDomain(address, usualAddress) || sameDomain(address, d.API)
}

// sameDomain reports whether two addresses have hosts of one registered domain. That of an IP
// address, or of a name that has no domain, is the host itself.
func sameDomain(one, other string) bool {
	a, b := domain(one), domain(other)
	return a != "" && a == b
}

func domain(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	host := strings.ToLower(strings.TrimSuffix(u.Hostname(), "."))
	if net.ParseIP(host) != nil {
		return host
	}
	registered, err := publicsuffix.EffectiveTLDPlusOne(host)
	if err != nil { // it is a suffix itself, or has one label
		return host
	}
	return registered
}
