package discordtest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Start types a command and does not wait for an answer.
func (u *User) Start(command string, options Options) (*Reply, error) {
	t, err := u.parse(command)
	if err != nil {
		return nil, err
	}
	given, err := u.given(t, options, "")
	if err != nil {
		return nil, fmt.Errorf("%s: %w", t.name(), err)
	}
	data := t.data(given)
	if found := u.resolve(given); len(found) > 0 {
		data["resolved"] = found
	}
	return u.act(&interaction{kind: kindCommand, name: t.name()}, data)
}

// Command types a command such as "/bot show" and waits until something is
// seen of an answer; that the bot is thinking counts, and so does that it did
// not respond.
func (u *User) Command(ctx context.Context, command string, options Options) (*Reply, error) {
	return seen(ctx)(u.Start(command, options))
}

// seen waits until a new reply is answered.
func seen(ctx context.Context) func(*Reply, error) (*Reply, error) {
	return func(r *Reply, err error) (*Reply, error) {
		if err != nil {
			return nil, err
		}
		return r, r.answered(ctx)
	}
}

// act sends an interaction.
func (u *User) act(in *interaction, data map[string]any) (*Reply, error) {
	in.user, in.channel = u.profile, u.channel
	if err := u.server.launch(in, data); err != nil {
		return nil, err
	}
	return &Reply{user: u, in: in}, nil
}

// Complete returns what the bot suggests for an option of which a part is
// typed. others are the options given so far; the bot gets of users and
// channels among them the ids alone, as Discord resolves nothing here (JDA
// CommandInteractionPayload.java).
func (u *User) Complete(ctx context.Context, command, option, part string, others Options) ([]Choice, error) {
	t, err := u.parse(command)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(t.options, func(o CommandOption) bool { return o.Name == option })
	if i < 0 || !t.options[i].Autocomplete {
		return nil, fmt.Errorf("%s has no option %q that is completed", t.name(), option)
	}
	options := Options{option: part}
	for name, value := range others {
		options[name] = value
	}
	given, err := u.given(t, options, option)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", t.name(), err)
	}
	in := &interaction{kind: kindAutocomplete, name: t.name() + " (completing " + option + ")", focusedType: t.options[i].Type}
	r, err := seen(ctx)(u.act(in, t.data(given)))
	if err != nil {
		return nil, err
	}
	defer r.Forget()
	u.server.mu.Lock()
	defer u.server.mu.Unlock()
	if in.failed {
		return nil, errors.New("loading options failed")
	}
	return in.choices, nil
}

// Click presses a button of a message by its custom id, and waits until the
// bot has answered or failed to.
func (u *User) Click(ctx context.Context, messageID, customID string) (*Reply, error) {
	m, c, err := u.component(messageID, customID)
	if err != nil {
		return nil, err
	}
	if c.Type != TypeButton || c.Style == styleLink {
		return nil, fmt.Errorf("%q is no button that the bot hears of", customID)
	}
	data := map[string]any{"custom_id": c.CustomID, "component_type": c.Type, "id": c.ID}
	return seen(ctx)(u.act(&interaction{kind: kindComponent, name: "button " + c.Label, source: m}, data))
}

// Pick chooses values in a select menu of a message by its custom id, and waits
// until the bot has answered or failed to.
func (u *User) Pick(ctx context.Context, messageID, customID string, values ...string) (*Reply, error) {
	m, c, err := u.component(messageID, customID)
	if err != nil {
		return nil, err
	}
	if c.Type != TypeSelect && c.Type != TypeRoles {
		return nil, fmt.Errorf("%q is no select menu", customID)
	}
	if err := selected(c, values); err != nil {
		return nil, err
	}
	if err := u.choose(m, c, values); err != nil {
		return nil, err
	}
	data := map[string]any{"custom_id": c.CustomID, "component_type": c.Type, "id": c.ID, "values": append([]string{}, values...)}
	if c.Type == TypeRoles {
		u.server.mu.Lock()
		data["resolved"] = u.server.resolveRoles(values)
		u.server.mu.Unlock()
	}
	return seen(ctx)(u.act(&interaction{kind: kindComponent, name: "select menu " + c.Placeholder, source: m}, data))
}

