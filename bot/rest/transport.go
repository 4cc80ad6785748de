package rest

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/bwmarrin/discordgo"
)

// HTTPClient returns a client that reaches the API through discordgo's own
// addresses; the gateway asks with it where to connect.
func (c *Client) HTTPClient() *http.Client {
	return &http.Client{
		Transport:     &rebased{next: c.transport, target: c.target},
		Timeout:       requestLimit,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// rebased sends what discordgo addresses to its own constant base elsewhere.
// discordgo's addresses are package-level variables that all sessions share,
// so they are left alone.
type rebased struct {
	next   http.RoundTripper
	target *url.URL
}

func (t *rebased) RoundTrip(req *http.Request) (*http.Response, error) {
	path, ok := strings.CutPrefix(req.URL.String(), discordgo.EndpointAPI)
	if !ok {
		path = strings.TrimPrefix(req.URL.EscapedPath(), "/")
	}
	u, err := url.Parse(t.target.String() + "/" + path)
	if err != nil {
		return nil, err
	}
	out := req.Clone(req.Context())
	out.URL, out.Host = u, u.Host
	return t.next.RoundTrip(out)
}
