package configs

import (
	"errors"
	"net"

	"hostbot/hostapi"
)

// checkAddresses notes that the bot is to listen twice at one address, of which one would end the program
// later, by an error that names a port alone.
func (l *loader) checkAddresses(s *Settings) {
	if sameAddress(s.Interactions.Addr, s.HTTP.Addr) {
		l.check("interactions.addr", errors.New("is the address of HTTP_ADDR as well: interactions and operators' pages need one each"))
	}
}

// sameAddress reports whether nobody can listen at both addresses: one port, of one host, or of all. The name
// localhost is of every loopback address, and port 0 is any that is free.
func sameAddress(one, other string) bool {
	host, port, err := net.SplitHostPort(one)
	otherHost, otherPort, otherErr := net.SplitHostPort(other)
	if err != nil || otherErr != nil || port != otherPort || port == "0" {
		return false
	}
	local := hostapi.IsLoopback(host) && hostapi.IsLoopback(otherHost) && (net.ParseIP(host) == nil || net.ParseIP(otherHost) == nil)
	return host == otherHost || local || isEveryHost(host) || isEveryHost(otherHost)
}

func isEveryHost(host string) bool {
	ip := net.ParseIP(host)
	return host == "" || ip != nil && ip.IsUnspecified()
}