// choose has values stand in a select menu until its message is updated. The client sends nothing for
// those that stand there already (#4801, staff: "working as intended"; #7765). An answer beside
// the message lets them stand, and so does a deferred update (#3441; discordjs/discord.js#10797).
func (u *User) choose(m *message, c Component, values []string) error {
	u.server.mu.Lock()
	defer u.server.mu.Unlock()
	menu := u.ID + " " + c.CustomID
	standing, ok := m.chosen[menu]
	if !ok {
		for _, o := range c.Options {
			if o.Default {
				standing = append(standing, o.Value)
			}
		}
	}
	if slices.Equal(slices.Sorted(slices.Values(standing)), slices.Sorted(slices.Values(values))) {
		return fmt.Errorf("%q stands in the select menu already, so the client sends nothing", values)
	}
	if m.chosen == nil {
		m.chosen = make(map[string][]string)
	}
	m.chosen[menu] = slices.Clone(values)
	return nil
}

// PickIn is Pick by what a user sees: the placeholder of the menu, and the labels of options.
func (u *User) PickIn(ctx context.Context, v View, placeholder string, labels ...string) (*Reply, error) {
	menu, err := v.Select(placeholder)
	if err != nil {
		return nil, err
	}
	values := make([]string, len(labels))
	for i, label := range labels {
		k := slices.IndexFunc(menu.Options, func(o SelectOption) bool { return o.Label == label || o.Value == label })
		if k < 0 {
			there := make([]string, len(menu.Options))
			for n, o := range menu.Options {
				there[n] = fmt.Sprintf("%q", o.Label)
			}
			return nil, fmt.Errorf("no option %q; there: %s", label, strings.Join(there, ", "))
		}
		values[i] = menu.Options[k].Value
	}
	return u.Pick(ctx, v.ID, menu.CustomID, values...)
}

// selected refuses a choice that Discord's client does not offer.
func selected(c Component, values []string) error {
	least, most := selectable(&c)
	if len(values) < least || len(values) > most {
		return fmt.Errorf("%d to %d options are to be chosen, not %d", least, most, len(values))
	}
	for _, value := range values {
		if !slices.ContainsFunc(c.Options, func(o SelectOption) bool { return o.Value == value }) {
			return fmt.Errorf("no option with value %q", value)
		}
	}
	return nil
}

// component returns a component of a message that the user sees, in the channel or at the head
// of the thread that was started from it. No source says where Discord shows what a press there
// leads to; here in the thread.
func (u *User) component(messageID, customID string) (*message, Component, error) {
	u.server.mu.Lock()
	defer u.server.mu.Unlock()
	m := u.server.messages[messageID]
	if m == nil || m.visibleTo != "" && m.visibleTo != u.ID || m.channel != u.channel && m.thread != u.channel {
		return nil, Component{}, fmt.Errorf("%s sees no message %q", u.Name, messageID)
	}
	for _, c := range flatten(m.wire.Components) {
		if c.CustomID != customID || customID == "" {
			continue
		}
		if c.Disabled {
			return nil, Component{}, fmt.Errorf("%q is disabled", strings.TrimSpace(c.Label+c.Placeholder))
		}
		return m, c, nil
	}
	return nil, Component{}, fmt.Errorf("the message has no component %q", customID)
}

// Say writes a message that everybody in the channel sees. The bot, which has
// no intent for messages, gets no event of it.
func (u *User) Say(content string) View {
	u.server.mu.Lock()
	defer u.server.mu.Unlock()
	m := u.server.newMessageBy(u.profile.wire(), u.channel)
	m.wire.Content = content
	u.server.publish(m)
	return m.view()
}

// Dismiss takes an ephemeral message away, as its user can.
func (u *User) Dismiss(messageID string) error {
	u.server.mu.Lock()
	defer u.server.mu.Unlock()
	m := u.server.messages[messageID]
	if m == nil || m.visibleTo != u.ID {
		return fmt.Errorf("%s sees no ephemeral message %q", u.Name, messageID)
	}
	_ = u.server.remove(m) // not deleted yet, as it was found
	return nil
}
