package faultmatrix_test

import (
	"context"
	"slices"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/interaction"
	"hostbot/bot/testing/discordtest"
	"hostbot/hostapi/hostapitest"
)

const (
	theForms    = "More…"
	unknownName = "Qqqq" // which no bot is called
)

// customersFlows are those of what customers do with their own bots.
func customersFlows() []flow {
	list := steps(types("/bot list", nil), reads(shop))
	card := func(bot string) step {
		return steps(types("/bot show", discordtest.Options{"bot": bot}), reads("Limits"))
	}
	picker := func(action string) step { return steps(types("/bot "+action, nil), reads("Which bot")) }
	all := slices.Concat(viewingFlows(), createFlows(), formFlows(card(shop)), botCommands(), cardFlows("component ", list, card), crashedFlows(list), severalFlows(list), againFlows())
	for _, a := range []string{"start", "restart", "stop"} {
		all = append(all, pickedAction("component "+a, a, picker(a)))
	}
	all = append(all, supportFlow(), crashesFlow())
	all = append(all, answerFlows()...)
	return append(all, flow{
		route: "component reinstall", need: looks, late: true, good: "may be offline",
		prepare: steps(types("/bot reinstall", nil), reads("Which bot's")), do: picks("Choose a bot", shop),
	})
}

// viewingFlows show a customer's account.
func viewingFlows() []flow {
	all := []flow{
		{route: "command help", need: needsNothing, do: types("/help", nil), good: "</bot restart:"},
		{route: "command bot list", need: looks, unknown: true, do: types("/bot list", nil), good: "🔴 Radio"},
		{route: "command plan", need: looks, unknown: true, do: types("/plan", nil), good: "11 of 30"},
		{route: "component plan", need: looks, prepare: steps(types("/plan", nil), reads("11 of 30")), do: presses("Refresh"), good: "11 of 30"},
		{route: "command bot show", need: looks, do: types("/bot show", discordtest.Options{"bot": radio}), good: "🔴 Radio"},
		{route: "command bot reinstall", need: looks, do: types("/bot reinstall", discordtest.Options{"bot": shop}), late: true, good: "may be offline"},
		{route: "autocomplete bot show bot", need: suggests, unknown: true, do: completes("/bot show", nil)},
	}
	for _, command := range []string{"show", "start", "restart", "stop", "reinstall", "history", "startup", "delete"} {
		all = append(all, flow{route: "autocomplete bot " + command + " bot", need: suggests, do: completes("/bot "+command, nil)})
	}
	return all
}

// botCommands are actions on a bot that is named with the command.
func botCommands() []flow {
	theShop := discordtest.Options{"bot": shop}
	return []flow{
		{route: "command bot start", action: "start", bot: idle, do: types("/bot start", discordtest.Options{"bot": idle})},
		{route: "command bot stop", action: "stop", do: types("/bot stop", theShop)},
		{route: "command bot restart", action: "restart", do: types("/bot restart", theShop)},
		{route: "command bot restart", action: "restart", unknown: true, do: types("/bot restart", theShop)},
	}
}

// formFlows are those of the forms for a bot.
func formFlows(card step) []flow {
	opened := steps(card, presses(theForms), reads("Limits"))
	var all []flow
	for name, label := range map[string]string{"startup": "Startup", "delete": "Delete"} {
		command := "/bot " + name
		all = append(all,
			flow{route: "command bot " + name, need: asks, do: types(command, discordtest.Options{"bot": shop})},
			flow{route: "component " + name + "/{bot...}", need: asks, prepare: opened, do: presses(label)},
			flow{
				route: "component " + name, need: looks, do: picks("Choose a bot", shop), good: "Limits",
				prepare: steps(types(command, discordtest.Options{"bot": unknownName}), reads("Choose one of these")),
			})
	}
	return append(all, flow{
		route: "modal startup/{bot...}", action: "startup", prepare: types("/bot startup", discordtest.Options{"bot": shop}),
		do: fills(discordtest.Fields{"command": "node other.js"}),
	}, flow{
		route: "component plain/{bot...}", need: asks, do: presses("Use plain characters"),
		prepare: steps(step(startedByAPhone), types("/bot startup", discordtest.Options{"bot": shop}), fills(nil), reads("Nothing was changed")),
	}, flow{
		route: "modal delete/{bot...}", action: "delete", prepare: types("/bot delete", discordtest.Options{"bot": shop}),
		do: fills(discordtest.Fields{"name": shop}),
	}, flow{
		route: "component more/{bot...}", need: looks, do: presses(theForms), good: "🔴 Radio",
		prepare: steps(types("/bot show", discordtest.Options{"bot": radio}), reads("Limits")),
	})
}

