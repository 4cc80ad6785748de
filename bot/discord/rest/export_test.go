package rest

import (
	"context"
	"net"
)

// SetDial has a client reach Discord by dial alone.
func (c *Client) SetDial(dial func(ctx context.Context, network, address string) (net.Conn, error)) {
	c.transport.Proxy, c.transport.DialContext = nil, dial
}
