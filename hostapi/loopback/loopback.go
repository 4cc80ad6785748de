// Package loopback has addresses of this machine for the servers of tests.
package loopback

import (
	"fmt"
	"math/rand/v2"
	"net"
)

// Host returns an IP address of this machine that no other server uses, on systems that
// have more than one such address: Linux has 127.0.0.0/8. A port of it stays its
// server's while that is stopped. A port of 127.0.0.1 does not: the system gives it to
// whoever asks for a free one, and clients of the stopped server meet a stranger.
//
// On other systems Host returns 127.0.0.1.
func Host() string {
	host := fmt.Sprintf("127.%d.%d.%d", 1+rand.IntN(254), rand.IntN(256), 1+rand.IntN(254))
	listener, err := net.Listen("tcp", net.JoinHostPort(host, "0"))
	if err != nil {
		return "127.0.0.1"
	}
	_ = listener.Close() // it was to tell whether the system has the address
	return host
}

// AnyPort returns an address of a Host of its own that lets the system choose the port.
func AnyPort() string { return net.JoinHostPort(Host(), "0") }
