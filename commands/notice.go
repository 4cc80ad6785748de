package commands

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/discord/message"
	"hostbot/bot/interaction"
	"hostbot/bot/sanitize"
	"hostbot/bot/watch/outages"
)

const (
	// maxNotice and maxPrefix are how many characters are taken in a form. noticeRoom is to how many a notice is cut
	// whose markup is escaped, and shortNotice where it is one of many.
	maxNotice, noticeRoom, shortNotice = 200, 300, 100
	maxPrefix                          = 60
	// openNotices is how many notices may be in force or to come at a time.
	openNotices = 10
	// noticeReach is how far a time of a notice may lie ahead.
	noticeReach = 366 * day

	// noticeTime is the layout of a time in a form, which is in UTC.
	noticeTime = "2006-01-02 15:04"
)

// The custom IDs of the inputs of the form of a notice, beside inputText.
const (
	inputFrom   = "from"
	inputUntil  = "until"
	inputPrefix = "prefix"
	inputKind   = "kind"
)

// The values of the kind of a notice: it holds alerts, and people are told of it by direct message.
const (
	kindMaintenance = "maintenance"
	kindAnnounce    = "announce"
)

// listNotices shows staff the notices that are open, of which one may be chosen. A command opens the form if there are
// none.
func (c *Commands) listNotices(_ context.Context, r *interaction.Request) (interaction.Response, error) {
	open := c.watch.notices()
	if r.Kind == interaction.Command && len(open) == 0 {
		return c.noticeForm(r, nil, outages.Notice{ID: r.ID}), nil
	}
	return c.view(r).drawNotices(open, r.Value(), ""), nil
}

// noticeOf returns the notices that are open, and the index among them of that with an ID; -1 if there is none.
func (c *Commands) noticeOf(id string) (open []outages.Notice, i int) {
	open = c.watch.notices()
	return open, slices.IndexFunc(open, func(n outages.Notice) bool { return n.ID == id })
}

// askNotice opens the form of a notice with an ID. If there is none, it is a new one: then the ID is that of the form, so
// that a form that is sent again makes no second notice.
func (c *Commands) askNotice(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
	n := outages.Notice{ID: r.Params["id"]}
	open, i := c.noticeOf(n.ID)
	switch {
	case i >= 0:
		n = open[i]
	case len(open) >= openNotices:
		return interaction.Response{}, tooManyNotices()
	case n.ID == newNotice:
		n.ID = r.ID
	}
	return c.noticeForm(r, c.typed(ctx, r), n), nil
}

func tooManyNotices() error {
	return &refusal{reason: "too many notices are open", final: true, explain: func(v view) string {
		return v.t.Format("staff.notices.full", args{"N": openNotices})
	}}
}

// noticeForm opens the form of a notice, with what was typed before.
func (c *Commands) noticeForm(r *interaction.Request, typed typed, n outages.Notice) interaction.Response {
	v, from, until := c.view(r), "now", ""
	if !n.From.IsZero() {
		from = n.From.UTC().Format(noticeTime)
	}
	if !n.Until.IsZero() {
		until = n.Until.UTC().Format(noticeTime)
	}
	text := interaction.TextInput(inputText, typed.or(inputText, n.Text), true)
	text.Style, text.MaxLength = discordgo.TextInputParagraph, maxNotice
	prefix := interaction.TextInput(inputPrefix, typed.or(inputPrefix, n.Prefix), false)
	prefix.MaxLength = maxPrefix
	kinds := []interaction.Option{{Label: v.t.Text("modal.notice.maintenance"), Value: kindMaintenance, Default: n.Maintenance}}
	if c.watch.offered() { // otherwise nobody would be told
		kinds = append(kinds, interaction.Option{
			Label: v.t.Text("modal.notice.announce"), Description: v.t.Text("modal.notice.announce_hint"), Value: kindAnnounce, Default: n.Announce,
		})
	}
	for i := range kinds {
		if chosen, ok := typed[inputKind]; ok {
			kinds[i].Default = isChosen(chosen, kinds[i].Value)
		}
	}
	return interaction.Open(&interaction.Dialog{CustomID: idNoticeForm + n.ID, Title: v.t.Text("modal.notice.title"), Fields: []interaction.Field{
		v.formField("modal.notice.text", "modal.notice.text_hint", text),
		v.formField("modal.notice.from", "modal.notice.from_hint", interaction.TextInput(inputFrom, typed.or(inputFrom, from), true)),
		v.formField("modal.notice.until", "modal.notice.until_hint", interaction.TextInput(inputUntil, typed.or(inputUntil, until), false)),
		v.formField("modal.notice.prefix", "modal.notice.prefix_hint", prefix),
		v.formField("modal.notice.alerts", "", interaction.SeveralInput(inputKind, kinds)),
	}})
}

// isChosen reports whether a value is among those of an interaction.SeveralInput.
func isChosen(chosen, value string) bool {
	return slices.Contains(strings.Split(chosen, interaction.ValueSeparator), value)
}

// saveNotice makes or changes the notice that was described in a form.
func (c *Commands) saveNotice(_ context.Context, r *interaction.Request) (interaction.Response, error) {
	n, err := describedNotice(r, time.Now().UTC())
	if err != nil {
		return interaction.Response{}, err
	}
	if open, i := c.noticeOf(n.ID); len(open) >= openNotices && i < 0 {
		return interaction.Response{}, tooManyNotices()
	}
	return c.keepNotice(r, n, "staff.notices.saved"), nil
}

