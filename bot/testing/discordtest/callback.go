package discordtest

import (
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"time"
)

// Callback types
// (docs:interactions/receiving-and-responding#interaction-response-object-interaction-callback-type).
const (
	callbackMessage        = 4
	callbackDeferred       = 5
	callbackDeferredUpdate = 6
	callbackUpdate         = 7
	callbackChoices        = 8
	callbackModal          = 9
)

// callbackBody is a first response.
type callbackBody struct {
	Type int             `json:"type"`
	Data json.RawMessage `json:"data"`

	message messageBody
	choices []Choice
	modal   Modal
}

// postCallback takes the first response to an interaction
// (docs:interactions/receiving-and-responding#create-interaction-response). No
// source says whether a response that is refused with 400 uses the interaction
// up; here it does not.
func (s *Server) postCallback(c *call) (any, *refusal) {
	s.mu.Lock()
	in, refused := s.awaiting(c.r.PathValue("id"), c.r.PathValue("token"))
	if refused == nil && in.tried.IsZero() {
		in.tried = time.Now()
	}
	s.mu.Unlock()
	if refused != nil {
		return nil, refused
	}
	var body callbackBody
	if refused := c.decode(&body); refused != nil {
		return nil, refused
	}
	p := &problems{}
	body.message.files = c.files
	body.validate(p, in)
	if refused := s.check(c, p, body.component()); refused != nil {
		return nil, refused
	}
	if body.message.tooHeavy() != nil { // a first response is refused in other words (#7310)
		return nil, unknownInteraction()
	}

	s.mu.Lock()
	defer s.mu.Unlock()
	if _, refused := s.awaiting(in.id, in.token); refused != nil {
		return nil, refused // another response was faster
	}
	if refused := s.answer(in, &body); refused != nil {
		return nil, refused
	}
	in.answered = body.Type
	in.stopTimer()
	in.changed.notify()
	if withResponse, _ := strconv.ParseBool(c.r.URL.Query().Get("with_response")); withResponse {
		return s.callbackResponse(in), nil
	}
	return nil, nil
}

// component names the part of Discord's description that fits the type.
func (b *callbackBody) component() string {
	switch b.Type {
	case callbackDeferredUpdate, callbackUpdate:
		return "UpdateMessageInteractionCallbackRequest"
	case callbackChoices:
		return "ApplicationCommandAutocompleteCallbackRequest"
	case callbackModal:
		return "ModalInteractionCallbackRequest"
	default:
		return "CreateMessageInteractionCallbackRequest"
	}
}

// validate checks the response and that it fits the interaction.
func (b *callbackBody) validate(p *problems, in *interaction) {
	if !b.fits(in) {
		p.add("type", "INTERACTION_CALLBACK_TYPE_INVALID", "Callback type %d does not answer this interaction.", b.Type)
		return
	}
	switch b.Type {
	case callbackMessage:
		if b.decodeData(p, &b.message, true) {
			b.message.validate(p, "data", replyFlags)
		}
	case callbackUpdate:
		// Without data, or with {}, the message stays as it is (#4619).
		if b.decodeData(p, &b.message, false) {
			b.message.validate(p, "data", anyFlags)
		}
	case callbackDeferred:
		// docs:interactions/receiving-and-responding#interaction-response-object-messages
		if b.decodeData(p, &b.message, false) && b.message.Flags.value&^flagEphemeral != 0 {
			p.add("data.flags", "BASE_TYPE_CHOICES", "A deferred response may only set the EPHEMERAL flag.")
		}
	case callbackChoices:
		var data struct {
			Choices *[]Choice `json:"choices"`
		}
		if b.decodeData(p, &data, true) {
			if data.Choices == nil {
				p.required("data.choices")
				return
			}
			b.choices = *data.Choices
			validateChoices(p, "data.choices", b.choices, in.focusedType)
		}
	case callbackModal:
		if b.decodeData(p, &b.modal, true) {
			validateModal(p, "data", &b.modal)
		}
	}
}

