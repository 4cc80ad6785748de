package check

import (
	"context"
	"net"
	"strings"

	"hostbot/bot/ops/monitor"
	"hostbot/bot/staff/health"
)

// pages reports whether the bot can listen at HTTP_ADDR. 9090, the default port, is that of Prometheus
// (https://prometheus.io/docs/prometheus/latest/getting_started/).
func (c *checker) pages(ctx context.Context) health.Item {
	addr := c.cfg.Settings.HTTP.Addr
	var listen net.ListenConfig
	listener, err := listen.Listen(ctx, "tcp", addr)
	switch {
	case err == nil:
		_ = listener.Close()
		return good("nothing else listens at %s", addr)
	case isHostbot(ctx, addr):
		return good("a hostbot serves there already, at %s", addr)
	}
	return fail("set HTTP_ADDR to an address of this machine with a free port, such as 127.0.0.1:9190: 9090 is Prometheus's own, too", "%s", reason(err))
}

// isHostbot reports whether the metrics at an address are those of a hostbot, such as the one beside which
// somebody checks.
func isHostbot(ctx context.Context, addr string) bool {
	_, metrics, _ := monitor.Ask(ctx, addr, "/metrics")
	return strings.Contains(metrics, "\nhostbot_build_info")
}
