package discordtest

import (
	"encoding/json"
	"fmt"
)

// Mistakes returns what Discord would refuse in a first response to an interaction,
// JSON with a type and data. Choices are for an option of type string.
func Mistakes(response []byte) []string {
	var body callbackBody
	if err := json.Unmarshal(response, &body); err != nil {
		return []string{err.Error()}
	}
	in := &interaction{kind: kindComponent, focusedType: optionString}
	if body.Type == callbackChoices {
		in.kind = kindAutocomplete
	}
	p := &problems{}
	body.validate(p, in)
	var mistakes []string
	if n := body.message.weight(); n > maxWeight {
		mistakes = append(mistakes, fmt.Sprintf("the embeds and components weigh %d bytes", n))
	}
	for _, m := range p.list {
		mistakes = append(mistakes, fmt.Sprintf("%s: %s %s", m.path, m.code, m.message))
	}
	return mistakes
}