// startedByAPhone has a phone's dash in the startup of a bot.
func startedByAPhone(_ context.Context, c *person, in *discordtest.Reply) (*discordtest.Reply, error) {
	id := shop + "-" + c.user.ID
	c.scene.Service.Remove(c.user.ID, id)
	c.scene.Service.AddServer(c.user.ID, hostapitest.Server{ID: id, Name: shop, Status: hostapitest.Running, EntryFile: "a.js", StartupCommand: "node —x a.js"})
	return in, nil
}

// createFlows lead to a new bot.
func createFlows() []flow {
	sizes := steps(types("/bot create", nil), reads("left. Choose sizes"))
	return []flow{
		{route: "command bot create", need: looks, unknown: true, do: types("/bot create", nil), good: "left. Choose sizes"},
		{
			route: "component create/new", need: looks, do: presses("Create"), good: "left. Choose sizes",
			prepare: steps(step(emptied), types("/bot list", nil), reads("no bots")),
		},
		{route: "component create/{what}/{ram}/{disk}/{cpu}", need: looks, prepare: sizes, do: picks("RAM", "1024"), good: "left. Choose sizes"},
		{route: "component create/{ram}/{disk}/{cpu}", need: asks, prepare: sizes, do: presses("Continue")},
		{
			route: "modal create/{ram}/{disk}/{cpu}", action: "create", prepare: steps(sizes, presses("Continue")),
			do: fills(discordtest.Fields{"name": shop}),
		},
	}
}

// emptied takes all bots from the account.
func emptied(_ context.Context, c *person, in *discordtest.Reply) (*discordtest.Reply, error) {
	for _, s := range c.scene.Service.Servers(c.user.ID) {
		c.scene.Service.Remove(c.user.ID, s.ID)
	}
	return in, nil
}

// cardFlows are those of a list of bots and of a card, which are alike for customers and
// staff. on begins their routes.
func cardFlows(on string, list step, card func(bot string) step) []flow {
	all := []flow{
		{route: on + "list/{page}", need: looks, prepare: list, do: presses("Refresh"), good: "🔴 Radio"},
		{route: on + "list/with/{bot...}", need: looks, prepare: card(radio), do: presses("All bots"), good: "🔴 Radio"},
		{route: on + "pages", need: looks, prepare: list, do: picks("Page 1 of 2", "Page 2 of 2"), good: "Page 2 of 2"},
		{route: on + "open", need: looks, prepare: list, do: picks("Open a bot", radio), good: "🔴 Radio"},
		{route: on + "show/{bot...}", need: looks, prepare: card(radio), do: presses("Refresh"), good: "🔴 Radio"},
		{route: on + "details/{bot...}", need: looks, prepare: card(radio), do: presses("Details"), good: "🔴 Radio"},
		{route: on + "brief/{bot...}", need: looks, prepare: steps(card(radio), presses("Details"), reads("Language")), do: presses("Hide details"), good: "🔴 Radio"},
		{route: on + "reinstall/{bot...}", need: looks, prepare: card(shop), do: presses("Reinstall packages"), late: true, good: "may be offline"},
		{
			route: on + "packages/{bot...}", action: "reinstall", do: presses("Reinstall packages"),
			prepare: steps(card(shop), presses("Reinstall packages"), reads("may be offline")),
		},
		{route: on + "start/{bot...}", action: "start", bot: idle, prepare: card(idle), do: presses("Start")},
		{route: on + "restart/{bot...}", action: "restart", prepare: card(shop), do: presses("Restart")},
		{route: on + "stop/{bot...}", action: "stop", prepare: card(shop), do: presses("Stop")},
	}
	return all
}

