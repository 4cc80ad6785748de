package gateway

import (
	"net"
	"net/url"
	"strings"

	"golang.org/x/net/publicsuffix"
)

// isDiscords reports whether the bot's token may be sent to an address that was read from Redis, where others
// may write. Its registered domain must be that of the gateway's usual address, of the address that Discord has
// named, or of the API. A regional one, such as gateway-us-east1-b.discord.gg (novicezk/midjourney-proxy), is
// accepted.
func (d *Discovery) isDiscords(address string) bool {
	if last := d.Last(); last != nil && sameDomain(address, last.URL) {
		return true
	}
	return sameDomain(address, usualAddress) || sameDomain(address, d.API)
}

// sameDomain reports whether the hosts of two addresses have the same registered domain. An IP address, or a name
// without a domain, is its own.
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
