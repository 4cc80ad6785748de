package discordtest

import (
	"context"
	"fmt"
	"maps"
	"slices"
)

// Fields are what a user enters into a modal, by label or custom id. The value
// of a select menu or a group of checkboxes is a string or a []string, each an option's value or
// label. That of a radio group is one of them, and that of a checkbox a bool.
type Fields map[string]any

// Fill enters fields into the modal that the bot opened, sends it and waits
// until the bot has answered or failed to. Fields that are not among these are sent as they are.
func (r *Reply) Fill(ctx context.Context, fields Fields) (*Reply, error) {
	r.user.server.mu.Lock()
	modal, instead := r.in.modal, r.view()
	r.user.server.mu.Unlock()
	if modal == nil {
		return nil, fmt.Errorf("no modal is open; the user sees:\n%s", instead.Text())
	}
	left := maps.Clone(fields)
	parts := []map[string]any{}
	for _, c := range modal.Components {
		part, err := fillPart(c, left)
		if err != nil {
			return nil, err
		}
		parts = append(parts, part)
	}
	if len(left) > 0 {
		return nil, fmt.Errorf("the modal has no field %q", slices.Sorted(maps.Keys(left))[0])
	}
	in := &interaction{kind: kindModal, name: "modal " + modal.Title, source: r.in.source, opener: r.in}
	return seen(ctx)(r.user.act(in, map[string]any{"custom_id": modal.CustomID, "components": parts}))
}

// SubmitModal is Fill for the modal of an interaction that is known by its id.
func (u *User) SubmitModal(ctx context.Context, interactionID string, fields Fields) (*Reply, error) {
	u.server.mu.Lock()
	in := u.server.byID[interactionID]
	u.server.mu.Unlock()
	if in == nil || in.user != u.profile {
		return nil, fmt.Errorf("%s has no interaction %q", u.Name, interactionID)
	}
	return (&Reply{user: u, in: in}).Fill(ctx, fields)
}

// fillPart turns a row or a label of a modal into what is sent of it, and takes
// the fields that it uses. A row has a list, a label one component, and a text no
// value (docs:interactions/receiving-and-responding#interaction-object-component-interaction-response-structures).
func fillPart(c Component, left Fields) (map[string]any, error) {
	part := map[string]any{"type": c.Type, "id": c.ID}
	switch {
	case c.Type == TypeRow && len(c.Components) == 1:
		filled, err := fillField(c.Components[0], c.Components[0].Label, left)
		part["components"] = []any{filled}
		return part, err
	case c.Type == TypeLabel && c.Component != nil:
		filled, err := fillField(*c.Component, c.Label, left)
		part["component"] = filled
		return part, err
	}
	return part, nil
}

func fillField(c Component, label string, left Fields) (map[string]any, error) {
	value, given := left[c.CustomID]
	delete(left, c.CustomID)
	if !given {
		value, given = left[label]
		delete(left, label)
	}
	filled := map[string]any{"type": c.Type, "id": c.ID, "custom_id": c.CustomID}
	switch c.Type {
	case TypeTextInput:
	case TypeCheckbox:
		filled["value"] = c.Default
		if given {
			filled["value"] = value == true
		}
		return filled, nil
	case TypeRadios:
		values, err := chosen(c, label, value)
		filled["value"] = nil // docs:components/reference#radio-group, where nothing is selected
		if len(values) > 0 {
			filled["value"] = values[0]
		}
		return filled, err
	default:
		values, err := chosen(c, label, value)
		filled["values"] = values
		return filled, err
	}
	text := c.Value
	if given {
		text = fmt.Sprint(value)
	}
	filled["value"] = text
	return filled, fits(c, label, text)
}

// fits refuses text that Discord's client does not send
// (docs:components/reference#text-input).
func fits(c Component, label, text string) error {
	least, most := or(c.MinLength, 0), or(c.MaxLength, maxInputValue)
	n := length(text)
	if n == 0 && !required(c) {
		return nil
	}
	if n == 0 || n < least || n > most {
		return fmt.Errorf("field %q takes %d to %d characters, not %d", label, max(least, 1), most, n)
	}
	return nil
}

// chosen returns the values of what has options in a modal, where a person who takes
// away what is selected by default passes an empty list.
func chosen(c Component, label string, value any) ([]string, error) {
	values := []string{}
	switch v := value.(type) {
	case nil:
		for _, o := range c.Options {
			if o.Default {
				values = append(values, o.Value)
			}
		}
	case []string:
		values = append(values, v...)
	default:
		values = []string{fmt.Sprint(v)}
	}
	for i, wanted := range values {
		for _, o := range c.Options {
			if o.Label == wanted {
				values[i] = o.Value
			}
		}
	}
	if len(values) == 0 && !required(c) {
		return values, nil
	}
	if err := selected(c, values); err != nil {
		return nil, fmt.Errorf("field %q: %w", label, err)
	}
	return values, nil
}
