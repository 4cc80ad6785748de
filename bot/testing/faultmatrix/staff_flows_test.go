package faultmatrix_test

import (
	"context"
	"slices"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/interaction"
	"hostbot/bot/testing/discordtest"
	"hostbot/commands"
)

// staffFlows are those of staff's commands.
func staffFlows() []flow {
	user := discordtest.Options{"user": theCustomer}
	lookup := steps(types("/admin lookup", user), reads(shop))
	card := func(bot string) step { return steps(lookup, picks("Open a bot", bot), reads("Limits")) }
	picker := func(action string) step {
		options := discordtest.Options{"user": theCustomer, "bot": unknownName, "do": action}
		return steps(types("/admin action", options), reads("Choose one of these"))
	}
	const on = "component for/{user}/"
	all := slices.Concat(staffCommands(user), noticeFlows(), asideFlows(), caseFlows(), cardFlows(on, lookup, card))
	for _, a := range []string{"start", "restart", "stop"} {
		all = append(all, pickedAction(on+a, a, picker(a)))
	}
	asked := steps(seen(), types("/admin forget", user), reads("will be deleted"))
	return append(
		all,
		flow{route: on + "reinstall", need: looks, prepare: picker("reinstall"), do: picks("Choose a bot", shop), late: true, good: "may be offline"},
		flow{route: on + "admin/forget", need: keeps, goesOn: true, lost: "staff.forget.failed", prepare: asked, do: presses("Delete everything"), good: "stored about"}, // or nothing was
		flow{route: on + "admin/forget/not", need: needsNothing, prepare: asked, do: presses("Cancel"), good: "Nothing was deleted"},
	)
}

func staffCommands(user discordtest.Options) []flow {
	action := discordtest.Options{"user": theCustomer, "bot": shop, "do": "restart"}
	hostedBots := func(ctx context.Context, c *person, _ *discordtest.Reply) (*discordtest.Reply, error) {
		return c.staff.Menu(ctx, "Hosted bots", c.user)
	}
	status := func(c *person) (*discordtest.User, discordtest.View) {
		return c.staff, newest(c.staff, "a status for "+c.user.ID)
	}
	return []flow{
		{route: "command admin status", need: needsNothing, do: types("/admin status", nil), good: "Answers in time"},
		{route: "component admin/status/retry", need: needsNothing, goesOn: true, prepare: steps(seen(), leftAStatus), do: pressesIn(status, "Try again"), good: "Answers in time"},
		{route: "command admin logs test", need: needsNothing, goesOn: true, do: types("/admin logs test", nil), good: "One entry of each kind"},
		{route: "command admin reference", need: keeps, do: types("/admin reference", discordtest.Options{"code": "ABCDEFG"}), good: "There's no record of"},
		{route: "command admin forget", need: keeps, lost: "staff.forget.unreadable", do: types("/admin forget", user), good: "will be deleted|Nothing is stored"}, // what is kept, or that nothing is
		{route: "command admin lookup", need: looks, unknown: true, do: types("/admin lookup", user), good: "🔴 Radio"},
		{route: "command admin refresh", need: looks, do: types("/admin refresh", user), good: "🔴 Radio"},
		{route: "command Hosted bots", need: looks, do: hostedBots, good: "🔴 Radio"},
		{route: "command admin action", action: "restart", do: types("/admin action", action)},
		{route: "autocomplete admin action bot", need: suggests, do: completes("/admin action", user)},
	}
}

// noticeFlows are those of what staff tell customers: here of bots that nobody has.
func noticeFlows() []flow {
	shown := func(c *person) (*discordtest.User, discordtest.View) {
		return c.staff, newest(c.staff, "notices for "+c.user.ID)
	}
	left := steps(seen(), leftNotices)
	opened := steps(left, pressesIn(shown, "New notice"))
	fields := discordtest.Fields{"Text": "We replace a switch", "From": "now", "Affected bots": "nobody's"}
	const list, unsaved = "Notices", "staff.notices.unsaved"
	return []flow{
		{route: "command admin notice", need: needsNothing, do: types("/admin notice", nil), good: list + "|Notice to customers"}, // whether there are any
		{route: "component admin/notice", need: needsNothing, prepare: left, do: picksIn(shown, "Choose a notice to change", "1"), good: list},
		{route: "component admin/notice/form/{id}", need: needsNothing, prepare: left, do: pressesIn(shown, "New notice"), good: "Notice to customers"},
		{route: "modal admin/notice/form/{id}", need: needsNothing, goesOn: true, lost: unsaved, prepare: opened, do: fills(fields), good: "Saved"},
		{route: "component admin/notice/end/{id}", need: needsNothing, goesOn: true, lost: unsaved, prepare: steps(opened, fills(fields), becomes("Saved")), do: presses("End now"), good: "Notice ended"},
	}
}

