package commands

import (
	"context"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"

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
	notes     map[string]accounts.Note
}

// The texts that say how old an account is. Why it is old stands before.
const (
	ageOld      = "age.old"
	ageUpdating = "age.updating" // a newer one will take its place
)

func ageOf(s accounts.Snapshot) age {
	if s.Old {
		return age{fetchedAt: s.FetchedAt, key: ageOld, why: s.Failure, notes: s.Notes}
	}
	return age{fetchedAt: s.FetchedAt, notes: s.Notes}
}

// of returns how old what is known of one bot is.
func (a age) of(serverID string) age {
	if seen := a.notes[serverID].Seen; seen.After(a.fetchedAt) {
		a.fetchedAt = seen
	}
	return a
}

// acted returns the age of a bot on which an action was carried out just now.
func (a age) acted(s hostapi.Server, action string) age {
	note := accounts.Note{Action: action, At: time.Now(), Seen: a.notes[s.ID].Seen}
	if s.Status != "" { // which is from now as well
		note.Seen = note.At
	}
	a.notes = map[string]accounts.Note{s.ID: note}
	return a
}

// updated is the last line of a message: when the account was last updated.
func (v view) updated(a age) string {
	if a.fetchedAt.IsZero() {
		return ""
	}
	return "-# " + v.t.Format("age.updated", args{"When": relative(a.fetchedAt)})
}

// updatedField is the same below other fields.
func (v view) updatedField(a age) *discordgo.MessageEmbedField {
	return v.field("age.field", relative(a.fetchedAt), false)
}

// heading is the top of a message: whose account staff read, what was done, how old that
// is.
func (v view) heading(a age, notice string) string {
	whose, old := "", ""
	switch user := sanitize.User(v.asked.CustomerID); {
	case v.asked.ByStaff() && a.fetchedAt.IsZero():
		whose = v.t.Format("staff.view", args{"User": user})
	case v.asked.ByStaff():
		whose = v.t.Format("staff.view_aged", args{"User": user, "When": relative(a.fetchedAt)})
	}
	if a.key != "" {
		old = v.t.Text("age."+silenceOf(a.why)) + "\n" + v.t.Format(a.key, args{"When": relative(a.fetchedAt)})
	}
	if a.reported {
		old += "\n" + v.referenceLine()
	}
	if notice != "" && v.asked.ByStaff() {
		notice = v.t.Format("staff.notice", args{"Name": v.customerName(), "Notice": notice})
	}
	return paragraphs(whose, notice, old)
}

// read passes the customer's account to a function, as useOf does.
func read[T any](ctx context.Context, c *Commands, r *interaction.Request, use func(accounts.Snapshot) (T, error)) (T, error) {
	snapshot, err := c.accounts.Account(ctx, r.CustomerID, r.AnswerBy)
	if err != nil {
		var none T
		return none, err
	}
	return useOf(ctx, snapshot, use)
}

// useOf passes an account to a function, which may refuse what is asked for. Where the
// service is still being asked, a newer account may allow it, so the function gets that
// one as well.
func useOf[T any](ctx context.Context, snapshot accounts.Snapshot, use func(accounts.Snapshot) (T, error)) (T, error) {
	result, refusal := use(snapshot)
	if refusal == nil || snapshot.Update == nil {
		return result, refusal
	}
	snapshot, err := snapshot.Update(ctx)
	if err != nil {
		var none T
		return none, err
	}
	return use(snapshot)
}

// drawing draws an account for a request, or refuses what is asked for.
type drawing func(*interaction.Request, hostapi.List, age) (interaction.Response, error)

// shown makes a handler that answers with a drawing of the customer's account.
func (c *Commands) shown(draw drawing) interaction.Handler {
	return func(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
		snapshot, err := c.accounts.Account(ctx, r.CustomerID, r.AnswerBy)
		if err != nil {
			return interaction.Response{}, err
		}
		return draw.of(ctx, r, snapshot)
	}
}

// refreshed is shown, for which the service is asked: for one bot alone where the
// request is about one.
func (c *Commands) refreshed(draw drawing) interaction.Handler {
	return func(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
		serverID := r.Params["bot"]
		if strings.HasPrefix(serverID, digestMark) { // the ID is in the list alone
			serverID = ""
		}
		snapshot, err := c.accounts.Refresh(ctx, r.CustomerID, serverID, r.AnswerBy)
		if err != nil {
			return interaction.Response{}, err
		}
		return draw.of(ctx, r, snapshot)
	}
}

// of draws an account. Where that is old because the service is slow, it is drawn at
// once, and again when the service has answered.
func (draw drawing) of(ctx context.Context, r *interaction.Request, snapshot accounts.Snapshot) (interaction.Response, error) {
	return useOf(ctx, snapshot, func(s accounts.Snapshot) (interaction.Response, error) {
		a := ageOf(s)
		if s.Update == nil {
			return draw(r, s.List, a)
		}
		a.key = ageUpdating
		response, err := draw(r, s.List, a)
		response.Then = func(ctx context.Context) (interaction.Response, error) { return draw.again(ctx, r, s) }
		return response, err
	})
}

// again draws an account once the service has answered, or says that it did not.
func (draw drawing) again(ctx context.Context, r *interaction.Request, old accounts.Snapshot) (interaction.Response, error) {
	snapshot, failure := old.Update(ctx)
	switch {
	case failure == nil:
		return draw(r, snapshot.List, ageOf(snapshot))
	case hostapi.CodeOf(failure) == hostapi.CodeNotFound: // the account was closed
		return interaction.Response{}, failure
	}
	response, err := draw(r, old.List, age{old.FetchedAt, ageOld, failure, true, old.Notes})
	response.Failure = failure
	return response, err
}
