package discordtest

import (
	"context"
	"fmt"
	"slices"
)

// Reply is what comes of one thing that a user did: the message that answers a
// command, or the one that a press of a button changed or brought.
type Reply struct {
	user *User
	in   *interaction
	// focus is the follow-up that this is about; nil for the first response.
	focus *message
}

// ID is the interaction's.
func (r *Reply) ID() string { return r.in.id }

// View returns what the user sees now.
func (r *Reply) View() View {
	r.user.server.mu.Lock()
	defer r.user.server.mu.Unlock()
	return r.view()
}

func (r *Reply) view() View {
	switch {
	case r.focus != nil:
		return r.focus.view()
	case r.in.original != nil:
		return r.in.original.view()
	case r.in.modal != nil:
		return View{State: Asking, ChannelID: r.in.channel.id, Modal: r.in.modal}
	case r.in.failed:
		return View{State: Failed, ChannelID: r.in.channel.id}
	}
	return View{State: Waiting, ChannelID: r.in.channel.id}
}

// History returns all versions of the message, oldest first; none of a lean
// server.
func (r *Reply) History() []View {
	r.user.server.mu.Lock()
	defer r.user.server.mu.Unlock()
	if m := r.message(); m != nil {
		return slices.Clone(m.history)
	}
	return nil
}

func (r *Reply) message() *message {
	if r.focus != nil {
		return r.focus
	}
	return r.in.original
}

// FollowUps returns the further messages.
func (r *Reply) FollowUps() []View {
	r.user.server.mu.Lock()
	defer r.user.server.mu.Unlock()
	var views []View
	for _, m := range r.in.followUps {
		views = append(views, m.view())
	}
	return views
}

// Await waits until the user sees what done is content with. It returns what
// was seen last, with an error where that can never be or ctx is done.
func (r *Reply) Await(ctx context.Context, done func(View) bool) (View, error) {
	var last View
	err := r.wait(ctx, func() (bool, error) {
		last = r.view()
		if done(last) {
			return true, nil
		}
		if last.State == Failed || last.State == Deleted {
			return false, fmt.Errorf("%s: %s", r.in.name, last.State)
		}
		return false, nil
	})
	return last, err
}

// AwaitFollowUp waits for a further message with text anywhere in it.
func (r *Reply) AwaitFollowUp(ctx context.Context, text string) (*Reply, error) {
	var found *message
	err := r.wait(ctx, func() (bool, error) {
		i := slices.IndexFunc(r.in.followUps, func(m *message) bool { return m.view().Contains(text) })
		if i < 0 {
			return false, nil
		}
		found = r.in.followUps[i]
		return true, nil
	})
	return &Reply{user: r.user, in: r.in, focus: found}, err
}

// answered waits until there is a first response, or no more hope of one.
func (r *Reply) answered(ctx context.Context) error {
	return r.wait(ctx, func() (bool, error) { return r.in.answered != 0 || r.in.failed, nil })
}

// wait asks done, under the lock, after each change of what the reply shows.
func (r *Reply) wait(ctx context.Context, done func() (bool, error)) error {
	s := r.user.server
	for {
		s.mu.Lock()
		over, err := done()
		acted := r.in.changed.next()
		var edited <-chan struct{}
		if m := r.message(); m != nil {
			edited = m.changed.next()
		}
		s.mu.Unlock()
		if over || err != nil {
			return err
		}
		select {
		case <-acted:
		case <-edited:
		case <-ctx.Done():
			return fmt.Errorf("%s: %w", r.in.name, ctx.Err())
		case <-s.done:
			return errClosed
		}
	}
}

// Click presses a button by its label and waits until the bot has answered or
// failed to. A button that is missing or disabled is an error that names those
// that are there.
func (r *Reply) Click(ctx context.Context, label string) (*Reply, error) {
	v := r.View()
	button, err := v.Button(label)
	if err == nil && button.Disabled {
		_, err = v.Button("") // names those there are
		err = fmt.Errorf("button %q is disabled: %w", label, err)
	}
	if err != nil {
		return nil, err
	}
	return r.user.Click(ctx, v.ID, button.CustomID)
}

// Pick chooses options, by their labels, in the select menu with a placeholder,
// and waits until the bot has answered or failed to.
func (r *Reply) Pick(ctx context.Context, placeholder string, labels ...string) (*Reply, error) {
	return r.user.PickIn(ctx, r.View(), placeholder, labels...)
}

// Forget drops what the server keeps of the reply, its messages included, so
// that a long benchmark does not fill the memory.
func (r *Reply) Forget() {
	s := r.user.server
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, m := range append([]*message{r.in.original}, r.in.followUps...) {
		if m != nil && m != r.in.source {
			delete(s.messages, m.wire.ID)
			m.channel.messages = slices.DeleteFunc(m.channel.messages, func(other *message) bool { return other == m })
		}
	}
	s.forget(r.in)
}
