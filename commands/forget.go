package commands

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/actions"
	"hostbot/bot/discord/message"
	"hostbot/bot/interaction"
	"hostbot/bot/sanitize"
	"hostbot/bot/watch/alerts"
	"hostbot/bot/watch/panel"
)

// Kept is what is kept of a customer.
type Kept struct {
	Cached bool // the account
	Alerts alerts.Settings
	DM     bool // the channel of direct messages
	Panels int  // how many
	// Restarts is how many bots are restarted automatically.
	Restarts int
	// Scheduled is how many are restarted by the clock.
	Scheduled int
	// Followers is how many people follow them, and Follows how many panels this one does.
	Followers, Follows int
	Answers            int       // of support: how many
	Events             int       // what the customer did lately, and what failed: how many
	Since              time.Time // from when on the states of bots are; zero where none are
}

// alerted is for how many bots alerts are on, each by itself.
func (k Kept) alerted() (on int) {
	for _, is := range k.Alerts.Bots {
		if is {
			on++
		}
	}
	return on
}

// days is over how many days the states of bots reach, begun ones counted.
func (k Kept) days() int {
	if k.Since.IsZero() {
		return 0
	}
	return max(int(math.Ceil(time.Since(k.Since).Hours()/24)), 1)
}

// counts says in short what is kept, for the log channel: it is the proof of what was removed.
func (k Kept) counts() string {
	alerts := strconv.Itoa(k.alerted())
	if k.Alerts.All {
		alerts = "all"
	}
	return fmt.Sprintf("account %t, alerts %s, restarts %d, dm %t, panels %d, followers %d, follows %d, answers %d, events %d, history %d d", k.Cached, alerts, k.Restarts, k.DM, k.Panels, k.Followers, k.Follows, k.Answers, k.Events, k.days())
}

// Forgotten is what became of what was kept of a customer.
type Forgotten struct {
	panel.Removal
	Kept Kept // what it was
	Told bool // the customer was told by direct message
}

// askForget lists what is kept of a customer, and asks whether it is to be removed. The
// log channel tells of the removal.
func (c *Commands) askForget(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
	kept, err := c.staff.Kept(ctx, r.CustomerID)
	if err != nil {
		return interaction.Response{}, &unforgottenError{err, "staff.forget.unreadable"}
	}
	v := c.view(r)
	lines := v.keptLines(kept)
	if len(lines) == 0 {
		return v.note(v.aboutCustomer("staff.forget.nothing")), nil
	}
	embed := &discordgo.MessageEmbed{
		Title:       v.t.Text("staff.forget.title"),
		Description: paragraphs(v.aboutCustomer("staff.forget.ask"), strings.Join(lines, "\n")),
		Footer:      &discordgo.MessageEmbedFooter{Text: v.t.Text("staff.forget.stays")},
	}
	return v.draw(idForget, embed, row(
		v.button(discordgo.DangerButton, "button.remove_all", idForget, false),
		v.button(discordgo.SecondaryButton, "button.cancel", idKeep, false),
	)), nil
}

// keptLines are a line for each thing that is kept.
func (v view) keptLines(k Kept) []string {
	var lines []string
	add := func(is bool, key string, a args) {
		if is {
			lines = append(lines, "• "+v.t.Format(key, a))
		}
	}
	on := k.alerted()
	add(k.Cached, "staff.forget.cached", nil)
	add(k.Alerts.All, "staff.forget.alerts_all", nil)
	add(!k.Alerts.All && on > 0, "staff.forget.alerts", args{"N": on})
	add(!k.Alerts.Closed.IsZero(), "staff.forget.closed", nil)
	add(k.Restarts > 0, "staff.forget.restarts", args{"N": k.Restarts})
	add(k.Scheduled > 0, "staff.status.use_scheduled", args{"N": k.Scheduled})
	add(k.DM, "staff.forget.dm", nil)
	add(k.Panels > 0, "staff.forget.panels", args{"N": k.Panels})
	add(k.Followers > 0, "staff.forget.followers", args{"N": k.Followers})
	add(k.Follows > 0, "staff.forget.follows", args{"N": k.Follows})
	add(k.Answers > 0, "staff.forget.answers", args{"N": k.Answers})
	add(k.Events > 0, "staff.forget.events", args{"N": k.Events})
	add(!k.Since.IsZero(), "staff.forget.history", args{"When": message.Time(k.Since, "D"), "N": k.days()})
	return lines
}

// forget removes what is kept of a customer, once Discord has taken the answer that says so.
func (c *Commands) forget(_ context.Context, r *interaction.Request) (interaction.Response, error) {
	v := c.view(r)
	response := v.note("⏳ " + v.aboutCustomer("staff.forget.running"))
	response.Subject = idForget
	response.Then = &interaction.Work{Does: interaction.Change{}, Run: func(ctx context.Context) (interaction.Response, error) {
		removal, err := c.staff.Forget(ctx, r.CustomerID, c.goodbye)
		switch {
		case errors.Is(err, actions.ErrRunning):
			return interaction.Response{}, &refusal{reason: err.Error(), explain: func(v view) string { return v.aboutCustomer("staff.forget.busy") }}
		case err != nil:
			return interaction.Response{}, staying(&unforgottenError{err, "staff.forget.failed"}, removal.Removal)
		case !removal.Known: // as the button was pressed twice
			return v.note(v.aboutCustomer("staff.forget.nothing")), nil
		}
		told, stay := "", ""
		if removal.Told {
			told = v.t.Text("staff.forget.told")
		}
		if len(removal.Stays) > 0 {
			stay = v.messagesStay(removal.Removal)
		}
		done := v.note(paragraphs(strings.TrimSpace(v.aboutCustomer("staff.forget.done")+"\n"+told), stay))
		done.Audit = &interaction.Audit{Detail: removal.Kept.counts()}
		return done, nil
	}}
	return response, nil
}

// unforgottenError is why not all that is kept of a customer could be read or removed, with the key of a text that
// tells staff what to do: nobody else can.
type unforgottenError struct {
	error
	key string
}

func (e *unforgottenError) Unwrap() error { return e.error }

// goodbye tells a customer in a direct message that all that was kept of them is removed. Its title is the
// content, which a phone shows in its notification (see Alert).
func (c *Commands) goodbye(locale string) interaction.Message {
	v := c.view(&interaction.Request{Locale: locale})
	return interaction.Message{
		Content: v.t.Text("forgotten.title"),
		Embeds:  []*discordgo.MessageEmbed{{Description: v.t.Text("forgotten.text"), Color: blurple}},
	}
}

// keep says that nothing was removed.
func (c *Commands) keep(_ context.Context, r *interaction.Request) (interaction.Response, error) {
	v := c.view(r)
	return v.note(v.t.Text("staff.forget.kept")), nil
}

// aboutCustomer is a text about the customer, who is mentioned in it.
func (v view) aboutCustomer(key string) string {
	return v.say(key, args{"User": sanitize.User(v.asked.CustomerID)})
}
