package endpoint

import (
	"bytes"
	"crypto/ed25519"
	"encoding/hex"
	"errors"
	"net/http"
	"os"
	"strconv"
	"time"

	"github.com/bwmarrin/discordgo"
	"github.com/rs/zerolog"
	"github.com/valyala/fastjson"

	"hostbot/bot/interaction"
)

// Headers of Discord's requests:
// https://discord.com/developers/docs/interactions/overview#setting-up-an-endpoint-validating-security-request-headers
const (
	headerSignature = "X-Signature-Ed25519"   // in hex, of the timestamp and the body
	headerTimestamp = "X-Signature-Timestamp" // in seconds since 1970
)

// MaxSkew is how far a timestamp may be from this machine's time. Discord names no limit, and its own libraries
// have none. Five minutes is what Stripe and Slack recommend for their webhooks: a server's clock may be off by
// minutes unnoticed, and a recorded request that is older is of no use.
const MaxSkew = 5 * time.Minute

// refusal is why a request is not accepted.
type refusal struct {
	status int
	reason string
}

// receive serves one request.
func (e *Endpoint) receive(w http.ResponseWriter, r *http.Request) {
	received := time.Now()
	event, refused := e.read(w, r, received)
	switch {
	case refused != nil:
		http.Error(w, refused.reason, refused.status)
		// Discord itself sends wrong signatures at times, and removes an endpoint that accepts one.
		e.cfg.Log.Debug().Str("reason", refused.reason).Msg("a request is refused")
	case event == nil: // a PING is answered in the response (discord-api-docs#7311)
		_ = writeJSON(w, []byte(`{"type":1}`))
	default:
		a := &answer{w: w, client: r.Context(), done: make(chan struct{})}
		event.Inline, event.ReceivedAt = a, received
		e.cfg.OnInteraction(event)
		a.wait(received.Add(answerLimit))
	}
}

// read returns the event in a request; nil for a PING. It reads the body only if the header may be Discord's, and
// parses nothing before the signature is verified.
func (e *Endpoint) read(w http.ResponseWriter, r *http.Request, now time.Time) (*interaction.Event, *refusal) {
	timestamp := r.Header.Get(headerTimestamp)
	signature, refused := e.signature(r.Header, timestamp, now)
	if refused != nil {
		return nil, refused
	}
	if r.ContentLength < 0 || r.ContentLength >= largeBody {
		select {
		case e.large <- struct{}{}:
			defer func() { <-e.large }()
		default:
			return nil, &refusal{http.StatusServiceUnavailable, "too many large requests at once"}
		}
	}
	signed := bytes.NewBufferString(timestamp) // grows with what arrives, whatever Content-Length says
	_, err := signed.ReadFrom(http.MaxBytesReader(w, r.Body, maxBody))
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return nil, &refusal{http.StatusRequestEntityTooLarge, "too large"}
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return nil, &refusal{http.StatusRequestTimeout, "the body is too slow"}
	}
	if err != nil {
		return nil, &refusal{http.StatusBadRequest, "not the whole body"}
	}
	if e.foreign.Load() || !ed25519.Verify(e.cfg.PublicKey, signed.Bytes(), signature) {
		return nil, notSigned()
	}
	e.keep(w)
	return parse(signed.Bytes()[len(timestamp):])
}

// signature returns the signature in a header, unless its form or its timestamp is wrong.
func (e *Endpoint) signature(h http.Header, timestamp string, now time.Time) ([]byte, *refusal) {
	signature, err := hex.DecodeString(h.Get(headerSignature))
	if err != nil || len(signature) != ed25519.SignatureSize {
		return nil, notSigned()
	}
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil {
		return nil, notSigned()
	}
	if now.Sub(time.Unix(seconds, 0)).Abs() > MaxSkew {
		e.clockOff.Begin(&e.cfg.Log, zerolog.ErrorLevel).Msg("a request is refused whose timestamp is too far from this machine's time: if it is discord's, this machine's clock is wrong")
		return nil, &refusal{http.StatusUnauthorized, "the timestamp is too far from this machine's time"}
	}
	return signature, nil
}

func notSigned() *refusal { return &refusal{http.StatusUnauthorized, "not signed by discord"} }

// parse returns the event in a body, or nil for a PING.
func parse(body []byte) (*interaction.Event, *refusal) {
	message, err := fastjson.ParseBytes(body)
	if err != nil || message.Type() != fastjson.TypeObject {
		return nil, &refusal{http.StatusBadRequest, "not an interaction"}
	}
	if interaction.TypeOf(message) == discordgo.InteractionPing {
		return nil, nil
	}
	return interaction.ReadEvent(message), nil
}
