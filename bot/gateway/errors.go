package gateway

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"time"

	"github.com/coder/websocket"

	"hostbot/bot/rest"
)

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
	case 4010:
		return "the shard is not valid"
	case 4011:
		return "the bot is in so many guilds that it must be sharded"
	case 4012:
		return "the gateway version is not supported any more"
	case 4013:
		return "the intents are not valid"
	case 4014:
		return "the intents are not allowed for this bot"
	default:
		return ""
	}
}

// closeError is a close frame from Discord.
type closeError struct {
	code int
	text string
}

func (e *closeError) Error() string {
	return fmt.Sprintf("discord closed the connection with code %d %q", e.code, e.text)
}

// closed returns the error of a connection that ended, a *closeError where that
// was by a close frame.
func closed(err error) error {
	var frame websocket.CloseError
	if errors.As(err, &frame) {
		return &closeError{code: int(frame.Code), text: frame.Reason}
	}
	return err
}

// discoveryError says that Discord did not tell where the gateway is.
type discoveryError struct{ err error }

func (e *discoveryError) Error() string { return "ask where the gateway is: " + e.err.Error() }
func (e *discoveryError) Unwrap() error { return e.err }

// startLimitError says that no session should be begun for some time.
type startLimitError struct{ delay time.Duration }

func (e *startLimitError) Error() string {
	return fmt.Sprintf("too few of the sessions that discord allows in a day are left: waiting for %v", e.delay.Round(time.Second))
}

// What Discord can ask for without a close frame, and what ends a connection
// without a word of Discord's.
var (
	errReconnect      = errors.New("discord asked to reconnect")
	errResumable      = errors.New("discord asked to resume the session")
	errInvalidSession = errors.New("discord gave up the session")
	errMalformed      = errors.New("the gateway sent what makes no sense")
	errUnacknowledged = errors.New("the gateway acknowledged no heartbeat")
	errNoHello        = errors.New("the gateway did not say HELLO in time")
	errNoSession      = errors.New("the gateway said neither READY nor RESUMED in time")
)

// finalError returns what reason means if it is final, or nil.
func finalError(reason error) *FinalError {
	code := 0
	var frame *closeError
	var discovery *discoveryError
	var answer *rest.Error
	switch {
	case errors.As(reason, &frame):
		code = frame.code
	case errors.As(reason, &discovery) && errors.As(discovery, &answer):
		code = answer.Status
	}
	if finalReason(code) == "" {
		return nil
	}
	return &FinalError{Code: code}
}

// endsSession tells whether Discord would not resume the session after reason.
// Discord closes with 1000 as well, for no reason that is known, and such a session
// can be resumed (JDA WebSocketClient.java, discord.py client.py).
func endsSession(reason error) bool {
	var frame *closeError
	if errors.As(reason, &frame) {
		return frame.code == 4003 || frame.code == 4007 || frame.code == 4009
	}
	return errors.Is(reason, errInvalidSession)
}

// delayOf returns how long Discord asks to wait, or 0.
func delayOf(reason error) time.Duration {
	var answer *rest.Error
	var limit *startLimitError
	switch {
	case errors.As(reason, &answer):
		return answer.RetryAfter
	case errors.As(reason, &limit):
		return limit.delay
	case errors.Is(reason, errInvalidSession):
		return time.Second + rand.N(4*time.Second) // a random time of 1 to 5 s (discord-api-docs#244)
	default:
		return 0
	}
}
