package discordtest

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"time"
)

// nonceMemory is how long a nonce is enforced. Discord says "the past few
// minutes"; a bot that needs more than this relies on too much.
const nonceMemory = 3 * time.Minute

// maxNonce bounds a nonce, in characters.
const maxNonce = 25

// nonce is what a bot sends to know its message by.
type nonce struct {
	value    json.RawMessage // a string or an integer; empty where there is none
	enforced bool            // a message that has it already is not created again
}

func readNonce(c *call) (nonce, *refusal) {
	var body struct {
		Nonce   optional[json.RawMessage] `json:"nonce"`
		Enforce bool                      `json:"enforce_nonce"`
	}
	if refused := c.decode(&body); refused != nil {
		return nonce{}, refused
	}
	n := nonce{body.Nonce.value, body.Enforce}
	var text string
	switch {
	case len(n.value) == 0:
		return n, nil
	case json.Unmarshal(n.value, &text) == nil:
		if length(text) <= maxNonce {
			return n, nil
		}
	default:
		if _, err := strconv.ParseInt(string(n.value), 10, 64); err == nil {
			return n, nil
		}
	}
	p := &problems{}
	p.add("nonce", "NONCE_TYPE_INVALID", "A nonce is an integer or a string of at most %d characters.", maxNonce)
	return nonce{}, p.refusal()
}

// withNonce returns the recent message that has an enforced nonce, in whichever
// channel, or nil.
func (s *Server) withNonce(n nonce) *message {
	if !n.enforced || len(n.value) == 0 {
		return nil
	}
	since := s.clock.Now().Add(-nonceMemory)
	for _, ch := range s.channels {
		for _, m := range slices.Backward(ch.messages) {
			if m.created.Before(since) {
				break
			}
			if bytes.Equal(m.nonce, n.value) {
				return m
			}
		}
	}
	return nil
}

// created is a message as the answer to its creation shows it: the nonce is
// told there alone.
func created(m *message) wireMessage {
	answer := m.wire
	answer.Nonce = m.nonce
	return answer
}