// leftNotices leaves a message with the ways to a notice, which is the customer's own: a form that is sent again changes it.
func leftNotices(ctx context.Context, c *person, in *discordtest.Reply) (*discordtest.Reply, error) {
	return in, c.left(ctx, c.staff, interaction.Message{
		Content: "notices for " + c.user.ID,
		Components: []discordgo.MessageComponent{
			discordgo.ActionsRow{Components: []discordgo.MessageComponent{discordgo.SelectMenu{
				MenuType: discordgo.StringSelectMenu, Placeholder: "Choose a notice to change", CustomID: "admin/notice",
				Options: []discordgo.SelectMenuOption{{Label: "1", Value: "1"}},
			}}},
			discordgo.ActionsRow{Components: []discordgo.MessageComponent{
				discordgo.Button{Style: discordgo.SecondaryButton, Label: "New notice", CustomID: "admin/notice/form/" + c.user.ID},
			}},
		},
	})
}

// asideFlows are those of the buttons under an entry in a log channel.
func asideFlows() []flow {
	entry := func(c *person) (*discordtest.User, discordtest.View) {
		return c.staff, newest(c.staff, "of "+c.user.ID)
	}
	written := steps(seen(), wroteAnEntry)
	return []flow{
		{route: "component aside/lookup/{user}/{name...}", need: looks, prepare: written, do: pressesIn(entry, "Look up"), good: "🔴 Radio"},
		{route: "component aside/reference/{code}", need: keeps, prepare: written, do: pressesIn(entry, "Reference"), good: "There's no record of"},
		{route: "component aside/reference", need: keeps, follows: true, prepare: written, do: picksIn(entry, "Open a reference", "ABCDEFG"), good: "There's no record of"},
	}
}

// caseFlows are those of staff's answer to a customer.
func caseFlows() []flow {
	told := func(c *person) (*discordtest.User, discordtest.View) {
		return c.staff, newest(c.staff, "help "+c.user.ID)
	}
	left := func(ctx context.Context, c *person, in *discordtest.Reply) (*discordtest.Reply, error) {
		button := discordgo.Button{Style: discordgo.SecondaryButton, Label: "Answer", CustomID: "aside/answer/" + c.user.ID + "/ABCDEFG/en-US"}
		return in, c.left(ctx, c.staff, interaction.Message{
			Content: "help " + c.user.ID, Components: []discordgo.MessageComponent{discordgo.ActionsRow{Components: []discordgo.MessageComponent{button}}},
		})
	}
	asks, route := pressesIn(told, "Answer"), "aside/answer/{user}/{code}/{locale}"
	return []flow{
		{route: "component " + route, need: needsNothing, prepare: steps(seen(), left), do: asks, good: "Answer the customer"},
		{
			route: "modal " + route, need: needsNothing, goesOn: true, lost: "answer.unsaved", prepare: steps(seen(), left, asks),
			do: fills(discordtest.Fields{"text": "Try again."}), good: "on its way|wasn't sent again",
		},
	}
}

// leftAStatus leaves a message with the button of a status that shows dead letters.
func leftAStatus(ctx context.Context, c *person, in *discordtest.Reply) (*discordtest.Reply, error) {
	return in, c.left(ctx, c.staff, interaction.Message{
		Content: "a status for " + c.user.ID,
		Components: []discordgo.MessageComponent{discordgo.ActionsRow{Components: []discordgo.MessageComponent{
			discordgo.Button{Style: discordgo.SecondaryButton, Label: "Try again", CustomID: "admin/status/retry"},
		}}},
	})
}

// wroteAnEntry leaves a message with the buttons of an entry about the customer where staff
// look.
func wroteAnEntry(ctx context.Context, c *person, in *discordtest.Reply) (*discordtest.Reply, error) {
	return in, c.left(ctx, c.staff, interaction.Message{
		Content: "A failure of " + c.user.ID,
		Components: []discordgo.MessageComponent{discordgo.ActionsRow{Components: []discordgo.MessageComponent{
			discordgo.Button{Style: discordgo.SecondaryButton, Label: "Look up", CustomID: commands.LookupID(c.user.ID, c.user.Name)},
			discordgo.Button{Style: discordgo.SecondaryButton, Label: "Reference", CustomID: commands.ReferenceID("ABCDEFG")},
		}}, discordgo.ActionsRow{Components: []discordgo.MessageComponent{discordgo.SelectMenu{
			MenuType: discordgo.StringSelectMenu, Placeholder: "Open a reference", CustomID: commands.ReferencesID,
			Options: []discordgo.SelectMenuOption{{Label: "ABCDEFG", Value: "ABCDEFG"}},
		}}}},
	})
}
