package gateway

import (
	"errors"
	"fmt"
)

// FinalError is Discord's word that connecting again is no use.
type FinalError struct {
	Code int // close code
}

func (e *FinalError) Error() string {
	return fmt.Sprintf("discord ended the connection for good: %s (close code %d)", finalReason(e.Code), e.Code)
}

// finalReason returns what to do about a final close code, or "" where the
// code is not final.
func finalReason(code int) string {
	switch code {
	case 4004:
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

// What Discord can ask for without a close frame.
var (
	errReconnect = errors.New("discord asked to reconnect")
	errResumable = errors.New("discord asked to resume the session")
	errSilent    = errors.New("the gateway acknowledged no heartbeat")
)

func finalError(reason error) *FinalError {
	var closed *closeError
	if errors.As(reason, &closed) && finalReason(closed.code) != "" {
		return &FinalError{Code: closed.code}
	}
	return nil
}
