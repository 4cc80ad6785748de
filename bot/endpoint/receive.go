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

const (
	// maxTimestamp bounds a timestamp, in bytes.
	maxTimestamp = 20
	// maxSkew is how far a timestamp may be from this machine's time. Discord names
	// no limit, and its own libraries have none. Five minutes is what Stripe's and
	// Slack's webhooks are checked with: clocks of servers may be wrong by minutes
	// unnoticed, while a request that was recorded is of no use any more.
	maxSkew = 5 * time.Minute
)

// Why a request is not accepted.
var (
	errUnsigned  = errors.New("not signed by discord")
	errStale     = errors.New("the timestamp is too far from this machine's time")
	errTooLarge  = errors.New("too large")
	errBusy      = errors.New("too many at once")
	errMalformed = errors.New("not an interaction")
)

// receive serves one request.
func (e *Endpoint) receive(w http.ResponseWriter, r *http.Request) {
	received := time.Now()
	event, err := e.read(w, r, received)
	switch {
	case err == nil && event == nil: // which Discord wants to be answered here (discord-api-docs#7311)
		_ = writeJSON(w, []byte(`{"type":1}`))
	case err == nil:
		a := &answer{w: w, client: r.Context(), done: make(chan struct{})}
		event.Inline, event.ReceivedAt = a, received
		e.cfg.OnInteraction(event)
		a.wait(received.Add(answerLimit))
	default:
		// A body that was not read costs the connection, which may be an attacker's.
		w.Header().Set("Connection", "close")
		http.Error(w, err.Error(), statusOf(err))
		e.note(err)
	}
}

// read returns the event in a request; nil for a PING. What is not signed costs
// the same, whatever it holds: nothing is parsed before that is known.
func (e *Endpoint) read(w http.ResponseWriter, r *http.Request, now time.Time) (*interaction.Event, error) {
	timestamp, signature := r.Header.Get(headerTimestamp), r.Header.Get(headerSignature)
	if len(signature) != hex.EncodedLen(ed25519.SignatureSize) || timestamp == "" || len(timestamp) > maxTimestamp {
		return nil, errUnsigned
	}
	if r.ContentLength > maxBody {
		return nil, errTooLarge
	}
	size := r.ContentLength
	if size < 0 { // it is sent in chunks
		size = maxBody
	}
	if !e.bodies.TryAcquire(size) {
		return nil, errBusy
	}
	defer e.bodies.Release(size)
	var signed bytes.Buffer // which grows with what arrives
	signed.WriteString(timestamp)
	_, err := signed.ReadFrom(http.MaxBytesReader(w, r.Body, maxBody))
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return nil, errTooLarge
	}
	if err != nil {
		return nil, errMalformed
	}
	if err := e.verify(timestamp, signature, signed.Bytes(), now); err != nil {
		return nil, err
	}
	return parse(signed.Bytes()[len(timestamp):])
}

// verify checks the signature, and then the time at which Discord has signed.
func (e *Endpoint) verify(timestamp, signature string, signed []byte, now time.Time) error {
	decoded, err := hex.DecodeString(signature)
	if err != nil || !ed25519.Verify(e.cfg.PublicKey, signed, decoded) {
		return errUnsigned
	}
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil || now.Sub(time.Unix(seconds, 0)).Abs() > maxSkew {
		return errStale
	}
	return nil
}

// parse returns the event in a body, or nil for a PING.
func parse(body []byte) (*interaction.Event, error) {
	message, err := fastjson.ParseBytes(body)
	if err != nil || message.Type() != fastjson.TypeObject {
		return nil, errMalformed
	}
	if discordgo.InteractionType(message.GetUint("type")) == discordgo.InteractionPing {
		return nil, nil //nolint:nilnil // no event, and no mistake
	}
	return interaction.ReadEvent(message), nil
}

// note logs a refusal. Discord itself sends signatures that are wrong, to see that
// they are refused, and removes the address of an endpoint that takes one.
func (e *Endpoint) note(err error) {
	if errors.Is(err, errStale) {
		e.cfg.Log.Error().Err(err).Msg("a request that discord has signed is refused: is this machine's clock right?")
		return
	}
	e.cfg.Log.Debug().Err(err).Msg("a request is refused")
}

func statusOf(err error) int {
	switch {
	case errors.Is(err, errTooLarge):
		return http.StatusRequestEntityTooLarge
	case errors.Is(err, errBusy):
		return http.StatusServiceUnavailable
	case errors.Is(err, errMalformed):
		return http.StatusBadRequest
	default:
		return http.StatusUnauthorized
	}
}
