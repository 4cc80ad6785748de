package gateway

import (
	"net"
	"net/url"
	"strings"

	"golang.org/x/net/publicsuffix"
)

// usualAddress is where the gateway mostly is, for as long as Discord was not asked:
// https://discord.com/developers/docs/events/gateway#get-gateway
const usualAddress = "wss://gateway.discord.gg"

// isDiscords reports whether the bot's token may be sent to an address for resuming. That comes
// from Discord, but over Redis, where others may write. It has the host of the gateway's general
// address, or one under the same registered domain, as gateway-us-east1-b.discord.gg is, which
// novicezk/midjourney-proxy has in its settings.
func (g *Gateway) isDiscords(address string) bool {
	general := usualAddress
	if last := g.cfg.Discovery.Last(); last != nil {
		general = last.URL
	}
	return sameDomain(address, general)
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
