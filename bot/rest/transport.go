package rest

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/bwmarrin/discordgo"
)

// maxAnswer bounds what is read of one answer; discordgo itself reads to the end.
const maxAnswer = 4 << 20

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
	res, err := t.next.RoundTrip(out)
	if err != nil {
		return nil, err
	}
	// The limiter that would read these lives for this request only, and a
	// header that it can not parse would turn a success into an error.
	for _, name := range []string{"Remaining", "Reset", "Reset-After"} {
		res.Header.Del("X-RateLimit-" + name)
	}
	res.Body = &bounded{Reader: io.LimitReader(res.Body, maxAnswer), Closer: res.Body}
	if res.StatusCode == http.StatusTooManyRequests {
		res.Body = &bounded{Reader: rateLimit(res), Closer: res.Body}
	}
	return res, nil
}

// rateLimit returns the body of a 429 as discordgo can read it. One that is not
// Discord's own has its delay in the header alone.
func rateLimit(res *http.Response) io.Reader {
	body, err := io.ReadAll(res.Body)
	if err == nil && json.Valid(body) {
		return bytes.NewReader(body)
	}
	seconds, err := strconv.Atoi(res.Header.Get("Retry-After"))
	if err != nil {
		seconds = 1
	}
	return strings.NewReader(`{"message":"rate limited","retry_after":` + strconv.Itoa(seconds) + `}`)
}

type bounded struct {
	io.Reader
	io.Closer
}
