package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/bwmarrin/discordgo"
)

const (
	// addressLimit bounds the question where the gateway is.
	addressLimit = 5 * time.Second
	// maxAddress bounds the answer, in bytes.
	maxAddress = 64 << 10
	// maxDelay bounds how long Discord may ask to wait; sessions are counted
	// by the day.
	maxDelay = 24 * time.Hour
)

// address asks Discord where the gateway is. The limit is nil unless no further
// session may be begun: more than Discord allows in a day would cost the bot its
// token. Resuming one is not limited.
func (g *Gateway) address(ctx context.Context) (at *url.URL, limit *limitError, err error) {
	ctx, cancel := context.WithTimeout(ctx, addressLimit)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, discordgo.EndpointGatewayBot, nil)
	if err != nil {
		return nil, nil, err
	}
	req.Header.Set("Authorization", "Bot "+g.cfg.Token.Reveal())
	res, err := g.cfg.HTTP.Do(req)
	if err != nil {
		return nil, nil, fmt.Errorf("asking for the gateway's address: %w", errors.Unwrap(err)) // without the library's address
	}
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(res.Body, maxAddress))
	if err != nil {
		return nil, nil, fmt.Errorf("asking for the gateway's address: %w", err)
	}
	if res.StatusCode != http.StatusOK {
		return nil, nil, &statusError{status: res.StatusCode, delay: retryAfter(res.Header)}
	}
	return g.readAddress(body)
}

func (g *Gateway) readAddress(body []byte) (at *url.URL, limit *limitError, err error) {
	var answer struct {
		URL   string `json:"url"`
		Limit *struct {
			Remaining  int   `json:"remaining"`
			ResetAfter int64 `json:"reset_after"` // milliseconds
		} `json:"session_start_limit"`
	}
	if json.Unmarshal(body, &answer) != nil {
		return nil, nil, errNonsense
	}
	at, err = url.Parse(answer.URL)
	if err != nil || at.Host == "" || at.Scheme != "wss" && (at.Scheme != "ws" || !g.cfg.AllowPlain) {
		return nil, nil, errNonsense
	}
	if l := answer.Limit; l != nil && l.Remaining <= 0 {
		limit = &limitError{delay: within(time.Duration(l.ResetAfter)*time.Millisecond, maxDelay)}
	}
	return at, limit, nil
}

// retryAfter returns how long a 429 asks to wait.
func retryAfter(h http.Header) time.Duration {
	seconds, err := strconv.ParseFloat(h.Get("Retry-After"), 64)
	if err != nil || !(seconds < maxDelay.Seconds()) {
		return 0
	}
	return within(time.Duration(seconds*float64(time.Second)), maxDelay)
}

// within returns d, not below 0 and not above most.
func within(d, most time.Duration) time.Duration { return max(0, min(d, most)) }
