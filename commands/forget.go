package commands

import (
	"context"
	"math"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/interaction"
	"hostbot/bot/sanitize"
	"hostbot/bot/watch/alerts"
)

// Kept is what is kept of a customer.
type Kept struct {
	Cached bool // the account
	Alerts alerts.Settings
	DM     bool      // the channel of direct messages, though alerts are off
	Panels int       // how many
	Since  time.Time // from when on the states of bots are; zero where none are
}

func (k Kept) nothing() bool {
	return !k.Cached && !k.Alerts.Any() && k.Alerts.Closed.IsZero() && !k.DM && k.Panels == 0 && k.Since.IsZero()
}

// askForget says what is kept of a customer, and asks whether it is to be removed. The
// log channel tells of the removal.
func (c *Commands) askForget(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
	kept, err := c.staff.Kept(ctx, r.CustomerID)
	if err != nil {
		return interaction.Response{}, err
	}
	v := c.view(r)
	if kept.nothing() {
		return v.note(v.aboutCustomer("staff.flush.nothing")), nil
	}
	return v.drawKept(kept), nil
}

// drawKept lists what is kept, with a button that removes it and one that does not.
func (v view) drawKept(k Kept) interaction.Response {
	embed := &discordgo.MessageEmbed{
		Title:       v.t.Text("staff.flush.title"),
		Description: paragraphs(v.aboutCustomer("staff.flush.ask"), strings.Join(v.keptLines(k), "\n")),
		Footer:      &discordgo.MessageEmbedFooter{Text: v.t.Text("staff.flush.stays")},
	}
	return v.draw(idForget, embed, row(
		v.button(discordgo.DangerButton, "button.remove_all", idForget, false),
		v.button(discordgo.SecondaryButton, "button.cancel", idKeep, false),
	))
}

func (v view) keptLines(k Kept) []string {
	var lines []string
	add := func(is bool, key string, a args) {
		if is {
			lines = append(lines, "• "+v.t.Format(key, a))
		}
	}
	on := 0
	for _, alerted := range k.Alerts.Bots {
		if alerted {
			on++
		}
	}
	add(k.Cached, "staff.flush.cached", nil)
	add(k.Alerts.All, "staff.flush.alerts_all", nil)
	add(!k.Alerts.All && on > 0, "staff.flush.alerts", args{"N": on})
	add(!k.Alerts.Closed.IsZero(), "staff.flush.closed", nil)
	add(k.DM, "staff.flush.dm", nil)
	add(k.Panels > 0, "staff.flush.panels", args{"N": k.Panels})
	days := int(math.Ceil(time.Since(k.Since).Hours() / 24))
	add(!k.Since.IsZero(), "staff.flush.history", args{"When": stamp(k.Since, "D"), "N": max(days, 1)})
	return lines
}

// forget removes what is kept of a customer, once Discord has taken the answer that says so.
func (c *Commands) forget(_ context.Context, r *interaction.Request) (interaction.Response, error) {
	v := c.view(r)
	response := v.note("⏳ " + v.aboutCustomer("staff.flush.running"))
	response.Subject = idForget
	response.Then = func(ctx context.Context) (interaction.Response, error) {
		removal, err := c.staff.Forget(ctx, r.CustomerID)
		switch {
		case err != nil:
			return interaction.Response{}, staying(err, removal)
		case !removal.Known: // as the button was pressed twice
			return v.note(v.aboutCustomer("staff.flush.nothing")), nil
		}
		text := v.aboutCustomer("staff.flush.done")
		if len(removal.Stays) > 0 {
			text = paragraphs(text, v.messagesStay(removal))
		}
		done := v.note(text)
		done.Audit = &interaction.Audit{}
		return done, nil
	}
	return response, nil
}

// keep says that nothing was removed.
func (c *Commands) keep(_ context.Context, r *interaction.Request) (interaction.Response, error) {
	v := c.view(r)
	return v.note(v.t.Text("staff.flush.kept")), nil
}

// aboutCustomer is a text about the customer, who is mentioned in it.
func (v view) aboutCustomer(key string) string {
	return v.t.Format(key, args{"User": sanitize.User(v.asked.CustomerID)})
}
