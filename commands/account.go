package commands

import (
	"context"
	"time"

	"hostbot/bot/interaction"
	"hostbot/bot/sanitize"
	"hostbot/hostapi"
	"hostbot/hostapi/accounts"
)

// age is how old the account is that a message shows.
type age struct {
	fetchedAt time.Time // zero where none is shown
	key       string    // of the text that says so; "" for an account that is as new as it should be
	why       error     // that there is no newer one; nil where the service has not answered yet
	reported  bool      // staff are told why, under the reference of the request
}

// The texts that say how old an account is. Why it is old stands before.
const (
	ageOld      = "age.old"
	ageUpdating = "age.updating" // a newer one will take its place
)

func ageOf(s accounts.Snapshot) age {
	if s.Old {
		return age{fetchedAt: s.FetchedAt, key: ageOld, why: s.Failure}
	}
	return age{fetchedAt: s.FetchedAt}
}

// heading is the top of a message: whose account it shows, where staff read it, what
// was done, and how old the account is.
func (v view) heading(a age, notice string) string {
	whose, old := "", ""
	switch user := sanitize.User(v.asked.CustomerID); {
	case v.asked.ByStaff() && a.fetchedAt.IsZero():
		whose = v.t.Format("staff.view", args{"User": user})
	case v.asked.ByStaff():
		whose = v.t.Format("staff.view_aged", args{"User": user, "When": relative(a.fetchedAt)})
	}
	if a.key != "" {
		old = v.t.Text("age."+silenceOf(a.why)) + " " + v.t.Format(a.key, args{"When": relative(a.fetchedAt)})
	}
	if a.reported {
		old += "\n" + v.referenceLine()
	}
	if notice != "" && v.asked.ByStaff() {
		notice = v.t.Format("staff.notice", args{"Name": v.customerName(), "Notice": notice})
	}
	return paragraphs(whose, notice, old)
}

// read passes the customer's account to a function, which may refuse what is asked
// for. Where the service is still being asked, a newer account may allow it, so the
// function gets that one as well.
func read[T any](ctx context.Context, c *Commands, r *interaction.Request, use func(accounts.Snapshot) (T, error)) (T, error) {
	var none T
	snapshot, err := c.accounts.Account(ctx, r.CustomerID, r.AnswerBy)
	if err != nil {
		return none, err
	}
	result, refusal := use(snapshot)
	if refusal == nil || snapshot.Update == nil {
		return result, refusal
	}
	if snapshot, err = snapshot.Update(ctx); err != nil {
		return none, err
	}
	return use(snapshot)
}

// drawing draws an account, or refuses what is asked for.
type drawing func(hostapi.List, age) (interaction.Response, error)

// shown answers with a drawing of the customer's account. Where that is old because
// the service is slow, it is drawn at once, and again when the service has answered.
func (c *Commands) shown(ctx context.Context, r *interaction.Request, draw drawing) (interaction.Response, error) {
	return read(ctx, c, r, func(s accounts.Snapshot) (interaction.Response, error) {
		if s.Update == nil {
			return draw(s.List, ageOf(s))
		}
		response, err := draw(s.List, age{fetchedAt: s.FetchedAt, key: ageUpdating})
		response.Then = func(ctx context.Context) (interaction.Response, error) { return draw.again(ctx, s) }
		return response, err
	})
}

// again draws an account again once the service has answered, or says that it did
// not.
func (draw drawing) again(ctx context.Context, old accounts.Snapshot) (interaction.Response, error) {
	snapshot, failure := old.Update(ctx)
	switch {
	case failure == nil:
		return draw(snapshot.List, ageOf(snapshot))
	case hostapi.CodeOf(failure) == hostapi.CodeNotFound: // the account was closed
		return interaction.Response{}, failure
	}
	response, err := draw(old.List, age{old.FetchedAt, ageOld, failure, true})
	response.Failure = failure
	return response, err
}
