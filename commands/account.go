package commands

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/interaction"
	"hostbot/bot/sanitize"
	"hostbot/hostapi"
	"hostbot/hostapi/accounts"
)

// acted returns what is known of a bot on which an action was carried out just now.
func acted(known accounts.Snapshot, s hostapi.Server, action string) accounts.Snapshot {
	note := accounts.Note{Action: action, At: time.Now(), StartupAt: known.Notes[s.ID].StartupAt, Seen: known.Notes[s.ID].Seen}
	if s.Status != "" { // which is from now as well
		note.Seen = note.At
	}
	known.Notes = map[string]accounts.Note{s.ID: note}
	return known
}

// reported is a failure of which staff are told under the reference of the request.
type reported struct{ error }

func (e reported) Unwrap() error { return e.error }

// updated is the last line of a message: when the account was last updated.
func (v view) updated(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return "-# " + v.t.Format("age.updated", args{"When": relative(at)})
}

// updatedField is the same below other fields.
func (v view) updatedField(at time.Time) *discordgo.MessageEmbedField {
	return v.field("age.field", relative(at), false)
}

// heading is the top of a message: whose account staff read, what was done, and how old
// that is where it is not as new as it should be.
func (v view) heading(s accounts.Snapshot, notice string) string {
	whose, old := "", ""
	format := func(key string) string {
		return v.t.Format(key, args{"When": relative(s.FetchedAt), "User": sanitize.Mention(v.asked.CustomerID)})
	}
	switch {
	case v.asked.ByStaff() && s.FetchedAt.IsZero():
		whose = format("staff.view")
	case v.asked.ByStaff():
		whose = format("staff.view_aged")
	}
	switch {
	case s.Update != nil: // a newer one will take its place
		old = v.t.Text("age."+silenceOf(nil)) + "\n" + format("age.updating")
	case s.Old:
		old = v.t.Text("age."+silenceOf(s.Failure)) + "\n" + format("age.old")
	}
	if _, ok := errors.AsType[reported](s.Failure); ok {
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
type drawing func(context.Context, *interaction.Request, accounts.Snapshot) (interaction.Response, error)

// shown makes a handler that answers with a drawing of the customer's account.
func (c *Commands) shown(draw drawing) interaction.Handler {
	return draw.from(func(ctx context.Context, r *interaction.Request) (accounts.Snapshot, error) {
		return c.accounts.Account(ctx, r.CustomerID, r.AnswerBy)
	})
}

// refreshed is shown, for which the service is asked: for one bot alone where the
// request is about one.
func (c *Commands) refreshed(draw drawing) interaction.Handler {
	return draw.from(func(ctx context.Context, r *interaction.Request) (accounts.Snapshot, error) {
		serverID := r.Params["bot"]
		if strings.HasPrefix(serverID, digestMark) { // the ID is in the list alone
			serverID = ""
		}
		return c.accounts.Refresh(ctx, r.CustomerID, serverID, r.AnswerBy)
	})
}

// anew is shown, for which the service is asked however young the cached account is.
func (c *Commands) anew(draw drawing) interaction.Handler {
	return draw.from(func(ctx context.Context, r *interaction.Request) (accounts.Snapshot, error) {
		return c.accounts.Ask(ctx, r.CustomerID, "", r.AnswerBy)
	})
}

// from makes a handler that draws what it reads of an account.
func (draw drawing) from(read func(context.Context, *interaction.Request) (accounts.Snapshot, error)) interaction.Handler {
	return func(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
		snapshot, err := read(ctx, r)
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
		response, err := draw(ctx, r, s)
		if s.Update != nil {
			response.Then = &interaction.Work{Does: interaction.Redraw{}, Run: func(ctx context.Context) (interaction.Response, error) {
				return draw.again(ctx, r, s)
			}}
		}
		return response, err
	})
}

// again draws an account once the service has answered, or says that it did not.
func (draw drawing) again(ctx context.Context, r *interaction.Request, old accounts.Snapshot) (interaction.Response, error) {
	snapshot, failure := old.Update(ctx)
	switch {
	case failure == nil:
		return draw(ctx, r, snapshot)
	case hostapi.CodeOf(failure) == hostapi.CodeNotFound: // the account was closed
		return interaction.Response{}, failure
	}
	old.Old, old.Failure, old.Update = true, reported{failure}, nil
	response, err := draw(ctx, r, old)
	response.Failure = failure
	return response, err
}