// endNotice ends a notice now.
func (c *Commands) endNotice(_ context.Context, r *interaction.Request) (interaction.Response, error) {
	open, i := c.noticeOf(r.Params["id"])
	if i < 0 { // the button was pressed twice
		v := c.view(r)
		return v.drawNotices(open, "", v.t.Text("staff.notices.ended")), nil
	}
	open[i].Until = time.Now()
	return c.keepNotice(r, open[i], "staff.notices.ended"), nil
}

// keepNotice saves a notice, and shows those that are open below what was done.
func (c *Commands) keepNotice(r *interaction.Request, n outages.Notice, done string) interaction.Response {
	return interaction.Defer(idNotice, func(ctx context.Context) (interaction.Response, error) {
		if err := c.watch.Notices.SaveNotice(ctx, n); err != nil {
			return interaction.Response{}, refuseForNow("a notice cannot be saved: "+err.Error(), "staff.notices.unsaved")
		}
		c.forms.Drafts.Forget(ctx, r.UserID, draftOf(r))
		v := c.view(r)
		response := v.drawNotices(c.watch.notices(), n.ID, "✅ "+v.t.Text(done))
		response.Audit = &interaction.Audit{Detail: n.Text}
		return response, nil
	})
}

// describedNotice returns the notice that a form describes.
func describedNotice(r *interaction.Request, now time.Time) (n outages.Notice, err error) {
	n = outages.Notice{
		ID: r.Params["id"], Text: sanitize.Plain(r.Fields[inputText], maxNotice), Prefix: strings.TrimSpace(r.Fields[inputPrefix]),
		Maintenance: isChosen(r.Fields[inputKind], kindMaintenance), Announce: isChosen(r.Fields[inputKind], kindAnnounce),
	}
	if n.Text == "" {
		return n, missing("modal.notice.text")
	}
	if n.From, err = moment(r.Fields[inputFrom], now, now); err != nil {
		return n, err
	}
	if typed := r.Fields[inputUntil]; strings.TrimSpace(typed) != "" {
		if n.Until, err = moment(typed, n.From, now); err != nil {
			return n, err
		}
	}
	if !n.Until.IsZero() && !n.Until.After(n.From) || n.Over(now) || max(n.From.Sub(now), n.Until.Sub(now)) > noticeReach {
		return n, refuse("a notice ends before it begins, or is over", "staff.notices.order")
	}
	return n, nil
}

// moment reads a time that staff typed, in UTC: "now", "+2h" after base, the next time of day from base on, or a date and
// a time.
func moment(typed string, base, now time.Time) (time.Time, error) {
	text := strings.ToLower(strings.Join(strings.Fields(typed), " "))
	if text == "now" {
		return now, nil
	}
	if ahead, err := time.ParseDuration(strings.ReplaceAll(text, " ", "")); err == nil && strings.HasPrefix(text, "+") {
		return base.Add(ahead), nil
	}
	if clock, err := time.Parse("15:04", text); err == nil {
		at := base.Truncate(day).Add(time.Duration(clock.Hour())*time.Hour + time.Duration(clock.Minute())*time.Minute)
		if at.Before(base.Truncate(time.Minute)) {
			at = at.Add(day)
		}
		return at, nil
	}
	if at, err := time.Parse(noticeTime, text); err == nil {
		return at, nil
	}
	return time.Time{}, &refusal{reason: "a time of a notice cannot be read", explain: func(v view) string {
		return v.t.Format("staff.notices.time", args{"Time": orDash(sanitize.Markdown(typed, wordLimit))})
	}}
}

// drawNotices lists notices. Below are the ways to change the one that is chosen, or the only one.
func (v view) drawNotices(open []outages.Notice, chosen, done string) interaction.Response {
	var listed []string
	var options []discordgo.SelectMenuOption
	if len(open) == 1 {
		chosen = open[0].ID
	}
	buttons := []discordgo.Button{v.button(discordgo.SecondaryButton, "button.notice_new", idNoticeForm+newNotice, len(open) >= openNotices)}
	for i, n := range open {
		whom := v.t.Text("staff.notices.all")
		if n.Prefix != "" {
			whom = v.t.Format("staff.notices.prefix", args{"Prefix": orDash(sanitize.Code(n.Prefix, maxPrefix))})
		}
		room := shortNotice
		if n.ID == chosen {
			room = noticeRoom
		}
		about := v.t.Format("staff.notices.about", args{"When": message.Time(n.From, "f"), "Whom": whom})
		if n.Announce {
			about += " · " + v.t.Text("staff.notices.announced")
		}
		listed = append(listed, v.t.Number(i+1)+"\\. "+v.noticeLine(n, room)+"\n-# "+about)
		options = append(options, discordgo.SelectMenuOption{Label: sanitize.Plain(v.t.Number(i+1)+". "+n.Text, maxOptionText), Value: n.ID, Default: n.ID == chosen})
		if n.ID == chosen {
			edit, end := v.button(discordgo.PrimaryButton, "button.notice_edit", idNoticeForm+n.ID, false), v.button(discordgo.DangerButton, "button.notice_end", idNoticeEnd+n.ID, false)
			buttons = append([]discordgo.Button{edit, end}, buttons...)
		}
	}
	if len(open) == 0 {
		listed = append(listed, v.t.Text("staff.notices.none"))
	}
	var rows []discordgo.MessageComponent
	if len(open) > 1 {
		rows = append(rows, v.menu(idNotice, v.t.Text("staff.notices.choose"), options))
	}
	embed := &discordgo.MessageEmbed{Title: v.t.Text("staff.notices.title"), Color: blurple, Description: paragraphs(done, strings.Join(listed, "\n\n"))}
	return v.draw(idNotice, embed, append(rows, v.linkRow(buttons...)...)...)
}
