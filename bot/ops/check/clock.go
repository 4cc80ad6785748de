package check

import (
	"context"
	"net/http"
	"strings"
	"time"

	"hostbot/bot/discord/endpoint"
	"hostbot/bot/discord/rest"
	"hostbot/bot/staff/health"
)

// maxSkew is by how much two clocks may differ without harm.
const maxSkew = 2 * time.Second

// clock compares this machine's clock with Discord's, which the header Date tells in
// whole seconds. Nobody needs a token to ask for the gateway's address.
func (c *checker) clock(ctx context.Context) health.Item {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimRight(c.cfg.Settings.Discord.APIURL, "/")+"/gateway", nil)
	if err != nil {
		return notChecked("DISCORD_API_URL")
	}
	req.Header.Set("User-Agent", rest.UserAgent)
	transport := &http.Transport{Proxy: http.ProxyFromEnvironment, DisableKeepAlives: true}
	asked := time.Now()
	res, err := transport.RoundTrip(req)
	if err != nil {
		return notChecked("the way to Discord")
	}
	_ = res.Body.Close()
	date, err := http.ParseTime(res.Header.Get("Date"))
	if err != nil {
		return warn("see what stands between this machine and Discord", "the answer has no date")
	}
	item, skew := compareClocks("Discord's", asked, date.Add(time.Second/2))
	if c.cfg.Settings.Interactions.Addr != "" && skew > endpoint.MaxSkew {
		item.State, item.Text = health.Failure, item.Text+", so that the bot refuses all interactions"
	}
	return item
}

// compareClocks judges what another clock said that was asked at this time by ours, and returns by how much
// they differ.
func compareClocks(whose string, asked, said time.Time) (item health.Item, differ time.Duration) {
	answered := time.Now()
	skew := asked.Add(answered.Sub(asked) / 2).Sub(said).Round(100 * time.Millisecond)
	if skew.Abs() <= maxSkew {
		return good("it agrees with %s", whose), skew.Abs()
	}
	direction := "ahead of"
	if skew < 0 {
		direction = "behind"
	}
	return warn("keep the clocks right by NTP (timedatectl set-ntp true)", "this machine's clock is %v %s %s", skew.Abs(), direction, whose), skew.Abs()
}
