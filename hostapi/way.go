package hostapi

import (
	"context"
	"errors"
	"net"
	"net/http/httptrace"
	"sync/atomic"
)

// way is how far a request got. The transport may still be working on it when
// its caller has given up.
type way struct {
	asked     atomic.Bool // the transport has set out to find a connection
	connected atomic.Bool // it has found one, on which it may have written
}

// traceWay returns a context that notes how far the request made with it gets.
func traceWay(ctx context.Context) (context.Context, *way) {
	w := new(way)
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GetConn: func(string) { w.asked.Store(true) },
		GotConn: func(httptrace.GotConnInfo) { w.connected.Store(true) },
	}), w
}

// mayHaveArrived tells whether the service may know of a request that ended
// with err. It certainly does not where nobody could be dialed, and where no
// connection was ready in time or trusted. A transport that does not say how far
// it got is taken to have sent the request.
func (w *way) mayHaveArrived(err error) bool {
	var op *net.OpError
	if errors.As(err, &op) && op.Op == "dial" {
		return false
	}
	return !w.asked.Load() || w.connected.Load()
}
