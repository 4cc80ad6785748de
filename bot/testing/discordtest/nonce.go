package discordtest

import (
	"bytes"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"time"
)

// nonceMemory is how long a nonce is enforced. Discord says "the past few
// minutes" (docs:resources/message#create-message) and no source knows the
// figure; a bot that needs more than this relies on too much.
const nonceMemory = 3 * time.Minute

// maxNonce bounds a nonce, in characters (docs:resources/message#create-message).
const maxNonce = 25

// nonce is what a bot sends to know its message by.
type nonce struct {
	value    json.RawMessage // a string or an integer; empty where there is none
	enforced bool            // a message that has it already is not created again
}

// readNonce reads an integer or a string (docs:resources/message#create-message).
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

// nonces remembers the messages that were created with a nonce. Discord compares those
// "by the same author" (docs:resources/message#create-message), "by the same user" (#6647, staff). Neither
// names the channel, so it does not count here, which finds out who relies on it.
// The server's lock guards it.
type nonces struct {
	recent []*message // oldest first
}

func (n *nonces) remember(m *message) {
	if len(m.nonce) > 0 {
		n.recent = append(n.recent, m)
	}
}

// ForgetNonces has the messages be older than Discord remembers their nonces.
func (s *Server) ForgetNonces() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.nonces.recent = nil
}

// find returns the message that has an enforced nonce already, or nil. Of one
// that was deleted since, Discord says Unknown Message (#6647).
func (n *nonces) find(wanted nonce, now time.Time) (*message, *refusal) {
	n.recent = slices.DeleteFunc(n.recent, func(m *message) bool { return now.Sub(m.created) > nonceMemory })
	if !wanted.enforced || len(wanted.value) == 0 {
		return nil, nil
	}
	i := slices.IndexFunc(n.recent, func(m *message) bool { return bytes.Equal(m.nonce, wanted.value) })
	switch {
	case i < 0:
		return nil, nil
	case n.recent[i].deleted:
		return nil, denied(http.StatusNotFound, CodeUnknownMessage, "Unknown Message")
	}
	return n.recent[i], nil
}

// created is a message as the answer to its creation shows it: the nonce is
// told there alone (userdoccers:resources/message).
func created(m *message) wireMessage {
	answer := m.wire
	answer.Nonce = m.nonce
	return answer
}
