package endpoint

import (
	"bytes"
	"crypto/ed25519"
	"encoding/hex"
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/bwmarrin/discordgo"
	"github.com/valyala/fastjson"

	"hostbot/bot/interaction"
)

// Headers of a request of Discord's:
// https://discord.com/developers/docs/interactions/overview#setting-up-an-endpoint-validating-security-request-headers
const (
	headerSignature = "X-Signature-Ed25519"   // in hex, of the timestamp and the body
	headerTimestamp = "X-Signature-Timestamp" // in seconds since 1970
)

// maxSkew is how far a timestamp may be from this machine's time. Discord names
// no limit, and its own libraries have none. Five minutes is what Stripe's and
// Slack's webhooks are checked with: clocks of servers may be wrong by minutes
// unnoticed, while a request that was recorded is of no use any more.
const maxSkew = 5 * time.Minute

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
		// A body that was not read costs the connection, which may be an attacker's.
		w.Header().Set("Connection", "close")
		http.Error(w, refused.reason, refused.status)
		// Discord itself sends signatures that are wrong, to see that they are refused,
		// and removes the address of an endpoint that takes one.
		e.cfg.Log.Debug().Str("reason", refused.reason).Msg("a request is refused")
	case event == nil: // which Discord wants to be answered here (discord-api-docs#7311)
		_ = writeJSON(w, []byte(`{"type":1}`))
	default:
		a := &answer{w: w, client: r.Context(), done: make(chan struct{})}
		event.Inline, event.ReceivedAt = a, received
		e.cfg.OnInteraction(event)
		a.wait(received.Add(answerLimit))
	}
}

// read returns the event in a request; nil for a PING. Nothing is parsed before it is
// known to be signed.
func (e *Endpoint) read(w http.ResponseWriter, r *http.Request, now time.Time) (*interaction.Event, *refusal) {
	size := r.ContentLength
	if size < 0 || size > maxBody { // not known, or not to be read to its end
		size = maxBody
	}
	size = max(size, usualBody)
	if !e.reading.TryAcquire(size) {
		return nil, &refusal{http.StatusServiceUnavailable, "too many at once"}
	}
	defer e.reading.Release(size)
	timestamp := r.Header.Get(headerTimestamp)
	signed := bytes.NewBufferString(timestamp) // which grows with what arrives
	_, err := signed.ReadFrom(http.MaxBytesReader(w, r.Body, maxBody))
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return nil, &refusal{http.StatusRequestEntityTooLarge, "too large"}
	}
	if err != nil {
		return nil, &refusal{http.StatusBadRequest, "not the whole body"}
	}
	signature, err := hex.DecodeString(r.Header.Get(headerSignature))
	if err != nil || e.foreign.Load() || !ed25519.Verify(e.cfg.PublicKey, signed.Bytes(), signature) {
		return nil, &refusal{http.StatusUnauthorized, "not signed by discord"}
	}
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil || now.Sub(time.Unix(seconds, 0)).Abs() > maxSkew {
		e.cfg.Log.Error().Msg("a request that discord has signed is refused: is this machine's clock right?")
		return nil, &refusal{http.StatusUnauthorized, "the timestamp is too far from this machine's time"}
	}
	return parse(signed.Bytes()[len(timestamp):])
}

// parse returns the event in a body, or nil for a PING.
func parse(body []byte) (*interaction.Event, *refusal) {
	message, err := fastjson.ParseBytes(body)
	if err != nil || message.Type() != fastjson.TypeObject {
		return nil, &refusal{http.StatusBadRequest, "not an interaction"}
	}
	if discordgo.InteractionType(message.GetUint("type")) == discordgo.InteractionPing {
		return nil, nil
	}
	return interaction.ReadEvent(message), nil
}