// fits reports whether the type of a response answers the interaction, as
// docs:interactions/receiving-and-responding#interaction-response-object says: 6
// and 7 for components alone, 9 not for a modal. Of a modal that a component
// opened, libraries take 6 and 7 for allowed (discord.js
// ModalSubmitInteraction.js). That 8 goes with autocompletion alone is no
// documented rule, and none knows the code of a type that does not fit.
func (b *callbackBody) fits(in *interaction) bool {
	switch b.Type {
	case callbackMessage, callbackDeferred:
		return in.kind != kindAutocomplete
	case callbackDeferredUpdate, callbackUpdate:
		return in.kind == kindComponent || in.kind == kindModal && in.source != nil
	case callbackChoices:
		return in.kind == kindAutocomplete
	case callbackModal:
		return in.kind == kindCommand || in.kind == kindComponent
	}
	return false
}

// decodeData reads the data into out and reports whether there was any.
func (b *callbackBody) decodeData(p *problems, out any, required bool) bool {
	if len(b.Data) == 0 || string(b.Data) == "null" {
		if required {
			p.required("data")
		}
		return false
	}
	if err := json.Unmarshal(b.Data, out); err != nil {
		path := "data"
		var wrong *json.UnmarshalTypeError
		if errors.As(err, &wrong) {
			path = at("data", wrong.Field)
		}
		p.add(path, "BASE_TYPE_CONVERT", "%v", err)
		return false
	}
	return true
}

// answer lets a valid response happen.
func (s *Server) answer(in *interaction, b *callbackBody) *refusal {
	if in.channel.access == Locked && in.channel.closed() && (b.Type == callbackMessage || b.Type == callbackDeferred) {
		return threadArchived() // #5517
	}
	switch b.Type {
	case callbackMessage:
		m, refused := s.newReply(in, &b.message)
		in.original = m
		return refused
	case callbackDeferred:
		in.original = s.newThinking(in, b.message.Flags.value&flagEphemeral != 0)
		in.thinking = true
	case callbackDeferredUpdate:
		in.original = in.source
	case callbackUpdate:
		in.original = in.source
		if len(b.Data) == 0 {
			return s.resetMenus(in.source)
		}
		return s.edit(in.source, &b.message)
	case callbackChoices:
		in.choices = b.choices
	case callbackModal:
		in.modal = in.user.sees(&b.modal)
	}
	return nil
}

// callbackResponse is the answer to ?with_response=true
// (docs:interactions/receiving-and-responding#interaction-callback).
func (s *Server) callbackResponse(in *interaction) any {
	about := map[string]any{"id": in.id, "type": in.kind}
	resource := map[string]any{"type": in.answered}
	if in.original != nil {
		about["response_message_id"] = in.original.wire.ID
		about["response_message_ephemeral"] = in.original.visibleTo != ""
		about["response_message_loading"] = in.thinking
		resource["message"] = in.original.wire
	}
	answer := map[string]any{"interaction": about}
	if in.answered != callbackChoices && in.answered != callbackModal {
		answer["resource"] = resource
	}
	return answer
}

// validateChoices checks suggestions for an option of the given type
// (docs:interactions/application-commands#application-command-object-application-command-option-choice-structure).
func validateChoices(p *problems, path string, choices []Choice, optionType int) {
	if len(choices) > maxChoices {
		p.add(path, "BASE_TYPE_MAX_LENGTH", "Must be %d or fewer in length.", maxChoices)
	}
	for i, choice := range choices {
		filled(p, at(path, i, "name"), choice.Name, maxChoiceText)
		for locale, name := range choice.NameLocalizations {
			validateLocale(p, at(path, i, "name_localizations"), locale)
			filled(p, at(path, i, "name_localizations", locale), name, maxChoiceText)
		}
		validateValue(p, at(path, i, "value"), choice.Value, optionType)
	}
}

// validateValue checks that a choice's value is of its option's type.
func validateValue(p *problems, path string, value any, optionType int) {
	switch v := value.(type) {
	case string:
		if optionType != optionString {
			p.add(path, "NUMBER_TYPE_COERCE", "Value %q is not a number.", v)
			return
		}
		filled(p, path, v, maxChoiceText)
	case float64:
		if optionType == optionString {
			p.add(path, "STRING_TYPE_CONVERT", "Could not convert %v to string.", v)
		}
		if optionType == optionInteger && v != float64(int64(v)) {
			p.add(path, "NUMBER_TYPE_COERCE", "Value %v is not int.", v)
		}
	default:
		p.required(path)
	}
}

func unknownMessage() *refusal {
	return refuse(http.StatusNotFound, CodeUnknownMessage, "Unknown Message")
}
