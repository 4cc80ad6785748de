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

// shown answers with a drawing of the caller's account. Where the account is
// old because the service is slow, it is drawn at once with its age, and drawn
// again when the service has answered.
func (c *Commands) shown(ctx context.Context, r *interaction.Request, draw drawing) (interaction.Response, error) {
	snapshot, err := c.accounts.Account(ctx, r.CustomerID, r.AnswerBy)
	if err != nil {
		return interaction.Response{}, err
	}
	p := c.page(r)
	p.age(snapshot)
	if snapshot.Update != nil {
		p.stale = p.t.Format("age.updating", args{"When": relative(snapshot.FetchedAt)})
	}
	message, err := draw(p, snapshot)
	if err != nil {
		return interaction.Response{}, err
	}
	response := p.respond(message)
	if update := snapshot.Update; update != nil {
		response.Then = func(ctx context.Context) (interaction.Response, error) {
			return c.redrawn(ctx, r, draw, snapshot, update)
		}
	}
	return response, nil
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