// pickedAction is an action on the bot that is chosen in a menu.
func pickedAction(route, action string, menu step) flow {
	bot := shop
	if action == "start" {
		bot = idle
	}
	return flow{route: route, action: action, bot: bot, prepare: menu, do: picks("Choose a bot", bot)}
}

// crashesFlow is that of the button under an alert of a bot that keeps crashing, of which staff were told before.
func crashesFlow() flow {
	inDM := func(c *person) (*discordtest.User, discordtest.View) {
		dm := c.user.InDM()
		return dm, newest(dm, "it keeps crashing")
	}
	left := func(ctx context.Context, c *person, in *discordtest.Reply) (*discordtest.Reply, error) {
		button := discordgo.Button{Style: discordgo.SecondaryButton, Label: "Tell support", CustomID: "aside/crashes/" + shop + "-" + c.user.ID}
		return leftButton("it keeps crashing", button)(ctx, c, in)
	}
	return flow{
		route: "component aside/crashes/{bot...}", need: keeps, goesOn: true, lost: "error.untold", good: "Our team (can see|already has)",
		prepare: steps(seen(), left, pressesIn(inDM, "Tell support"), reads("Our team")), do: pressesIn(inDM, "Tell support"),
	}
}

// answerFlows are those of a customer below an answer of support's, of which nobody knows any more.
func answerFlows() []flow {
	inDM := func(c *person) (*discordtest.User, discordtest.View) {
		dm := c.user.InDM()
		return dm, newest(dm, "support answered")
	}
	below := func(label, customID string) (left, does step) {
		return steps(seen(), leftButton("support answered", discordgo.Button{Style: discordgo.SecondaryButton, Label: label, CustomID: customID})), pressesIn(inDM, label)
	}
	toReply, replies := below("Reply", "aside/reply/abc")
	toRead, reads := below("Read answer", "aside/unread")
	return []flow{
		{route: "component aside/unread", need: names, prepare: toRead, do: reads, good: "There are no unread answers here"},
		{route: "component aside/reply/{id}", need: needsNothing, prepare: toReply, do: replies, good: "Reply to our team"},
		{
			route: "modal aside/reply/{id}", need: keeps, goesOn: true, lost: "error.untold", good: "This conversation is closed",
			prepare: steps(toReply, replies), do: fills(discordtest.Fields{"text": "It works."}),
		},
	}
}

// supportFlow is that of the button under a failure, of which nobody knows any more.
func supportFlow() flow {
	failure := func(c *person) (*discordtest.User, discordtest.View) {
		return c.user, newest(c.user, "failed for "+c.user.ID)
	}
	left := func(ctx context.Context, c *person, in *discordtest.Reply) (*discordtest.Reply, error) {
		button := discordgo.Button{Style: discordgo.SecondaryButton, Label: "Tell support", CustomID: "aside/support/ABCDEFG"}
		return in, c.left(ctx, c.user, interaction.Message{
			Content:    "Something failed for " + c.user.ID,
			Components: []discordgo.MessageComponent{discordgo.ActionsRow{Components: []discordgo.MessageComponent{button}}},
		})
	}
	return flow{
		route: "component aside/support/{code}", need: keeps, goesOn: true, lost: "error.untold", good: "can no longer be reported",
		prepare: steps(seen(), left), do: pressesIn(failure, "Tell support"),
	}
}
