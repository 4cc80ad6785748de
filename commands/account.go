package commands

import (
	"context"

	"hostbot/bot/interaction"
	"hostbot/bot/safetext"
	"hostbot/hostapi"
	"hostbot/hostapi/accounts"
)

// drawing is how a handler makes a message of an account.
type drawing func(*page, accounts.Snapshot) (interaction.Message, error)

// read passes the caller's account to a function, which refuses one that does not
// allow what is asked for. Where an old one is refused, that may have changed: a
// newer one is waited for then.
func (c *Commands) read(ctx context.Context, r *interaction.Request, use func(accounts.Snapshot) error) error {
	snapshot, err := c.accounts.Account(ctx, r.CustomerID, r.AnswerBy)
	if err != nil {
		return err
	}
	refusal := use(snapshot)
	if refusal == nil || snapshot.Update == nil {
		return refusal
	}
	if snapshot, err = snapshot.Update(ctx); err != nil {
		return err
	}
	return use(snapshot)
}

// shown answers with a drawing of the caller's account. Where the account is
// old because the service is slow, it is drawn at once with its age, and drawn
// again when the service has answered.
func (c *Commands) shown(ctx context.Context, r *interaction.Request, draw drawing) (interaction.Response, error) {
	var response interaction.Response
	err := c.read(ctx, r, func(snapshot accounts.Snapshot) error {
		p := c.page(r)
		p.age(snapshot)
		update := snapshot.Update
		if update != nil {
			p.stale = p.t.Format("age.updating", args{"When": relative(snapshot.FetchedAt)})
		}
		message, err := draw(p, snapshot)
		if err != nil {
			return err
		}
		response = p.respond(message)
		if update != nil {
			response.Then = func(ctx context.Context) (interaction.Response, error) {
				return c.redrawn(ctx, r, draw, snapshot, update)
			}
		}
		return nil
	})
	return response, err
}

// redrawn draws an account again once the service has answered, or says that it
// did not.
func (c *Commands) redrawn(ctx context.Context, r *interaction.Request, draw drawing, old accounts.Snapshot,
	update func(context.Context) (accounts.Snapshot, error)) (interaction.Response, error) {
	p := c.page(r)
	snapshot, failure := update(ctx)
	if hostapi.CodeOf(failure) == hostapi.CodeNotFound {
		return interaction.Response{}, failure // the account is no more
	}
	if failure != nil {
		snapshot = old
		p.stale = p.t.Format("age.failed", args{"When": relative(old.FetchedAt)}) + "\n" + p.reference()
	}
	message, err := draw(p, snapshot)
	if err != nil {
		return interaction.Response{}, err
	}
	response := p.respond(message)
	response.Failure = failure
	return response, nil
}

// age says how old an account is where it is older than it should be, and always
// to staff.
func (p *page) age(s accounts.Snapshot) {
	if p.request.ByStaff() {
		p.header = p.t.Format("staff.view_aged", args{"User": safetext.User(p.request.CustomerID), "When": relative(s.FetchedAt)})
	}
	p.stale = ""
	if s.Old {
		p.stale = p.t.Format("age.old", args{"When": relative(s.FetchedAt)})
	}
}
