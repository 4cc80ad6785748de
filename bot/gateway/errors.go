package gateway

import (
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/bwmarrin/discordgo"
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

// statusError is the answer to the question where the gateway is. The
// library's own error would hold the request, with the token.
type statusError struct {
	status int
	delay  time.Duration // that Discord asks for before the next try
}

func (e *statusError) Error() string {
	return fmt.Sprintf("discord answered status %d when asked for the gateway's address", e.status)
}

// What Discord can ask for without a close frame.
var (
	errReconnect = errors.New("discord asked to reconnect")
	errResumable = errors.New("discord asked to resume the session")
	errNonsense  = errors.New("the gateway sent what makes no sense")
	errSilent    = errors.New("the gateway acknowledged no heartbeat")
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

// connectError returns why Open failed.
func connectError(err error) error {
	var answered *discordgo.RESTError
	if errors.As(err, &answered) && answered.Response != nil {
		return &statusError{status: answered.Response.StatusCode}
	}
	var limited *discordgo.RateLimitError
	if errors.As(err, &limited) {
		return &statusError{status: http.StatusTooManyRequests, delay: limited.RetryAfter}
	}
	return err
}

// delayOf returns how long Discord asks to wait, or 0.
func delayOf(reason error) time.Duration {
	var answered *statusError
	if errors.As(reason, &answered) {
		return answered.delay
	}
	return 0
}
