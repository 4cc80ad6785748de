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

// FinalError is Discord's word that connecting again is no use.
type FinalError struct {
	Code int // close code, or HTTP status where not even the address was given
}

func (e *FinalError) Error() string {
	return fmt.Sprintf("discord refuses the connection for good: %s (code %d)", finalReason(e.Code), e.Code)
}

// finalReason returns what to do about a final code, or "" where the code is
// not final:
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

// What Discord can ask for without a close frame, and what ends a connection
// without a word of Discord's.
var (
	errNoShards         = errors.New("discord recommends a number of shards that makes no sense")
	errReconnect        = errors.New("discord asked to reconnect")
	errInvalidSession   = errors.New("discord gave up the session")
	errMalformed        = errors.New("the gateway sent what makes no sense")
	errUnacknowledged   = errors.New("the gateway acknowledged no heartbeat")
	errHandshakeTimeout = errors.New("the gateway did not send HELLO, READY or RESUMED in time")
)

// finalError returns what reason means if it is final, or nil.
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

// endsSession reports whether Discord would not resume the session after reason.
// Discord closes with 1000 as well, for no reason that is known, and such a session
// can be resumed (JDA WebSocketClient.java, discord.py client.py).
func endsSession(reason error) bool {
	if frame, ok := errors.AsType[closeError](reason); ok {
		return frame.Code == 4003 || frame.Code == 4007 || frame.Code == 4009
	}
	return errors.Is(reason, errInvalidSession)
}

// longestDelay bounds for how long Discord is not asked whether sessions may be begun again.
const longestDelay = 5 * time.Minute

// delayOf returns how long to wait, as Discord asks, or 0.
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
