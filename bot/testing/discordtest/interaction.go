package discordtest

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"time"
)

// Time limits of an interaction
// (docs:interactions/receiving-and-responding#interaction-callback). Discord counts
// both from when it sends the event.
const (
	firstResponseLimit = 3 * time.Second
	tokenLife          = 15 * time.Minute
)

// unconfirmed is after what time a second first response is no mistake of the bot's:
// on a busy machine the answer to the first may take that long.
const unconfirmed = 500 * time.Millisecond

// maxInteractions is when interactions whose token is void are swept out.
const maxInteractions = 1000

// Interaction types
// (docs:interactions/receiving-and-responding#interaction-object-interaction-type).
const (
	kindCommand      = 2
	kindComponent    = 3
	kindAutocomplete = 4
	kindModal        = 5
)

// interaction is one thing a user did, and what came of it.
type interaction struct {
	id, token string
	kind      int
	name      string // what the user did, for failures
	user      *profile
	channel   *channel
	created   time.Time
	metadata  map[string]any
	event     json.RawMessage // the data of INTERACTION_CREATE
	// source is the message whose component was used, or from whose component
	// the modal came.
	source      *message
	opener      *interaction // that opened the modal
	focusedType int          // of the option that is completed
	target      *profile     // in whose context menu a command was chosen

	// The server's lock guards what follows.
	answered  int       // type of the callback; 0 while there is none
	tried     time.Time // when the first callback came, by this machine's clock
	failed    bool
	hindered  bool     // what was asked for here stood in the way of a first response
	thinking  bool     // deferred: the first follow-up fills original
	original  *message // what @original means
	followUps []*message
	choices   []Choice
	modal     *Modal
	stop      func() bool
	changed   notifier
}

func (in *interaction) stopTimer() {
	if in.stop != nil {
		in.stop()
	}
}

// launch makes an interaction known, starts its time and sends its event to the
// shard that serves the guild (docs:events/gateway#sharding). By
// userdoccers:gateway/gateway-events Discord sends all of them to the first shard.
func (s *Server) launch(in *interaction, data map[string]any) error {
	in.id = s.ids.next()
	in.token = interactionToken(in.id)
	in.created = s.clock.Now()
	event, err := s.payload(in, data)
	if err != nil {
		return err
	}
	in.event = event

	s.mu.Lock()
	s.sweepInteractions()
	s.interactions[in.token], s.byID[in.id] = in, in
	in.stop = s.clock.AfterFunc(firstResponseLimit, func() { s.expire(in) })
	s.mu.Unlock()

	if !s.deliver(in.channel.guildID, in, event) {
		s.hinder(in.token)
	}
	return nil
}

// deliver sends the event of an interaction, which is nil where it never was, to where
// the application receives interactions. It reports whether there was somebody.
func (s *Server) deliver(guildID string, in *interaction, event json.RawMessage) bool {
	targets := s.endpoints.targets()
	for _, address := range targets {
		s.handlers.Go(func() { s.post(address, in, event) })
	}
	return len(targets) > 0 || !s.commands.sendsInteractions() || s.gateway.dispatch(guildID, "INTERACTION_CREATE", event)
}

// hinder notes that an interaction's first response cannot come in time by what
// was asked for here.
func (s *Server) hinder(token string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if in := s.interactions[token]; in != nil && in.answered == 0 {
		in.hindered = true
	}
}

// hindered reports whether that is known of the interaction that a call answers.
func (s *Server) hindered(c *call) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	in := s.interactions[c.r.PathValue("token")]
	return in != nil && in.hindered
}

// expire is called when the time for a first response is over.
func (s *Server) expire(in *interaction) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if in.answered != 0 || in.failed {
		return
	}
	in.failed = true
	in.changed.notify()
	s.failed(in.hindered, in.name, "no first response within %v", firstResponseLimit)
}

// InteractionTokens returns the tokens of the interactions so far, but for those that
// are forgotten.
func (s *Server) InteractionTokens() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Collect(maps.Keys(s.interactions))
}

// sweepInteractions forgets, once there are many, those whose token is void.
// Their messages stay.
func (s *Server) sweepInteractions() {
	if len(s.interactions) < maxInteractions || s.cfg.Lean {
		return
	}
	for _, in := range s.interactions {
		if s.clock.Now().Sub(in.created) > 2*tokenLife {
			s.forget(in)
		}
	}
}

func (s *Server) forget(in *interaction) {
	in.stopTimer()
	delete(s.interactions, in.token)
	delete(s.byID, in.id)
}

// awaiting returns the interaction that a callback answers, or says why it can
// not. A second response gets 40060 here, a late one 10062; at Discord 10062 may
// stand for either, and meets good answers too (see Refused).
func (s *Server) awaiting(id, token string) (*interaction, *refusal) {
	in := s.interactions[token]
	switch {
	case in == nil || in.id != id:
		return nil, unknownInteraction()
	case in.answered != 0:
		refused := refuse(http.StatusBadRequest, CodeAlreadyAcknowledged, "Interaction has already been acknowledged.")
		// A bot may send a response again that was not confirmed for so long.
		refused.innocent = time.Since(in.tried) >= unconfirmed
		return nil, refused
	case in.failed || s.clock.Now().Sub(in.created) > firstResponseLimit:
		return nil, unknownInteraction()
	}
	return in, nil
}

func unknownInteraction() *refusal {
	return refuse(http.StatusNotFound, CodeUnknownInteraction, "Unknown interaction")
}

// underway returns the interaction whose token a webhook call uses. A token that
// is too old is refused with 401 (discordjs/discord.js#10798), one whose
// interaction has no response yet with 404 (discordjs/discord.js#10587,
// Rapptz/discord.py#10461). No source knows the answer to a token that never was;
// it is taken for one that is too old.
func (s *Server) underway(c *call) (*interaction, *refusal) {
	if c.r.PathValue("application") != s.app.id {
		return nil, refuse(http.StatusNotFound, CodeUnknownWebhook, "Unknown Webhook")
	}
	in := s.interactions[c.r.PathValue("token")]
	switch {
	case in == nil || s.clock.Now().Sub(in.created) > tokenLife:
		return nil, refuse(http.StatusUnauthorized, CodeInvalidToken, "Invalid Webhook Token")
	case in.answered == 0 || in.kind == kindAutocomplete:
		return nil, refuse(http.StatusNotFound, CodeUnknownWebhook, "Unknown Webhook")
	}
	return in, nil
}
