package gateway

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/coder/websocket"

	"hostbot/bot/discord/rest"
)

// CodeTooFewShards is the code of the FinalError that asks for more shards.
const CodeTooFewShards = 4011

// FinalError means that connecting again is of no use.
type FinalError struct {
	Code int // a close code, or the HTTP status of GET /gateway/bot
}

func (e *FinalError) Error() string {
	return fmt.Sprintf("discord refuses the connection for good: %s (code %d)", finalReason(e.Code), e.Code)
}

// finalReason returns the cause and cure of a final code; "" if the code is not final:
// https://discord.com/developers/docs/topics/opcodes-and-status-codes#gateway-gateway-close-event-codes
func finalReason(code int) string {
	switch code {
	case 4004, http.StatusUnauthorized:
		return "the bot token is not valid; check DISCORD_TOKEN"
	case CodeTooFewShards:
		return "the bot is in too many guilds for its number of shards; start it again if DISCORD_SHARDS is auto, otherwise raise that first"
	case 4010, 4012, 4013, 4014:
		return "it does not take the shard, the gateway version or the intents that this program asks for"
	default:
		return ""
	}
}

// closeError is a close frame from Discord.
type closeError websocket.CloseError

func (e closeError) Error() string {
	return fmt.Sprintf("discord closed the connection with code %d %q", e.Code, e.Reason)
}

// Reasons for the end of a connection without a close frame.
var (
	errNoShards         = errors.New("discord recommends a number of shards that makes no sense")
	errReconnect        = errors.New("discord asked to reconnect")
	errInvalidSession   = errors.New("discord gave up the session")
	errMalformed        = errors.New("the gateway sent what makes no sense")
	errUnacknowledged   = errors.New("the gateway acknowledged no heartbeat")
	errHandshakeTimeout = errors.New("the gateway did not send HELLO, READY or RESUMED in time")
)

// finalError returns the *FinalError that a reason amounts to, or nil.
func finalError(reason error) *FinalError {
	code := 0
	if frame, ok := errors.AsType[closeError](reason); ok {
		code = int(frame.Code)
	}
	code = cmp.Or(rest.StatusOf(reason), code)
	if finalReason(code) == "" {
		return nil
	}
	return &FinalError{Code: code}
}

// endsSession reports whether the session cannot be resumed after reason. It can after code 1000, with which
// Discord closes at times for no known reason (JDA WebSocketClient.java, discord.py client.py).
func endsSession(reason error) bool {
	if frame, ok := errors.AsType[closeError](reason); ok {
		return frame.Code == 4003 || frame.Code == 4007 || frame.Code == 4009
	}
	return errors.Is(reason, errInvalidSession)
}

// longestDelay bounds the wait until Discord is asked again whether sessions may be begun.
const longestDelay = 5 * time.Minute

// delayOf returns how long Discord asks to wait; 0 if it does not ask.
func (g *Gateway) delayOf(reason error) time.Duration {
	if asked := rest.RetryAfter(reason); asked > 0 {
		return asked
	}
	if limit, ok := errors.AsType[*backoff.RetryAfterError](reason); ok {
		return min(limit.Duration, longestDelay)
	}
	if errors.Is(reason, errInvalidSession) {
		shortest := cmp.Or(g.cfg.InvalidPause, time.Second)
		return shortest + rand.N(4*shortest) // a random time of 1 to 5 s (discord-api-docs#244)
	}
	return 0
}
