package gateway

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"time"
)

// FinalError is Discord's word that connecting again is no use.
type FinalError struct {
	Code int // close code, or HTTP status where not even the address was given
}

func (e *FinalError) Error() string {
	return fmt.Sprintf("discord refuses the connection for good: %s (code %d)", finalReason(e.Code), e.Code)
}

// finalReason returns what to do about a final code, or "" where the code is
// not final.
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

// statusError is the answer to the question where the gateway is.
type statusError struct {
	status int
	delay  time.Duration // that Discord asks for before the next try
}

func (e *statusError) Error() string {
	return fmt.Sprintf("discord answered status %d when asked for the gateway's address", e.status)
}

// limitError says that no session may be started before some time.
type limitError struct{ delay time.Duration }

func (e *limitError) Error() string {
	return fmt.Sprintf("discord allows no further session for %v", e.delay.Round(time.Second))
}

// What Discord can ask for without a close frame, and what ends a connection
// without a word of Discord's.
var (
	errReconnect = errors.New("discord asked to reconnect")
	errResumable = errors.New("discord asked to resume the session")
	errInvalid   = errors.New("discord gave up the session")
	errNonsense  = errors.New("the gateway sent what makes no sense")
	errSilent    = errors.New("the gateway acknowledged no heartbeat")
	errGivenUp   = errors.New("the library gave the connection up")
	errStuck     = errors.New("the library did not let go of the connection")
)

// finalError returns what reason means if it is final, or nil.
func finalError(reason error) *FinalError {
	code := 0
	var closed *closeError
	var answered *statusError
	switch {
	case errors.As(reason, &closed):
		code = closed.code
	case errors.As(reason, &answered):
		code = answered.status
	}
	if finalReason(code) == "" {
		return nil
	}
	return &FinalError{Code: code}
}

// endsSession tells of reasons after which the session is not resumed: Discord
// would not, or the library that keeps it is wedged, whatever Discord said last.
func endsSession(reason error) bool {
	var closed *closeError
	switch {
	case errors.Is(reason, errStuck), errors.Is(reason, errInvalid):
		return true
	case errors.As(reason, &closed):
		return closed.code == 4003 || closed.code == 4007 || closed.code == 4009
	default:
		return false
	}
}

// delayOf returns how long Discord asks to wait, or 0.
func delayOf(reason error) time.Duration {
	var answered *statusError
	var limited *limitError
	switch {
	case errors.As(reason, &answered):
		return answered.delay
	case errors.As(reason, &limited):
		return limited.delay
	case errors.Is(reason, errInvalid):
		return time.Second + rand.N(4*time.Second)
	default:
		return 0
	}
}
